package io.multimed.server.dispatcher.execution;

import io.multimed.engine.MasterStore;
import io.multimed.engine.UntoldChange;
import io.multimed.engine.extraction.SessionFate;
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
     * @param number names the statement, for {@link io.multimed.engine.MasterStore}
     * @param engineSession the connection's, by the engine's own number
     */
    private record Task(Lease lease, StatementTask work, boolean pinned, long number, int engineSession) {
        @Nullable
        SchemaChange change() {
            return work.classification().schemaChange();
        }
    }

    /**
     * Runs a statement that the engine executes only outside of transactions; its schema change is sent to the
     * satellites immediately afterwards.
     */
    void run(StatementTask work) {
        Lease own = transaction.leaseOrNull();
        if (own != null) {
            own.run(() -> session.guard(own, work.reply(), () -> runUntransacted(task(own, work, true))));
        } else {
            session.lease(work, false, lease -> runUntransacted(task(lease, work, false)));
        }
    }

    private Task task(Lease lease, StatementTask work, boolean pinned) {
        int engineSession = lease.node().engine().session(lease.connection());
        return new Task(lease, work, pinned, server.pendingDdl().nextStatement(), engineSession);
    }

    private MasterStore store() {
        return server.master().store();
    }

    /**
     * For statements that the engine commits by itself: first removes the affected tables from the satellites, then
     * runs the statement.
     */
    private void runUntransacted(Task task) {
        Lease lease = task.lease();
        SchemaChange change = task.change();
        try {
            lease.connection().setAutoCommit(false);
            if (change != null && store().announceSchema(lease.connection(), change, task.number())) {
                orderAnnouncement(task);
                return;
            }
        } catch (SQLException | RuntimeException e) {
            Exception lost = MasterSession.whatFailed(lease, e);
            if (change != null && session.isBroken(lost)) {
                tellLater(task, true); // the announcement may have been committed
            }
            session.giveBack(lease, task.pinned(), lost);
            replies.tellWhenPublished(task.work().reply(), replies.uncommitted(lost));
            return;
        }
        runAnnounced(task);
    }

    private void orderAnnouncement(Task task) {
        Lease lease = task.lease();
        TransactionCommit.Outcome outcome = new TransactionCommit.Outcome() {
            @Override
            public void committed(Scn scn) {
                lease.run(() -> session.guard(lease, task.work().reply(), () -> runAnnounced(task)));
            }

            @Override
            public void changed(WriteSet writeSet) {
                server.schema().committed(writeSet);
            }

            @Override
            public void failed(SQLException cause) {
                tellLater(task, session.isBroken(cause));
                lease.run(() -> session.giveBack(lease, task.pinned(), cause));
                task.work().reply().send(replies.error(cause));
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

    private void runAnnounced(Task task) {
        Lease lease = task.lease();
        SQLException failure = null;
        Response result = null;
        try {
            lease.connection().setAutoCommit(true);
            server.master().tellLater(lease.connection(), true);
            try {
                result = runUntransacted(lease.connection(), task.work());
            } catch (SQLException e) {
                failure = e;
                if (session.isBroken(e) || task.change() == null) {
                    throw e;
                }
            } finally {
                server.master().tellLater(lease.connection(), false);
            }
            lease.connection().setAutoCommit(false);
            tell(task);
        } catch (SQLException | RuntimeException e) {
            stopAfter(task, MasterSession.whatFailed(lease, e));
            return;
        }
        orderUntransacted(task, result, failure);
    }

    private void stopAfter(Task task, Exception failure) {
        boolean broken = session.isBroken(failure);
        if (broken || (task.change() != null && !isMastersAlone(failure))) {
            tellLater(task, broken);
        }
        session.giveBack(task.lease(), task.pinned(), failure);
        replies.tellWhenPublished(task.work().reply(), replies.undecided(failure));
    }

    /**
     * Records the schema change for the satellites. The statement has taken effect, or has failed for good: its client
     * receives no error if the change only cannot be sent to the satellites yet.
     */
    private void tell(Task task) throws SQLException {
        Connection connection = task.lease().connection();
        try {
            store().tellSchema(connection, task.change(), task.number());
        } catch (SQLException e) {
            if (isMastersAlone(e) || session.isBroken(MasterSession.whatFailed(task.lease(), e))) {
                throw e;
            }
            connection.rollback();
            tellLater(task, false);
        }
    }

    /** Whether the failure means that the table cannot be replicated, so that it exists on the master only. */
    static boolean isMastersAlone(Exception failure) {
        return failure instanceof SQLException sql && MASTERS_ALONE.equals(sql.getSQLState());
    }

    private void tellLater(Task task, boolean lost) {
        Set<Integer> sessions = task.engineSession() == 0 ? Set.of() : Set.of(task.engineSession());
        server.pendingDdl()
                .add(new UntoldChange(
                        task.change(),
                        Set.of(task.number()),
                        task.work().receipt().sessionId(),
                        sessions,
                        lost ? sessions : Set.of()));
    }

    private Response runUntransacted(Connection connection, StatementTask work) throws SQLException {
        if (!transaction.isReadOnlyBySql()) {
            return work.run(connection, true);
        }
        server.dialect().forbidCommitted(connection, true);
        try {
            return work.run(connection, true);
        } finally {
            server.dialect().forbidCommitted(connection, false);
        }
    }

    private void orderUntransacted(Task task, @Nullable Response result, @Nullable SQLException failure) {
        commits.order(
                task.lease(),
                task.work().receipt(),
                task.work().reply(),
                task.change() != null,
                status -> result == null
                        ? replies.error(Objects.requireNonNull(failure), status)
                        : result.withStatus(status),
                () -> tellLater(task, false));
    }
}
