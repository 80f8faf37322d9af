// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.master;

import io.multimed.engine.master.CaptureInstaller;
import io.multimed.engine.postgresql.connection.PostgresConnections;
import io.multimed.engine.postgresql.connection.Queries;
import io.multimed.engine.postgresql.connection.Quoting;
import io.multimed.engine.postgresql.connection.Relations;
import io.multimed.engine.postgresql.connection.ShareableTables;
import io.multimed.engine.writeset.Relation;
import io.multimed.engine.writeset.ReplicatedTables;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;

/**
 * Creates the schema {@code multimed} and the capture triggers on the master (architecture 4.4). The scripts can run
 * again at every start: they keep sealed WriteSets, and replace functions of earlier versions.
 */
public final class PostgresCaptureInstaller implements CaptureInstaller {
    /**
     * Runs all scripts and watches all held tables in one transaction, and commits. Fails with 28000 if the user is
     * called multimed, with 0A000 if the database is not in UTF8 or if a held table has a column that cannot be
     * replicated.
     */
    @Override
    public void install(Connection master, ReplicatedTables held, boolean captureBypassing) throws SQLException {
        try (Statement statement = master.createStatement()) {
            checkUser(master);
            checkEncoding(statement);
            statement.execute(scripts(captureBypassing));
            for (Relation relation : Relations.all(statement)) {
                if (held.includes(relation.schema(), relation.table())) {
                    statement.execute(triggerCall(relation));
                }
            }
        }
        Queries.end(master);
    }

    /** Runs the scripts for satellites that replay the log, without triggers on tables; commits. */
    public static void installForLog(Connection master) throws SQLException {
        try (Statement statement = master.createStatement()) {
            checkUser(master);
            checkEncoding(statement);
            StringBuilder all = new StringBuilder(ShareableTables.install());
            for (String script : List.of("sessions", "refuse", "large", "ddl", "log", "rights")) {
                all.append(PostgresConnections.SCRIPTS.script(script));
            }
            statement.execute(all.toString());
        }
        Queries.end(master);
    }

    /** Commits after each table, so that a lock on one table never delays writers of another one. */
    @Override
    public void captureTables(Connection master, ReplicatedTables held) throws SQLException {
        for (Relation relation : relations(master)) {
            if (held.includes(relation.schema(), relation.table())) {
                try (Statement statement = master.createStatement()) {
                    statement.execute("SET LOCAL lock_timeout = '2s'"); // other writers wait behind this lock
                    statement.execute(triggerCall(relation));
                }
            }
            Queries.end(master);
        }
    }

    /**
     * Returns the scripts in the order in which they depend on each other. The script {@code capture} or {@code refuse}
     * defines what happens to writes that bypass the middleware; {@code rights} runs last, because it sets privileges
     * on everything that the others create.
     */
    private String scripts(boolean captureBypassing) {
        return ShareableTables.install()
                + PostgresConnections.SCRIPTS.script("sessions")
                + PostgresConnections.SCRIPTS.script(captureBypassing ? "capture" : "refuse")
                + PostgresConnections.SCRIPTS.script("large")
                + PostgresConnections.SCRIPTS.script("ddl")
                + PostgresConnections.SCRIPTS.script("rights");
    }

    /**
     * Returns the call that creates the capture triggers of one table. The name of the table is inside a string
     * constant, in which quotes are doubled.
     */
    private String triggerCall(Relation relation) {
        return PostgresConnections.SCRIPTS.script(
                "watch", Map.of("relation", Quoting.table(relation).replace("'", "''")));
    }

    /**
     * Checks the user's name: by PostgreSQL's default search_path, unqualified tables of a user go into the schema that
     * has the user's name.
     */
    private static void checkUser(Connection master) throws SQLException {
        if (master.getMetaData().getUserName().equals("multimed")) {
            throw new SQLException(
                    "the master's user must not be called multimed: its tables would go into the schema that Multimed keeps for itself",
                    "28000");
        }
    }

    /** Checks the encoding: captured changes contain lengths in bytes, and the middleware reads them as UTF-8. */
    private static void checkEncoding(Statement statement) throws SQLException {
        List<String> encoding = Queries.texts(statement, "SHOW server_encoding");
        if (!encoding.contains("UTF8")) {
            throw new SQLException(
                    "the master's database has the encoding %s; Multimed needs UTF8".formatted(encoding.get(0)),
                    "0A000");
        }
    }

    private static List<Relation> relations(Connection master) throws SQLException {
        try (Statement statement = master.createStatement()) {
            return Relations.all(statement);
        }
    }
}
