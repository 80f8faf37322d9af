// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.command;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.multimed.deploy.terminal.Table;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Prints the status of the nodes of a running middleware as a table or as JSON: the result of SHOW MULTIMED STATUS, or
 * that of SHOW MULTIMED TABLES. Below the table of the nodes, names the tables that no satellite holds.
 */
@Command(
        name = "status",
        description = {
            "Show the nodes: state, cores, applied SCN, lag, load.",
            "docs/operations.md explains the columns, and which values need attention."
        },
        footer = {
            "  multimed status",
            "  multimed status --json",
            "  multimed status --tables --url jdbc:multimed://127.0.0.1:7411/shop --user operator"
        },
        mixinStandardHelpOptions = true)
public final class StatusCommand implements Callable<Integer> {
    private static final String TABLES = "SHOW MULTIMED TABLES";

    @Spec
    private CommandSpec spec;

    @Mixin
    private DatabaseOptions database;

    @Option(names = "--json", description = "Print JSON: a list with one object per node, or per table.")
    private boolean json;

    @Option(names = "--tables", description = "Show which satellites hold each table of the master.")
    private boolean tables;

    @SuppressWarnings("NullAway.Init") // picocli fills the fields
    public StatusCommand() {}

    /** Requires a connection to the middleware: the statements are answered by Multimed, not by an engine. */
    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        try (Connection connection = database.single().connect();
                Statement statement = connection.createStatement()) {
            show(statement, tables ? TABLES : "SHOW MULTIMED STATUS", out);
            if (!tables && !json) {
                out.println(shares(statement));
                unheld(statement).ifPresent(out::println);
            }
            out.flush();
        }
        return 0;
    }

    /** Returns a line that says where the reads of all clients have run since the start. */
    private static String shares(Statement statement) throws SQLException {
        long satellites = 0;
        long master = 0;
        try (ResultSet nodes = statement.executeQuery("SHOW MULTIMED STATUS")) {
            while (nodes.next()) {
                boolean onMaster = "master".equals(nodes.getString("role"));
                master += onMaster ? nodes.getLong("reads") : 0;
                satellites += onMaster ? 0 : nodes.getLong("reads");
            }
        }
        try (ResultSet kept = statement.executeQuery("SHOW MULTIMED CACHE")) {
            long cache = kept.next() ? kept.getLong("hits") : 0;
            double all = Math.max(1, satellites + master + cache) / 100.0;
            return "reads: %.1f %% on satellites, %.1f %% from the cache, %.1f %% on the master"
                    .formatted(satellites / all, cache / all, master / all);
        }
    }

    private void show(Statement statement, String sql, PrintWriter out) throws SQLException {
        try (ResultSet rows = statement.executeQuery(sql)) {
            out.println(json ? json(rows) : Table.report(rows).toString());
        }
    }

    /** Returns a remark on the tables that no satellite holds, which only the master knows. */
    private static Optional<String> unheld(Statement statement) {
        List<String> unheld = new ArrayList<>();
        int all = 0;
        try (ResultSet rows = statement.executeQuery(TABLES)) {
            for (; rows.next(); all++) {
                if (rows.getString("satellites").isEmpty()) {
                    unheld.add(rows.getString("table_name"));
                }
            }
        } catch (SQLException e) {
            return Optional.of("which tables satellites hold cannot be determined: " + e.getMessage());
        }
        return UnheldTables.describe(unheld, all);
    }

    /** Returns a list with one object per row. The names are those of the columns, and values keep their types. */
    private static String json(ResultSet nodes) throws SQLException {
        ObjectMapper mapper = new ObjectMapper();
        ArrayNode list = mapper.createArrayNode();
        while (nodes.next()) {
            ObjectNode node = list.addObject();
            for (int i = 1; i <= nodes.getMetaData().getColumnCount(); i++) {
                node.putPOJO(nodes.getMetaData().getColumnLabel(i), nodes.getObject(i));
            }
        }
        return list.toPrettyString();
    }
}
