package io.multimed.engine.postgresql.connection;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;

/** Ends other sessions on the master, so that their uncommitted transactions never commit. */
public final class PostgresSessions {
    private static final long END_MILLIS = 10_000;

    private PostgresSessions() {}

    /**
     * Returns a condition on pg_stat_activity: sessions that run clients' statements, and Multimed's internal sessions,
     * whose name clients cannot change.
     */
    public static String ours(Connection connection) throws SQLException {
        String named = "application_name = '" + PostgresConnections.APPLICATION + "'";
        String entered =
                "EXISTS (SELECT FROM multimed.session s WHERE s.pid = pg_stat_activity.pid AND s.began = backend_start)";
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT to_regclass('multimed.session') IS NOT NULL")) {
            row.next();
            return "datname = current_database() AND ("
                    + (row.getBoolean(1) ? named + " OR " + entered : named) // otherwise no client has connected yet
                    + ")";
        }
    }

    /**
     * Ends sessions and returns when they are gone, and those that have come instead. A session is listed until its transaction is over, so their outcome is then known.
     *
     * @param which a condition on pg_stat_activity
     * @throws SQLException 55006 if they do not end in time
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
                Queries.end(connection); // within one transaction the list stays the same
                statement.execute("SELECT pg_sleep(0.002)");
                Queries.end(connection);
            }
        }
    }

    private static boolean exists(Statement statement, String these) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT EXISTS (SELECT" + these + ")")) {
            row.next();
            return row.getBoolean(1);
        }
    }
}
