// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.master;

import io.multimed.engine.mysql.connection.Queries;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Ends sessions of other connections, so that their open transactions never commit. */
public final class ForeignSessions {
    /** The longest wait for the end of the sessions. */
    private static final long END_MILLIS = 10_000;

    private static final long POLL_MILLIS = 2;

    /** Error number: there is no session with this number. */
    private static final int UNKNOWN_SESSION = 1094;

    private ForeignSessions() {}

    /**
     * Ends sessions and returns when they are gone. The engine lists a session in PROCESSLIST until its transaction is
     * over, so that the outcome of each transaction is known afterwards. Leaves no transaction open.
     *
     * @param which a condition on information_schema.PROCESSLIST; the connection's own session is left alone
     * @throws SQLException 55006 if the sessions do not end in time
     */
    public static void end(Connection connection, String which) throws SQLException {
        String query = "SELECT ID FROM information_schema.PROCESSLIST WHERE ID <> CONNECTION_ID() AND (" + which + ")";
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(END_MILLIS);
        List<String> sessions = Queries.texts(connection, query);
        for (String session : sessions) {
            kill(connection, session);
        }
        String left =
                "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID IN (" + String.join(",", sessions) + ")";
        while (!sessions.isEmpty() && Queries.number(connection, left) > 0) {
            if (System.nanoTime() > deadline) {
                throw new SQLException("sessions of an earlier time do not end", "55006");
            }
            Queries.number(connection, "SELECT SLEEP(" + POLL_MILLIS / 1e3 + ")");
        }
        Queries.end(connection);
    }

    /**
     * Deletes the entries of clients' sessions that have ended. The engine does not use their numbers again before it
     * is restarted. The entries are read before the list of sessions, so that a new session cannot be taken for an
     * ended one. Leaves no transaction open.
     *
     * @param tables that contain the entries
     */
    static void forgetEnded(Connection connection, String... tables) throws SQLException {
        for (String table : tables) {
            List<String> ended = new ArrayList<>(Queries.texts(connection, "SELECT connection FROM " + table));
            Queries.end(connection);
            ended.removeAll(Queries.texts(connection, "SELECT ID FROM information_schema.PROCESSLIST"));
            if (!ended.isEmpty()) {
                Queries.execute(
                        connection,
                        "DELETE FROM %s WHERE connection IN (%s)".formatted(table, String.join(",", ended)));
            }
            Queries.end(connection);
        }
    }

    private static void kill(Connection connection, String session) throws SQLException {
        try {
            Queries.execute(connection, "KILL " + session);
        } catch (SQLException e) {
            if (e.getErrorCode() != UNKNOWN_SESSION) {
                // Otherwise the session has ended by itself.
                throw e;
            }
        }
    }
}
