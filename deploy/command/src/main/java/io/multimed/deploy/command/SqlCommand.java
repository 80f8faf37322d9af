// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.command;

import io.multimed.deploy.terminal.Table;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs an SQL statement on any database and prints its results. The exit code is 1 if the statement fails. */
@Command(
        name = "sql",
        description = {
            "Run an SQL statement and print its result.",
            "The statement is not prepared: the result cache keeps no result of it."
        },
        footer = {
            "  multimed sql \"SELECT 1\"",
            "  multimed sql --read-only \"SELECT count(*) FROM book\"",
            "  multimed sql \"EXPLAIN ROUTE SELECT 1\""
        },
        mixinStandardHelpOptions = true)
public final class SqlCommand implements Callable<Integer> {
    /** The position of an error, as an engine's driver may append it to the message. */
    private static final Pattern POSITION = Pattern.compile("Position: (\\d+)");

    @Spec
    private CommandSpec spec;

    @Mixin
    private DatabaseOptions database;

    @Option(names = "--read-only", description = "Run the statement in a read-only transaction.")
    private boolean readOnly;

    @Parameters(description = "The SQL statement.")
    private String sql;

    @SuppressWarnings("NullAway.Init") // picocli fills the fields
    public SqlCommand() {}

    /**
     * Opens a connection for this statement only. An error of the connection or of the statement is printed here, with
     * its SQLState; an error in the options is thrown.
     */
    @Override
    public Integer call() throws Exception {
        try (Connection connection = database.single().connect();
                Statement statement = connection.createStatement()) {
            connection.setReadOnly(readOnly);
            print(statement, statement.execute(sql));
            return 0;
        } catch (SQLException e) {
            explain(e);
            return 1;
        }
    }

    /** Prints all results of the statement, as JDBC delivers them: tables and row counts. */
    private void print(Statement statement, boolean first) throws SQLException {
        PrintWriter out = spec.commandLine().getOut();
        for (boolean rows = first; rows || statement.getUpdateCount() >= 0; rows = statement.getMoreResults()) {
            if (rows) {
                try (ResultSet results = statement.getResultSet()) {
                    out.print(Table.of(results));
                }
            } else {
                out.printf("%d changed%n", statement.getUpdateCount());
            }
        }
        out.flush();
    }

    /** Prints the error, with a mark below the position in the statement if the engine reports one. */
    private void explain(SQLException failure) {
        PrintWriter err = spec.commandLine().getErr();
        Matcher position = POSITION.matcher(String.valueOf(failure.getMessage()));
        if (position.find() && !sql.contains("\n")) {
            err.println(sql);
            err.println(" ".repeat(Math.max(0, Integer.parseInt(position.group(1)) - 1)) + "^");
        }
        err.println(ErrorPrinter.withCauses(failure));
        err.println("SQLState " + failure.getSQLState());
    }
}
