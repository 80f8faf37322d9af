// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.master;

import io.multimed.engine.master.LogForcing;
import io.multimed.engine.postgresql.connection.Queries;
import io.multimed.engine.writeset.Scn;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/**
 * Forces the master's log once for all earlier commits (architecture 4.2). If {@code synchronous_standby_names} is set
 * and the session's {@code synchronous_commit} requires standbys, a commit forces the log. This commit waits for
 * standbys as the engine's own commits do, without a limit if there are none. Otherwise the log is only flushed.
 */
public final class LogForce implements LogForcing {
    /** The first column of the result of {@link #statement}. */
    public static final String FORCED = "forced";

    /**
     * Evaluated in the statement that uses the result, so that a reload of the master's settings takes effect with the
     * next force.
     */
    private static final String WAITS =
            "pg_catalog.current_setting('synchronous_standby_names') OPERATOR(pg_catalog.<>) '' AND pg_catalog.current_setting('synchronous_commit') OPERATOR(pg_catalog.=) ANY ('{remote_write,on,remote_apply}'::pg_catalog.text[])";

    private static final String NOT_FLUSHED =
            "pg_catalog.pg_current_wal_flush_lsn() OPERATOR(pg_catalog.<) pg_catalog.pg_current_wal_insert_lsn()";

    /**
     * Selects whether {@link #forceLog} has something to do, and first does it, if the engine can flush in a statement.
     * Nothing is in the log after a flush that must wait for standbys.
     */
    private static final String FLUSH_NOW = "CASE WHEN " + WAITS + " THEN true WHEN " + NOT_FLUSHED
            + " THEN pg_catalog.pg_logical_emit_message(false, '', '', true) IS NULL ELSE false END";

    /**
     * Writes an empty message into the log. The message is flushed immediately, or belongs to the transaction, whose
     * commit then waits for standbys. The statement writes no message if the engine has already flushed all of the log,
     * for example at the commit of a DROP.
     */
    private static final String FLUSH = "SELECT pg_catalog.pg_logical_emit_message(" + WAITS
            + ", '', '', true) AS forced WHERE " + WAITS + " OR " + NOT_FLUSHED;

    /** Before version 17 only a commit flushes. The statement raises synchronous_commit if it is off. */
    private static final String COMMIT = "SELECT pg_catalog.pg_logical_emit_message(true, '', '') AS forced,"
            + " CASE WHEN pg_catalog.current_setting('synchronous_commit') OPERATOR(pg_catalog.=) 'off' THEN pg_catalog.set_config('synchronous_commit', 'local', true) END"
            + " WHERE " + WAITS + " OR " + NOT_FLUSHED;

    /** Shows the setting and the number of connected standbys; no row if no standbys are named. */
    private static final String STANDBYS =
            "SELECT setting, (SELECT count(*) FROM pg_stat_replication) FROM pg_settings WHERE name = 'synchronous_standby_names' AND setting <> ''";

    /**
     * Runs one statement in auto-commit. Fails with 57014 if the wait for standbys was canceled: the commits are not on
     * the standbys.
     */
    @Override
    public Scn forceLog(Connection master) throws SQLException {
        try (PreparedStatement force = master.prepareStatement(statement(master))) {
            force.execute();
            requireStandbys(force);
            return Scn.ZERO;
        }
    }

    /**
     * Fails with 57014 if the wait for standbys at the commit of the statement was canceled: the engine reports only a
     * warning.
     */
    public static void requireStandbys(PreparedStatement forced) throws SQLException {
        if (forced.getWarnings() != null) {
            throw new SQLException(forced.getWarnings().getMessage(), "57014");
        }
    }

    @Override
    public Optional<String> describeWait(Connection master) throws SQLException {
        Optional<String> standbys = standbys(master);
        Queries.end(master);
        return standbys;
    }

    /** Returns a message that explains the wait for standbys; empty if commits do not wait for any. */
    private static Optional<String> standbys(Connection master) throws SQLException {
        try (Statement statement = master.createStatement();
                ResultSet row = statement.executeQuery(STANDBYS)) {
            return row.next()
                    ? Optional.of(
                            "commits wait for standbys: synchronous_standby_names is \"%s\", and %d standbys are connected; start the missing standbys, or change the setting on the master and reload it"
                                    .formatted(row.getString(1), row.getInt(2)))
                    : Optional.empty();
        }
    }

    /** Returns the statement, whose commit is part of the force. Its result has a row if something had to be forced. */
    public static String statement(Connection master) throws SQLException {
        return flushesInStatements(master) ? FLUSH : COMMIT;
    }

    private static boolean flushesInStatements(Connection master) throws SQLException {
        return master.getMetaData().getDatabaseMajorVersion() >= 17;
    }

    /**
     * Returns an expression that forces the log if the engine can do so in a statement, and is true if {@link
     * #forceLog} must still be called. The expressions behind it in the same list of columns see the log forced.
     */
    public static String expression(Connection master) throws SQLException {
        return flushesInStatements(master) ? FLUSH_NOW : "(" + WAITS + " OR " + NOT_FLUSHED + ")";
    }
}
