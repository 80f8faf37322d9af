package io.multimed.server.dispatcher.execution;

import io.multimed.engine.extraction.SessionFate;
import io.multimed.engine.master.MasterStore;
import io.multimed.engine.master.UnrecordedDdl;
import io.multimed.engine.sql.SchemaChange;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.protocol.Response;
import io.multimed.server.dispatcher.request.StatementTask;
import io.multimed.server.dispatcher.session.TransactionState;
import io.multimed.server.node.Lease;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Work of one client's that the engine does outside of transactions only, most of all DDL where that commits by itself. */
final class DdlExecutor {
    private static final String MASTERS_ALONE = "0A000";

    private final ServerContext server;
    private final TransactionState transaction;
    private final MasterSession session;
    private final CommitExecutor commits;
    private final MasterReplies replies;

    DdlExecutor(
            ServerContext server,
            TransactionState transaction,
            MasterSession session,
            CommitExecutor commits,
            MasterReplies replies) {
        this.server = server;
        this.transaction = transaction;
        this.session = session;
        this.commits = commits;
        this.replies = replies;
    }

    /**
     * One statement.
     *
     * @param pinned whether the client keeps the connection
     * @param number names the statement, for {@link io.multimed.engine.master.MasterStore}
     * @param engineSession the connection's, by the engine's own number
     */
    private record DdlStatement(Lease lease, StatementTask task, boolean pinned, long number, int engineSession) {
        @Nullable
        SchemaChange change() {
            return task.classification().schemaChange();
        }
    }

    /**
     * Runs a statement that the engine executes only outside of transactions; its schema change is sent to the
     * satellites immediately afterwards.
     */
    void run(StatementTask task) {
        Lease own = transaction.leaseOrNull();
        if (own != null) {
            own.run(() -> session.guard(own, task.reply(), () -> runUntransacted(ddl(own, task, true))));
        } else {
            session.lease(task, false, lease -> runUntransacted(ddl(lease, task, false)));
        }
    }

    private DdlStatement ddl(Lease lease, StatementTask task, boolean pinned) {
        int engineSession = lease.node().engine().session(lease.connection());
        return new DdlStatement(lease, task, pinned, server.pendingDdl().nextStatement(), engineSession);
    }

    private MasterStore store() {
        return server.master().store();
    }

    /**
     * For statements that the engine commits by itself: first removes the affected tables from the satellites, then
     * runs the statement.
     */
    private void runUntransacted(DdlStatement ddl) {
        Lease lease = ddl.lease();
        SchemaChange change = ddl.change();
        try {
            lease.connection().setAutoCommit(false);
            if (change != null && store().announceDdl(lease.connection(), change, ddl.number())) {
                orderAnnouncement(ddl);
                return;
            }
        } catch (SQLException | RuntimeException e) {
            Exception lost = MasterSession.whatFailed(lease, e);
            if (change != null && session.isBroken(lost)) {
                tellLater(ddl, true); // the announcement may have been committed
            }
            session.giveBack(lease, ddl.pinned(), lost);
            replies.tellWhenPublished(ddl.task().reply(), replies.uncommitted(lost));
            return;
        }
        runAnnounced(ddl);
    }

    private void orderAnnouncement(DdlStatement ddl) {
        Lease lease = ddl.lease();
        TransactionCommit.Outcome outcome = new TransactionCommit.Outcome() {
            @Override
            public void committed(Scn scn) {
                lease.run(() -> session.guard(lease, ddl.task().reply(), () -> runAnnounced(ddl)));
            }

            @Override
            public void changed(WriteSet writeSet) {
                server.schema().committed(writeSet);
            }

            @Override
            public void failed(SQLException cause) {
                tellLater(ddl, session.isBroken(cause));
                lease.run(() -> session.giveBack(lease, ddl.pinned(), cause));
                ddl.task().reply().send(replies.error(cause));
            }
        };
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
                result = runUntransacted(lease.connection(), ddl.task());
            } catch (SQLException e) {
                failure = e;
                if (session.isBroken(e) || ddl.change() == null) {
                    throw e;
                }
            } finally {
                server.master().deferDdl(lease.connection(), false);
            }
            lease.connection().setAutoCommit(false);
            tell(ddl);
        } catch (SQLException | RuntimeException e) {
            stopAfter(ddl, MasterSession.whatFailed(lease, e));
            return;
        }
        orderUntransacted(ddl, result, failure);
    }

    private void stopAfter(DdlStatement ddl, Exception failure) {
        boolean broken = session.isBroken(failure);
        if (broken || (ddl.change() != null && !isMastersAlone(failure))) {
            tellLater(ddl, broken);
        }
        session.giveBack(ddl.lease(), ddl.pinned(), failure);
        replies.tellWhenPublished(ddl.task().reply(), replies.undecided(failure));
    }

    /**
     * Records the schema change for the satellites. The statement has taken effect, or has failed for good: its client
     * receives no error if the change only cannot be sent to the satellites yet.
     */
    private void tell(DdlStatement ddl) throws SQLException {
        Connection connection = ddl.lease().connection();
        try {
            store().recordDdl(connection, ddl.change(), ddl.number());
        } catch (SQLException e) {
            if (isMastersAlone(e) || session.isBroken(MasterSession.whatFailed(ddl.lease(), e))) {
                throw e;
            }
            connection.rollback();
            tellLater(ddl, false);
        }
    }

    /** Whether the failure means that the table cannot be replicated, so that it exists on the master only. */
    static boolean isMastersAlone(Exception failure) {
        return failure instanceof SQLException sql && MASTERS_ALONE.equals(sql.getSQLState());
    }

    private void tellLater(DdlStatement ddl, boolean lost) {
        Set<Integer> sessions = ddl.engineSession() == 0 ? Set.of() : Set.of(ddl.engineSession());
        server.pendingDdl()
                .add(new UnrecordedDdl(
                        ddl.change(),
                        Set.of(ddl.number()),
                        ddl.task().receipt().sessionId(),
                        sessions,
                        lost ? sessions : Set.of()));
    }

    private Response runUntransacted(Connection connection, StatementTask task) throws SQLException {
        if (!transaction.isReadOnlyBySql()) {
            return task.run(connection, true);
        }
        server.dialect().forbidCommitted(connection, true);
        try {
            return task.run(connection, true);
        } finally {
            server.dialect().forbidCommitted(connection, false);
        }
    }

    private void orderUntransacted(DdlStatement ddl, @Nullable Response result, @Nullable SQLException failure) {
        commits.order(
                ddl.lease(),
                ddl.task().receipt(),
                ddl.task().reply(),
                ddl.change() != null,
                status -> result == null
                        ? replies.error(Objects.requireNonNull(failure), status)
                        : result.withStatus(status),
                () -> tellLater(ddl, false));
    }
}
