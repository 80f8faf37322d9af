// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.connection;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;

/** Ends other sessions of an engine, so that their uncommitted transactions never commit (architecture 4.7, 6.4). */
public final class PostgresSessions {
    /** Limits the wait for sessions to end. */
    private static final long END_MILLIS = 10_000;

    private PostgresSessions() {}

    /**
     * Returns a condition on pg_stat_activity: sessions that run clients' statements, and Multimed's internal sessions.
     * Clients can change the name of their sessions, but not the rows of multimed.session, which contain the process id
     * and the start time of each session.
     */
    public static String ours(Connection connection) throws SQLException {
        String named = "application_name = '" + PostgresConnections.APPLICATION + "'";
        String entered =
                "EXISTS (SELECT FROM multimed.session s WHERE s.pid = pg_stat_activity.pid AND s.began = backend_start)";
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT to_regclass('multimed.session') IS NOT NULL")) {
            row.next();
            return "datname = current_database() AND ("
                    + (row.getBoolean(1) ? named + " OR " + entered : named) // without the table: no client yet
                    + ")";
        }
    }

    /**
     * Ends sessions, and returns when no session meets the condition any more, including sessions that began meanwhile.
     * pg_stat_activity lists a session until its transaction has ended: after the return the outcomes of all these
     * transactions are final.
     *
     * @param connection not in a transaction whose snapshot or locks are needed: this method commits between its steps
     * @param which a condition on pg_stat_activity, which must exclude the connection's own session
     * @throws SQLException 55006 if the sessions do not end within 10 s
     */
    public static void end(Connection connection, String which) throws SQLException {
        String these = " FROM pg_stat_activity WHERE " + which;
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(END_MILLIS);
        try (Statement statement = connection.createStatement()) {
            while (exists(statement, these)) {
                if (System.nanoTime() > deadline) {
                    throw new SQLException("sessions of an earlier time do not end", "55006");
                }
                statement.execute("SELECT pg_terminate_backend(pid)" + these);
                Queries.end(connection); // pg_stat_activity does not change within a transaction
                statement.execute("SELECT pg_sleep(0.002)");
                Queries.end(connection);
            }
        }
        Queries.end(connection); // of the query that found no session
    }

    private static boolean exists(Statement statement, String these) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT EXISTS (SELECT" + these + ")")) {
            row.next();
            return row.getBoolean(1);
        }
    }
}
