package io.multimed.middleware.dispatcher;

import io.multimed.middleware.extraction.Receipt;
import io.multimed.middleware.extraction.SessionFate;
import io.multimed.middleware.node.Lease;
import io.multimed.middleware.node.engine.UntoldChange;
import io.multimed.middleware.node.engine.sql.SchemaChange;
import io.multimed.middleware.writeset.Scn;
import io.multimed.middleware.writeset.WriteSet;
import io.multimed.protocol.Response;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Work of one client's that the engine does outside of transactions only, most of all DDL where that commits by itself. */
final class SchemaWork {
    private static final String MASTERS_ALONE = "0A000";

    private final Dispatcher dispatcher;
    private final TransactionState transaction;
    private final MasterSession session;
    private final MasterCommits commits;
    private final MasterAnswers answers;

    SchemaWork(
            Dispatcher dispatcher,
            TransactionState transaction,
            MasterSession session,
            MasterCommits commits,
            MasterAnswers answers) {
        this.dispatcher = dispatcher;
        this.transaction = transaction;
        this.session = session;
        this.commits = commits;
        this.answers = answers;
    }

    /**
     * Runs a statement that the engine executes only outside of transactions; its schema change is sent to the
     * satellites immediately afterwards.
     */
    void run(Work work) {
        Lease own = transaction.leaseOrNull();
        if (own != null) {
            own.run(() -> runUntransacted(own, work, true));
        } else {
            session.lease(work, false, lease -> runUntransacted(lease, work, false));
        }
    }

    /**
     * For statements that the engine commits by itself: first removes the affected tables from the satellites, then
     * runs the statement.
     */
    private void runUntransacted(Lease lease, Work work, boolean pinned) {
        SchemaChange change = work.verdict().schemaChange();
        try {
            lease.connection().setAutoCommit(false);
            if (change != null && dispatcher.master().store().announceSchema(lease.connection(), change)) {
                orderAnnouncement(lease, work, pinned);
                return;
            }
        } catch (SQLException | RuntimeException e) {
            Exception lost = MasterSession.whatFailed(lease, e);
            session.giveBack(lease, pinned, lost);
            answers.tellWhenPublished(work.reply(), answers.uncommitted(lost));
            return;
        }
        runAnnounced(lease, work, pinned);
    }

    private void orderAnnouncement(Lease lease, Work work, boolean pinned) {
        Receipt own =
                new Receipt(work.receipt().sessionId(), -1 - work.receipt().sequence()); // no request's
        MasterCommit.Outcome outcome = new MasterCommit.Outcome() {
            @Override
            public void committed(Scn scn) {
                lease.run(() -> runAnnounced(lease, work, pinned));
            }

            @Override
            public void changed(WriteSet writeSet) {
                dispatcher.noteSchema(writeSet);
            }

            @Override
            public void failed(SQLException cause) {
                lease.run(() -> session.giveBack(lease, pinned, cause));
                work.reply().send(answers.error(cause));
            }
        };
        dispatcher
                .master()
                .order()
                .commit(new MasterCommit(
                        lease, () -> {}, dispatcher.master().extractor(), own, new SessionFate(true), true, outcome));
    }

    private void runAnnounced(Lease lease, Work work, boolean pinned) {
        int engineSession = lease.node().engine().session(lease.connection());
        SQLException failure = null;
        Response result = null;
        try {
            lease.connection().setAutoCommit(true);
            dispatcher.master().tellLater(lease.connection(), true);
            try {
                result = runUntransacted(lease.connection(), work);
            } catch (SQLException e) {
                failure = e;
                if (session.isBroken(e) || work.verdict().schemaChange() == null) {
                    throw e;
                }
            } finally {
                dispatcher.master().tellLater(lease.connection(), false);
            }
            lease.connection().setAutoCommit(false);
            tell(lease, work, engineSession);
        } catch (SQLException | RuntimeException e) {
            Exception lost = MasterSession.whatFailed(lease, e);
            if (session.isBroken(lost)) {
                tellLater(work, engineSession, true);
            }
            session.giveBack(lease, pinned, lost);
            answers.tellWhenPublished(work.reply(), answers.undecided(lost));
            return;
        }
        orderUntransacted(lease, work, result, failure, engineSession);
    }

    /**
     * Records the schema change for the satellites. The statement has taken effect, or has failed for good: its client
     * receives no error if the change only cannot be sent to the satellites yet.
     */
    private void tell(Lease lease, Work work, int engineSession) throws SQLException {
        Connection connection = lease.connection();
        try {
            dispatcher.master().store().tellSchema(connection, work.verdict().schemaChange());
        } catch (SQLException e) {
            if (isMastersAlone(e) || session.isBroken(MasterSession.whatFailed(lease, e))) {
                throw e;
            }
            connection.rollback();
            tellLater(work, engineSession, false);
        }
    }

    /** Whether the failure means that the table cannot be replicated, so that it exists on the master only. */
    static boolean isMastersAlone(Exception failure) {
        return failure instanceof SQLException sql && MASTERS_ALONE.equals(sql.getSQLState());
    }

    private void tellLater(Work work, int engineSession, boolean lost) {
        Set<Integer> sessions = engineSession == 0 ? Set.of() : Set.of(engineSession);
        dispatcher
                .lateTellings()
                .add(new UntoldChange(
                        work.verdict().schemaChange(),
                        work.receipt().sessionId(),
                        sessions,
                        lost ? sessions : Set.of()));
    }

    private Response runUntransacted(Connection connection, Work work) throws SQLException {
        if (!transaction.isReadOnlyBySql()) {
            return work.run(connection, true);
        }
        dispatcher.dialect().forbidCommitted(connection, true);
        try {
            return work.run(connection, true);
        } finally {
            dispatcher.dialect().forbidCommitted(connection, false);
        }
    }

    private void orderUntransacted(
            Lease lease, Work work, @Nullable Response result, @Nullable SQLException failure, int engineSession) {
        commits.order(
                lease,
                work.receipt(),
                work.reply(),
                work.verdict().schemaChange() != null,
                status -> result == null
                        ? answers.error(Objects.requireNonNull(failure), status)
                        : Work.with(result, status),
                () -> tellLater(work, engineSession, false));
    }
}
