// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.execution;

import io.multimed.engine.extraction.SessionFate;
import io.multimed.engine.master.MasterStore;
import io.multimed.engine.master.UnrecordedDdl;
import io.multimed.engine.sql.SchemaChange;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.protocol.response.Response;
import io.multimed.server.dispatcher.request.StatementTask;
import io.multimed.server.dispatcher.session.ClientContext;
import io.multimed.server.dispatcher.session.TransactionState;
import io.multimed.server.node.ConnectionFailures;
import io.multimed.server.node.Lease;
import io.multimed.server.observation.Phase;
import io.multimed.server.observation.PhaseClock;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Runs statements of one client that the engine executes only outside of transactions, most of all DDL that the engine
 * commits by itself.
 *
 * <p>States: announced (satellites do not answer for the affected tables) - executed on the master - recorded in a
 * WriteSet - committed in the commit order. A step that fails after the announcement leaves the rest to {@link
 * PendingDdl}.
 */
final class DdlExecutor {
    private final ServerContext server;
    private final TransactionState transaction;
    private final MasterSession session;
    private final CommitExecutor commits;
    private final MasterReplies replies;
    private final PhaseClock clock;

    /** Whether the client's own connection does not announce and record its schema changes, even if not pinned. */
    private final boolean separate;

    private final SeparateDdlExecutor separately;

    DdlExecutor(
            ClientContext client,
            ServerContext server,
            MasterSession session,
            CommitExecutor commits,
            MasterReplies replies) {
        this.server = server;
        this.transaction = client.transaction();
        this.clock = client.clock();
        this.session = session;
        this.commits = commits;
        this.replies = replies;
        this.separate = client.role() != null && server.master().node().engine().recordsDdlApart();
        this.separately = new SeparateDdlExecutor(client, server, session, replies);
    }

    /**
     * One execution of a statement.
     *
     * @param change null if no change of the schema is to be announced and recorded
     * @param pinned whether the client keeps the connection
     * @param number names the statement, for {@link io.multimed.engine.master.MasterStore}
     * @param engineSession the engine's number of the connection's session
     */
    private record DdlStatement(
            Lease lease,
            StatementTask task,
            @Nullable SchemaChange change,
            boolean pinned,
            long number,
            int engineSession) {}

    /** Runs a statement outside of transactions; its schema change is sent to the satellites immediately afterwards. */
    void executeDdl(StatementTask task) {
        SchemaChange change = task.classification().schemaChange();
        Lease own = transaction.leaseOrNull();
        if (own != null) {
            clock.enter(Phase.QUEUE);
            own.submit(() -> session.guard(own, task.reply(), () -> runPinned(own, task, change)));
        } else if (change != null && separate) {
            separately.executeSeparately(task, change);
        } else {
            session.lease(task, false, lease -> runNonTransactional(ddl(lease, task, change, false)));
        }
    }

    private void runPinned(Lease own, StatementTask task, @Nullable SchemaChange change) {
        SchemaChange permanent = change == null ? null : store().ddl().withoutTemporary(own.connection(), change);
        if (permanent != null && own.node().engine().recordsDdlApart()) {
            separately.executeSeparately(task, permanent);
        } else {
            runNonTransactional(ddl(own, task, permanent, true));
        }
    }

    private DdlStatement ddl(Lease lease, StatementTask task, @Nullable SchemaChange change, boolean pinned) {
        int engineSession = lease.node().engine().session(lease.connection());
        return new DdlStatement(lease, task, change, pinned, server.pendingDdl().nextStatement(), engineSession);
    }

    private MasterStore store() {
        return server.master().store();
    }

    /**
     * Announces the schema change of a statement that the engine commits by itself, which removes the affected tables
     * from the satellites, and then runs the statement.
     */
    private void runNonTransactional(DdlStatement ddl) {
        Lease lease = ddl.lease();
        SchemaChange change = ddl.change();
        try {
            session.watchIfDue(lease);
            lease.connection().setAutoCommit(false);
            if (change != null && store().ddl().announceDdl(lease.connection(), change, ddl.number())) {
                orderAnnouncement(ddl);
                return;
            }
        } catch (SQLException | RuntimeException e) {
            Exception lost = ConnectionFailures.actualFailure(lease, e);
            if (change != null && session.isBroken(lost)) {
                recordLater(ddl, true); // the announcement may have been committed
            }
            session.undo(lease, ddl.pinned(), lost);
            replies.replyWhenPublished(ddl.task().reply(), replies.uncommitted(lost));
            return;
        }
        runAnnounced(ddl);
    }

    private void orderAnnouncement(DdlStatement ddl) {
        Lease lease = ddl.lease();
        TransactionCommit.Outcome outcome = new TransactionCommit.Outcome() {
            @Override
            public void committed(Scn scn) {
                lease.submit(() -> session.guard(lease, ddl.task().reply(), () -> runAnnounced(ddl)));
            }

            @Override
            public void changed(WriteSet writeSet) {
                server.schema().committed(writeSet);
            }

            @Override
            public void failed(SQLException cause) {
                recordLater(ddl, session.isBroken(cause));
                lease.submit(() -> session.undo(lease, ddl.pinned(), cause));
                ddl.task().reply().send(replies.error(cause));
            }
        };
        clock.enter(Phase.COMMIT_GROUP);
        server.master()
                .order()
                .commit(new TransactionCommit(
                        lease,
                        () -> {},
                        server.master().extractor(),
                        server.receipts().next(),
                        new SessionFate(true),
                        true,
                        outcome));
    }

    private void runAnnounced(DdlStatement ddl) {
        Lease lease = ddl.lease();
        SQLException failure = null;
        Response result = null;
        try {
            lease.connection().setAutoCommit(true);
            server.master().deferDdl(lease.connection(), true);
            try {
                result = runStatement(lease, ddl.task());
            } catch (SQLException e) {
                failure = e;
                if (session.isBroken(e) || ddl.change() == null) {
                    throw e;
                }
            } finally {
                if (ddl.task().classification().schemaChange() == null) {
                    server.schema().privilegesChanged(); // the statement may be GRANT or REVOKE
                } else {
                    server.schema().changed();
                }
                server.master().deferDdl(lease.connection(), false);
            }
            lease.connection().setAutoCommit(false);
            recordDefinition(ddl);
        } catch (SQLException | RuntimeException e) {
            abandon(ddl, ConnectionFailures.actualFailure(lease, e));
            return;
        }
        orderNonTransactional(ddl, result, failure);
    }

    private void abandon(DdlStatement ddl, Exception failure) {
        boolean broken = session.isBroken(failure);
        if (broken || (ddl.change() != null && !PendingDdl.isUnreplicable(failure))) {
            recordLater(ddl, broken);
        }
        session.undo(ddl.lease(), ddl.pinned(), failure);
        replies.replyWhenPublished(ddl.task().reply(), replies.undecided(failure));
    }

    /**
     * Records the schema change for the satellites. The statement has taken effect, or has failed for good. The client
     * receives no error if only the change cannot be recorded yet.
     */
    private void recordDefinition(DdlStatement ddl) throws SQLException {
        Connection connection = ddl.lease().connection();
        try {
            store().ddl().recordDdl(connection, ddl.change(), ddl.number());
        } catch (SQLException e) {
            if (PendingDdl.isUnreplicable(e) || session.isBroken(ConnectionFailures.actualFailure(ddl.lease(), e))) {
                throw e;
            }
            connection.rollback();
            recordLater(ddl, false);
        }
    }

    private void recordLater(DdlStatement ddl, boolean lost) {
        Set<Integer> sessions = ddl.engineSession() == 0 ? Set.of() : Set.of(ddl.engineSession());
        server.pendingDdl()
                .add(new UnrecordedDdl(
                        ddl.change(),
                        Set.of(ddl.number()),
                        ddl.task().receipt().sessionId(),
                        sessions,
                        lost ? sessions : Set.of()));
    }

    private Response runStatement(Lease lease, StatementTask task) throws SQLException {
        if (!transaction.modes().isReadOnly()) {
            return session.executeOutside(lease, task);
        }
        server.dialect().transactions().forbidCommitted(lease.connection(), true);
        try {
            return session.executeOutside(lease, task);
        } finally {
            server.dialect().transactions().forbidCommitted(lease.connection(), false);
        }
    }

    private void orderNonTransactional(DdlStatement ddl, @Nullable Response result, @Nullable SQLException failure) {
        commits.order(
                ddl.lease(),
                ddl.task().receipt(),
                ddl.task().reply(),
                ddl.change() != null,
                status -> result == null
                        ? replies.error(Objects.requireNonNull(failure), status)
                        : result.withStatus(status),
                () -> recordLater(ddl, false));
    }
}
