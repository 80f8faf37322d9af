// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.master;

import io.multimed.engine.master.DdlCapture;
import io.multimed.engine.master.Fencing;
import io.multimed.engine.master.UnrecordedDdl;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.sql.SchemaChange;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Announces and records DDL by {@link DdlPropagation}: these engines have no event triggers, so that the middleware
 * derives the change from the statement and the catalog.
 */
public final class MySqlDdlCapture implements DdlCapture {
    private static final Fencing FENCING = new MySqlFencing();

    /** SQLState of tables that cannot be replicated. */
    private static final String UNREPLICABLE = "0A000";

    /** The longest wait for a lock, in seconds, when pending DDL is recorded; other sessions queue behind this wait. */
    private static final int PENDING_SECONDS = 2;

    /** The longest wait for a lock, in seconds, before the change becomes pending; the client waits meanwhile. */
    private static final int RECORD_SECONDS = 10;

    /**
     * Always fails: only statements of Multimed's own reach satellites as text, see {@code multimed.tell_statement}.
     *
     * @throws SQLException 0A000
     */
    @Override
    public void shareStatement(Connection openTransaction, String statement) throws SQLException {
        throw new SQLException("a statement that every node runs for itself is not supported on this engine", "0A000");
    }

    @Override
    public @Nullable SchemaChange withoutTemporary(Connection session, SchemaChange change) {
        return TemporaryTables.removeFrom(change, session);
    }

    @Override
    public boolean announceDdl(Connection openTransaction, SchemaChange change, long statement) throws SQLException {
        return DdlPropagation.announce(openTransaction, change, statement);
    }

    /** Does nothing: the engine does not record DDL by itself, so that nothing is to be deferred. */
    @Override
    public void deferDdl(Connection master, boolean later, long epoch) {}

    @Override
    public void recordDdl(Connection openTransaction, @Nullable SchemaChange change, long statement)
            throws SQLException {
        DdlPropagation.tell(openTransaction, change, Set.of(statement), RECORD_SECONDS);
    }

    /** Ends the sessions whose connections were lost first: such a session may still be running its statement. */
    @Override
    public boolean announcePendingDdl(Connection openTransaction, UnrecordedDdl untold) throws SQLException {
        FENCING.endSessions(openTransaction, untold.lost());
        return DdlPropagation.announce(openTransaction, untold.change(), untold.statements());
    }

    /**
     * Deletes the intents of all sessions that ran the statements, because the change is now recorded for all of them.
     */
    @Override
    public void recordPendingDdl(Connection openTransaction, UnrecordedDdl untold) throws SQLException {
        try {
            DdlPropagation.tell(openTransaction, untold.change(), untold.statements(), PENDING_SECONDS);
        } catch (SQLException e) {
            if (UNREPLICABLE.equals(e.getSQLState())) { // everything else is recorded and committed
                forgetIntents(openTransaction, untold);
                openTransaction.commit();
            }
            throw e;
        }
        forgetIntents(openTransaction, untold);
    }

    private static void forgetIntents(Connection openTransaction, UnrecordedDdl untold) throws SQLException {
        String sessions =
                "(0" + untold.sessions().stream().map(session -> "," + session).collect(Collectors.joining()) + ")";
        Queries.execute(openTransaction, "DELETE FROM multimed.intent WHERE connection IN " + sessions);
    }
}
