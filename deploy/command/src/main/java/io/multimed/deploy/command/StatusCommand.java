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
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prints the status of the nodes of a running middleware: the result of SHOW MULTIMED STATUS as a table or as JSON. */
@Command(
        name = "status",
        description = "Show the nodes: state, cores, applied SCN, lag, load.",
        mixinStandardHelpOptions = true)
public final class StatusCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private DatabaseOptions database;

    @Option(names = "--json", description = "Print JSON: a list with one object per node.")
    private boolean json;

    @SuppressWarnings("NullAway.Init") // picocli fills the fields
    public StatusCommand() {}

    /** Requires a connection to the middleware: the statement is answered by Multimed, not by an engine. */
    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        try (Connection connection = database.single().connect();
                Statement statement = connection.createStatement();
                ResultSet nodes = statement.executeQuery("SHOW MULTIMED STATUS")) {
            out.println(json ? json(nodes) : Table.report(nodes).toString());
            if (!json) {
                out.println(shares(connection));
            }
            out.flush();
        }
        return 0;
    }

    /** Returns a line that says where the reads of all clients have run since the start. */
    private static String shares(Connection connection) throws SQLException {
        long satellites = 0;
        long master = 0;
        long cache;
        try (Statement statement = connection.createStatement()) {
            try (ResultSet nodes = statement.executeQuery("SHOW MULTIMED STATUS")) {
                while (nodes.next()) {
                    boolean onMaster = "master".equals(nodes.getString("role"));
                    master += onMaster ? nodes.getLong("reads") : 0;
                    satellites += onMaster ? 0 : nodes.getLong("reads");
                }
            }
            try (ResultSet kept = statement.executeQuery("SHOW MULTIMED CACHE")) {
                cache = kept.next() ? kept.getLong("hits") : 0;
            }
        }
        long all = Math.max(1, satellites + master + cache);
        return "reads: %.1f %% on satellites, %.1f %% from the cache, %.1f %% on the master"
                .formatted(100.0 * satellites / all, 100.0 * cache / all, 100.0 * master / all);
    }

    /** Returns a list with one object per node. The names are those of the columns, and values keep their types. */
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
