package io.multimed.server.dispatcher;

import io.multimed.engine.ErrorClassifier.AfterError;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.protocol.Executed;
import io.multimed.protocol.Response;
import io.multimed.protocol.session.Route;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.server.node.ComputationalNode;
import io.multimed.server.node.Lease;
import io.multimed.server.propagation.Publisher;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs one session's work on the master. The end of a transaction is answered only when all groups that were
 * committing, or not yet durable, at its last statement are published (design 4.2); statements inside of a transaction
 * are answered immediately.
 */
final class MasterWork {
    private final Dispatcher dispatcher;
    private final TransactionState transaction;
    private final SessionZone zone;
    private final OpenCursors cursors;
    private final MasterAnswers answers;
    private final MasterSession session;
    private final MasterCommits commits;
    private final SchemaWork schema;

    /** The work that is being repeated; null if the last one was not repeated. */
    private @Nullable Work ranAgain;

    MasterWork(
            long sessionId,
            Dispatcher dispatcher,
            TransactionState transaction,
            SessionZone zone,
            OpenCursors cursors,
            LastKey lastKey) {
        this.dispatcher = dispatcher;
        this.transaction = transaction;
        this.zone = zone;
        this.cursors = cursors;
        this.answers = new MasterAnswers(dispatcher, transaction);
        this.session = new MasterSession(sessionId, dispatcher, transaction, zone, cursors, lastKey, answers);
        this.commits = new MasterCommits(dispatcher, transaction, session, answers);
        this.schema = new SchemaWork(dispatcher, transaction, session, commits, answers);
    }

    /** Work outside a transaction, which may begin one. */
    void run(Work work) {
        boolean alone = work.mode().autoCommit() && !transaction.isReadOnlyAlone();
        if (alone && work.action() instanceof SwiftUpdate update && update.isSwift()) {
            runInGroup(work, update);
        } else {
            runOutsideGroup(work);
        }
    }

    private void runOutsideGroup(Work work) {
        if (!work.mode().autoCommit()) {
            session.lease(work, false, lease -> begin(lease, work));
        } else if (work.classification().changesNothing()) {
            alone(work);
        } else {
            update(work);
        }
    }

    private void update(Work work) {
        session.lease(work, false, lease -> updateAlone(lease, work, false));
    }

    /** A statement that runs, seals and commits at once. What turns out not to be swift runs again in the ordinary way: nothing of it is left. */
    private void runInGroup(Work work, SwiftUpdate update) {
        SwiftCommit.Outcome outcome = new SwiftCommit.Outcome() {
            @Override
            public void committed(Executed result, Scn scn) {
                answers.count(work);
                work.reply().send(Work.with(result, answers.status(scn.value())));
            }

            @Override
            public void changed(WriteSet writeSet) {
                dispatcher.noteSchema(writeSet);
            }

            @Override
            public void unsuited() {
                runOutsideGroup(work);
            }

            @Override
            public void failed(SQLException cause) {
                work.reply().send(answers.error(cause));
            }
        };
        SwiftCommit commit = new SwiftCommit(dispatcher.master().swiftLane(), update, zone, work.receipt(), outcome);
        dispatcher.master().order().commit(commit);
    }

    /** Work that reads the master on a connection of its own, whatever the session is bound to. */
    void alone(Work work) {
        session.lease(work, true, lease -> readAlone(lease, work, false));
    }

    /**
     * Runs a statement that the engine executes only outside of transactions; its schema change is sent to the
     * satellites immediately afterwards.
     */
    void untransacted(Work work) {
        schema.run(work);
    }

    /** On the master's connection that the session has already. */
    void runOn(Lease lease, Work work) {
        session.guard(lease, work.reply(), () -> runUnguarded(lease, work));
    }

    private void runUnguarded(Lease lease, Work work) {
        if (transaction.isOpen()) {
            runInTransaction(lease, work, false, 0);
        } else if (session.localize(lease, work)) {
            runPinned(lease, work);
        }
    }

    private void runPinned(Lease lease, Work work) {
        if (work.mode().autoCommit()) {
            runAlone(lease, work, true);
        } else {
            begin(lease, work);
        }
    }

    private void begin(Lease lease, Work work) {
        long seen = dispatcher.publishedScn();
        transaction.begin(lease, true);
        transaction.sees(seen);
        try {
            session.prepare(lease.connection(), work);
        } catch (SQLException e) {
            session.lose(lease);
            work.reply().send(answers.uncommitted(e));
            return;
        }
        runInTransaction(lease, work, true, seen);
    }

    /**
     * @param first whether it is the transaction's first statement
     * @param seen an SCN that the transaction is known to see, for its first statement; else 0
     */
    private void runInTransaction(Lease lease, Work work, boolean first, long seen) {
        Response response;
        try {
            Response result = first ? session.runFirst(lease, work, false) : session.act(lease, work, false);
            transaction.succeeded(!work.classification().leavesNothingToCommit());
            answers.count(work);
            response = Work.with(result, answers.status(seen));
        } catch (SQLException | RuntimeException e) {
            response = failed(lease, e);
        }
        work.reply().send(response);
    }

    /** Handles a failure in the open transaction: determines its remaining state and the answer to the client. */
    Response failed(Lease lease, Exception error) {
        Exception failure = MasterSession.whatFailed(lease, error);
        session.afterError(lease, failure);
        return answers.uncommitted(failure);
    }

    private void runAlone(Lease lease, Work work, boolean pinned) {
        if (work.classification().changesNothing()) {
            readAlone(lease, work, pinned);
        } else {
            updateAlone(lease, work, pinned);
        }
    }

    private void readAlone(Lease lease, Work work, boolean pinned) {
        int opened = cursors.opened();
        long losses = publisher().losses();
        Response response;
        if (!pinned) {
            work.markSession(lease);
        }
        try {
            Response result = pinned ? readPinned(lease, work) : work.run(lease.connection(), !cursors.mayKeep(lease));
            node().reads().increment();
            response = Work.with(result, answers.status(0));
            if (!pinned && !cursors.adopt(lease, opened)) {
                lease.release();
            }
        } catch (SQLException | RuntimeException e) {
            Exception failure = MasterSession.whatFailed(lease, e);
            session.giveBack(lease, pinned, failure);
            if (isNoRead(work, failure)) {
                runAsUpdate(lease, work, pinned);
                return;
            }
            if (mayRunAgain(work, pinned, failure)) {
                alone(work);
                return;
            }
            response = answers.uncommitted(failure);
        }
        Response answer = response;
        dispatcher
                .master()
                .sight()
                .whenPublished(
                        // The master may have crashed, and be back, between the read and now.
                        () -> work.reply().send(publisher().losses() == losses ? answer : answers.lost()),
                        () -> work.reply().send(answers.lost()));
    }

    /** Runs a read on the client's pinned connection, on which the engine does not refuse changes otherwise. */
    private Response readPinned(Lease lease, Work work) throws SQLException {
        dispatcher.dialect().beginRead(lease.connection());
        Response result = work.run(lease.connection(), true);
        session.endRead(lease.connection());
        return result;
    }

    /**
     * Whether a statement that was classified as a read tried to write, because the proof, or a function's declaration,
     * was wrong. The application did not request a read-only transaction.
     */
    private boolean isNoRead(Work work, Exception failure) {
        return failure instanceof SQLException refusal
                && dispatcher.dialect().isReadOnlyRefusal(refusal)
                && work.classification().changesNothing()
                && !work.mode().readOnly()
                && !transaction.isReadOnlyAlone();
    }

    private void runAsUpdate(Lease lease, Work work, boolean pinned) {
        transaction.because(Route.UPDATE);
        if (pinned && transaction.isPinned()) {
            updateAlone(lease, work, true);
        } else {
            update(work);
        }
    }

    private void updateAlone(Lease lease, Work work, boolean pinned) {
        transaction.sees(dispatcher.publishedScn());
        Response result;
        try {
            if (pinned) {
                lease.connection().setReadOnly(false); // as a transaction before it may have left it
            }
            lease.connection().setAutoCommit(false);
            session.isolate(lease.connection(), work);
            if (transaction.isReadOnlyAlone()) {
                dispatcher.dialect().forbidChanges(lease.connection());
            }
            result = session.runFirst(lease, work, true);
        } catch (SQLException | RuntimeException e) {
            Exception failure = MasterSession.whatFailed(lease, e);
            if (isPartlyDone(failure)) {
                answers.count(work);
                session.leaveKey(lease);
                commits.order(lease, work.receipt(), work.reply(), false, status -> answers.error(e, status));
                return;
            }
            session.giveBack(lease, pinned, failure);
            if (mayRunAgain(work, pinned, failure)) {
                update(work);
                return;
            }
            answers.tellWhenPublished(work.reply(), answers.uncommitted(failure));
            return;
        }
        answers.count(work);
        session.leaveKey(lease);
        commits.order(lease, work.receipt(), work.reply(), false, status -> Work.with(result, status));
    }

    /**
     * Whether the statement may run again, once and on another connection: the first execution had no effect, and its
     * connection had outdated schema information.
     */
    private boolean mayRunAgain(Work work, boolean pinned, Exception failure) {
        boolean again = !pinned && !work.equals(ranAgain) && session.isOutdated(failure);
        ranAgain = again ? work : null;
        return again;
    }

    /** A batch some statements of which failed, where the others stay done: they are committed, as without us. */
    private boolean isPartlyDone(Exception failure) {
        return failure instanceof BatchUpdateException batch
                && !session.isBroken(batch)
                && dispatcher.dialect().afterError(batch) == AfterError.GOES_ON;
    }

    /** COMMIT of an open transaction. */
    void commit(Lease lease, Receipt receipt, Reply reply, Function<SessionStatus, Response> answer) {
        session.closeResults(lease);
        session.leaveKey(lease);
        if (transaction.hasFailed() || !transaction.hasChanged()) {
            commitUnordered(lease, reply, answer);
        } else {
            commits.order(lease, receipt, reply, false, answer);
        }
    }

    /** A transaction that only read, or that failed: the engine says how it ends. */
    private void commitUnordered(Lease lease, Reply reply, Function<SessionStatus, Response> answer) {
        Response response;
        if (transaction.hasFailed()) {
            lease.sessionMayHaveChanged();
        }
        try {
            lease.connection().commit();
            session.endTransaction(lease);
            response = answer.apply(answers.status(0));
        } catch (SQLException e) {
            session.rollBack(lease);
            session.endTransaction(lease);
            response = answers.uncommitted(e);
        }
        answers.tellWhenPublished(reply, response);
    }

    void rollback(Lease lease, Reply reply, Function<SessionStatus, Response> answer) {
        session.closeResults(lease);
        session.leaveKey(lease);
        session.rollBack(lease);
        session.endTransaction(lease);
        answers.tellWhenPublished(reply, answer.apply(answers.status(0)));
    }

    /** Runs the end of a transaction; see {@link MasterSession#guard}. */
    void guard(Lease lease, Reply reply, Runnable end) {
        session.guard(lease, reply, end);
    }

    private Publisher publisher() {
        return dispatcher.master().publisher();
    }

    private ComputationalNode node() {
        return dispatcher.master().node();
    }
}
