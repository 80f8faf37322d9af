package io.multimed.middleware.dispatcher;

import io.multimed.middleware.extraction.Receipt;
import io.multimed.middleware.node.ComputationalNode;
import io.multimed.middleware.node.Lease;
import io.multimed.middleware.node.LeaseRequest;
import io.multimed.middleware.node.engine.SessionState;
import io.multimed.middleware.node.engine.SqlDialect.AfterError;
import io.multimed.middleware.node.engine.sql.SchemaChange;
import io.multimed.middleware.node.engine.sql.Verdict;
import io.multimed.middleware.propagation.Publisher;
import io.multimed.middleware.writeset.Scn;
import io.multimed.middleware.writeset.WriteSet;
import io.multimed.protocol.Executed;
import io.multimed.protocol.Response;
import io.multimed.protocol.SessionStatus;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One session's work on the master. Every end of a transaction is told to the client only when all groups that were committing, or not yet durable, at its
 * last statement are published (design 4.2); statements inside a transaction are told at once.
 */
final class MasterWork {
    private final Dispatcher dispatcher;
    private final TransactionState transaction;
    private final SessionZone zone;
    private final OpenCursors cursors;
    private final LastKey lastKey;
    private final long sessionId;

    MasterWork(
            long sessionId,
            Dispatcher dispatcher,
            TransactionState transaction,
            SessionZone zone,
            OpenCursors cursors,
            LastKey lastKey) {
        this.zone = zone;
        this.lastKey = lastKey;
        this.sessionId = sessionId;
        this.dispatcher = dispatcher;
        this.transaction = transaction;
        this.cursors = cursors;
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
        lease(work, lease -> {
            if (work.mode().autoCommit()) {
                runAlone(lease, work, false);
            } else {
                begin(lease, work);
            }
        });
    }

    /** A statement that runs, seals and commits at once. What turns out not to be swift runs again in the ordinary way: nothing of it is left. */
    private void runInGroup(Work work, SwiftUpdate update) {
        SwiftCommit.Outcome outcome = new SwiftCommit.Outcome() {
            @Override
            public void committed(Executed result, Scn scn) {
                count(work);
                work.reply().send(Work.with(result, status(scn.value())));
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
                work.reply().send(Errors.report(cause, node().name(), status(0)));
            }
        };
        SwiftCommit commit = new SwiftCommit(dispatcher.master().swiftLane(), update, zone, work.receipt(), outcome);
        dispatcher.master().order().commit(commit);
    }

    /** Work that reads the master on a connection of its own, whatever the session is bound to. */
    void alone(Work work) {
        lease(work, lease -> readAlone(lease, work, false));
    }

    /** Work that the engine does outside of transactions only; what it did to the schema is told to the satellites right after. */
    void untransacted(Work work) {
        Lease own = transaction.leaseOrNull();
        if (own != null) {
            own.run(() -> runUntransacted(own, work, true));
        } else {
            lease(work, lease -> runUntransacted(lease, work, false));
        }
    }

    /** Where the engine commits by itself, satellites are told before it what they must not answer for, and only then does the statement run. */
    private void runUntransacted(Lease lease, Work work, boolean pinned) {
        SchemaChange change = work.verdict().schemaChange();
        try {
            lease.connection().setAutoCommit(false);
            if (change != null && dispatcher.master().store().announceSchema(lease.connection(), change)) {
                orderAnnouncement(lease, work, pinned);
                return;
            }
        } catch (SQLException | RuntimeException e) {
            giveBack(lease, pinned, e);
            tellWhenPublished(work.reply(), Errors.report(e, node().name(), status(0)));
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
                lease.run(() -> giveBack(lease, pinned, cause));
                work.reply().send(Errors.report(cause, node().name(), status(0)));
            }
        };
        dispatcher
                .master()
                .order()
                .commit(new MasterCommit(lease, () -> {}, dispatcher.master().extractor(), own, true, outcome));
    }

    private void runAnnounced(Lease lease, Work work, boolean pinned) {
        SQLException failure = null;
        Response result = null;
        try {
            lease.connection().setAutoCommit(true);
            dispatcher.master().store().tellLater(lease.connection(), true);
            try {
                result = runUntransacted(lease.connection(), work);
            } catch (SQLException e) {
                failure = e;
                if (isBroken(e) || work.verdict().schemaChange() == null) {
                    throw e;
                }
            } finally {
                dispatcher.master().store().tellLater(lease.connection(), false);
            }
            lease.connection().setAutoCommit(false);
            dispatcher
                    .master()
                    .store()
                    .tellSchema(lease.connection(), work.verdict().schemaChange());
        } catch (SQLException | RuntimeException e) {
            giveBack(lease, pinned, e);
            tellWhenPublished(work.reply(), Errors.report(e, node().name(), status(0)));
            return;
        }
        orderUntransacted(lease, work, result, failure);
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

    private void orderUntransacted(Lease lease, Work work, @Nullable Response result, @Nullable SQLException failure) {
        order(
                lease,
                work.receipt(),
                work.reply(),
                work.verdict().schemaChange() != null,
                status -> result == null
                        ? Errors.report(Objects.requireNonNull(failure), node().name(), status)
                        : Work.with(result, status));
    }

    private void lease(Work work, Consumer<Lease> use) {
        dispatcher.master().node().lease(new LeaseRequest() {
            @Override
            public void leased(Lease lease) {
                if (localize(lease, work)) {
                    use.accept(lease);
                }
            }

            @Override
            public void refused(SQLException cause) {
                work.reply().send(Errors.report(cause, node().name(), status(0)));
            }
        });
    }

    /** Whether the connection has the client's time zone now; if not, the client is told why. */
    private boolean localize(Lease lease, Work work) {
        try {
            zone.giveTo(lease.connection());
            return true;
        } catch (SQLException e) {
            giveBack(lease, transaction.isPinned(), e);
            work.reply().send(Errors.report(e, node().name(), status(0)));
            return false;
        }
    }

    /** On the master's connection that the session has already. */
    void runOn(Lease lease, Work work) {
        if (transaction.isOpen()) {
            runInTransaction(lease, work, false, 0);
        } else if (localize(lease, work)) {
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
        try {
            prepare(lease.connection(), work);
        } catch (SQLException e) {
            lose(lease);
            work.reply().send(Errors.report(e, node().name(), status(0)));
            return;
        }
        runInTransaction(lease, work, true, seen);
    }

    private void prepare(Connection connection, Work work) throws SQLException {
        connection.setAutoCommit(false);
        boolean bySql = transaction.isReadOnlyBySql();
        connection.setReadOnly(work.mode().readOnly() && !bySql);
        isolate(connection, work);
        if (bySql) {
            dispatcher.dialect().forbidChanges(connection);
        }
    }

    /** A connection that a client keeps must be asked what it has; what the client set by SQL stays, if it sets nothing else. */
    private void isolate(Connection connection, Work work) throws SQLException {
        int asked = work.mode().isolation();
        if (!transaction.isPinned()) {
            int usual = dispatcher.masterIsolation();
            dispatcher.dialect().isolate(connection, asked == 0 ? usual : asked, usual);
        } else if (asked != 0 && transaction.isIsolatedBySql()) {
            dispatcher.dialect().isolateOnce(connection, asked);
        } else if (asked != 0) {
            dispatcher.dialect().isolate(connection, asked, connection.getTransactionIsolation());
        }
    }

    /**
     * @param first whether it is the transaction's first statement
     * @param seen an SCN that the transaction is known to see, for its first statement; else 0
     */
    private void runInTransaction(Lease lease, Work work, boolean first, long seen) {
        Response response;
        try {
            Response result = first ? runFirst(lease, work, false) : act(lease, work, false);
            transaction.succeeded(!work.verdict().isPureRead());
            count(work);
            response = Work.with(result, status(seen));
        } catch (SQLException | RuntimeException e) {
            response = failed(lease, e);
        }
        work.reply().send(response);
    }

    /** Something of the open transaction failed: what is left of it, and what the client is told. */
    Response failed(Lease lease, Exception failure) {
        afterError(lease, failure);
        return Errors.report(failure, node().name(), status(0));
    }

    private void afterError(Lease lease, Exception failure) {
        if (isBroken(failure)) {
            lose(lease);
            return;
        }
        switch (dispatcher.dialect().afterError((SQLException) failure)) {
            case FAILED -> transaction.failed();
            case GOES_ON -> transaction.succeeded(true); // what the statement did before its error may still be there
            case ROLLED_BACK -> startAnew(lease);
        }
    }

    /** Before the transaction's end. */
    private void closeResults(Lease lease) {
        if (cursors.transactionEnded()) {
            lease.endStreaming();
        }
    }

    /** The engine has rolled the transaction back by itself; the next statement begins another one. */
    private void startAnew(Lease lease) {
        closeResults(lease);
        leaveKey(lease);
        rollBack(lease);
        if (transaction.isOpen()) {
            endTransaction(lease);
        }
    }

    /** The first statement of a transaction: if only its prepared form did not fit the schema any more, it is run again. */
    private Response runFirst(Lease lease, Work work, boolean whole) throws SQLException {
        try {
            return act(lease, work, whole);
        } catch (SQLException e) {
            if (!dispatcher.dialect().isStalePlan(e)) {
                throw e;
            }
            lease.connection().rollback();
            return act(lease, work, whole);
        }
    }

    private Response act(Lease lease, Work work, boolean whole) throws SQLException {
        Connection connection = lease.connection();
        cursors.makeRoom();
        if (transaction.isReviewDue()) {
            transaction.watch(dispatcher.dialect(), connection);
        }
        lastKey.before(connection, work.verdict());
        Response response = work.run(connection, whole);
        lastKey.after(work.verdict());
        return response;
    }

    private void lose(Lease lease) {
        lease.discard();
        lastKey.left();
        cursors.transactionEnded();
        transaction.lost();
        dispatcher.pins().free(sessionId);
    }

    /** The transaction is over: the connection goes back, or stays with the client as long as the engine's session holds something of the client's. */
    private void settle(Lease lease) {
        if (transaction.isReviewDue()) {
            review(lease);
        } else if (!transaction.isPinned()) {
            lease.release();
        }
    }

    private void review(Lease lease) {
        transaction.reviewed();
        try {
            List<String> held = held(lease.connection());
            if (!held.isEmpty()) {
                transaction.pin(lease, held);
                dispatcher.pins().keep(sessionId, held);
            } else if (transaction.isPinned()) {
                lastKey.leave(lease.connection());
                lose(lease);
            } else {
                transaction.lost();
                lease.release();
            }
        } catch (SQLException e) {
            lose(lease);
        }
    }

    private List<String> held(Connection connection) throws SQLException {
        SessionState left = transaction.left(connection).orElse(null);
        if (left == null) {
            return List.of();
        }
        zone.set(left.zone());
        List<String> held = left.held();
        return held.isEmpty() && transaction.settings().contains(Verdict.ANY_SETTING) ? List.of("settings") : held;
    }

    private void runAlone(Lease lease, Work work, boolean pinned) {
        if (work.verdict().changesNothing()) {
            readAlone(lease, work, pinned);
        } else {
            updateAlone(lease, work, pinned);
        }
    }

    private void readAlone(Lease lease, Work work, boolean pinned) {
        int opened = cursors.opened();
        long losses = publisher().losses();
        Response response;
        try {
            lease.connection().setAutoCommit(true);
            Response result = work.run(lease.connection(), pinned || !cursors.mayKeep(lease));
            node().reads().increment();
            response = Work.with(result, status(0));
            if (!pinned && !cursors.adopt(lease, opened)) {
                lease.release();
            }
        } catch (SQLException | RuntimeException e) {
            giveBack(lease, pinned, e);
            response = Errors.report(e, node().name(), status(0));
        }
        Response answer = response;
        dispatcher
                .master()
                .sight()
                .whenPublished(
                        // The master may have crashed, and be back, between the read and now.
                        () -> work.reply().send(publisher().losses() == losses ? answer : lost()),
                        () -> work.reply().send(lost()));
    }

    private void updateAlone(Lease lease, Work work, boolean pinned) {
        Response result;
        try {
            lease.connection().setAutoCommit(false);
            isolate(lease.connection(), work);
            if (transaction.isReadOnlyAlone()) {
                dispatcher.dialect().forbidChanges(lease.connection());
            }
            result = runFirst(lease, work, true);
        } catch (SQLException | RuntimeException e) {
            if (isPartlyDone(e)) {
                count(work);
                leaveKey(lease);
                order(lease, work.receipt(), work.reply(), false, status -> Errors.report(e, node().name(), status));
                return;
            }
            giveBack(lease, pinned, e);
            tellWhenPublished(work.reply(), Errors.report(e, node().name(), status(0)));
            return;
        }
        count(work);
        leaveKey(lease);
        order(lease, work.receipt(), work.reply(), false, status -> Work.with(result, status));
    }

    /** A batch some statements of which failed, where the others stay done: they are committed, as without us. */
    private boolean isPartlyDone(Exception failure) {
        return failure instanceof BatchUpdateException batch
                && !isBroken(batch)
                && dispatcher.dialect().afterError(batch) == AfterError.GOES_ON;
    }

    private void leaveKey(Lease lease) {
        if (!transaction.isPinned()) {
            lastKey.leave(lease.connection());
        }
    }

    /** After a failure: the transaction is undone; a broken connection is not given to anybody again. */
    private void giveBack(Lease lease, boolean pinned, Exception failure) {
        if (isBroken(failure)) {
            lose(lease);
        } else if (pinned || transaction.isReviewDue()) {
            rollBack(lease);
            settle(lease);
        } else {
            lastKey.left();
            lease.release();
        }
    }

    /** An engine's driver that failed by itself may have left its connection between two messages. */
    private boolean isBroken(Exception failure) {
        return !(failure instanceof SQLException sql) || dispatcher.dialect().isConnectionFailure(sql);
    }

    private void rollBack(Lease lease) {
        try {
            if (!lease.connection().getAutoCommit()) {
                lease.connection().rollback();
            }
        } catch (SQLException e) {
            lose(lease);
        }
    }

    /** COMMIT of an open transaction. */
    void commit(Lease lease, Receipt receipt, Reply reply, Function<SessionStatus, Response> answer) {
        closeResults(lease);
        leaveKey(lease);
        if (transaction.hasFailed() || !transaction.hasChanged()) {
            commitUnordered(lease, reply, answer);
        } else {
            order(lease, receipt, reply, false, answer);
        }
    }

    /** A transaction that only read, or that failed: the engine says how it ends. */
    private void commitUnordered(Lease lease, Reply reply, Function<SessionStatus, Response> answer) {
        Response response;
        try {
            lease.connection().commit();
            endTransaction(lease);
            response = answer.apply(status(0));
        } catch (SQLException e) {
            rollBack(lease);
            endTransaction(lease);
            response = Errors.report(e, node().name(), status(0));
        }
        tellWhenPublished(reply, response);
    }

    void rollback(Lease lease, Reply reply, Function<SessionStatus, Response> answer) {
        closeResults(lease);
        leaveKey(lease);
        rollBack(lease);
        endTransaction(lease);
        tellWhenPublished(reply, answer.apply(status(0)));
    }

    private void endTransaction(Lease lease) {
        transaction.end();
        settle(lease);
    }

    /** Into the commit order; from there on the lease is the commit's, unless the session keeps it. */
    private void order(
            Lease lease, Receipt receipt, Reply reply, boolean alone, Function<SessionStatus, Response> answer) {
        transaction.end();
        MasterCommit.Outcome outcome = new MasterCommit.Outcome() {
            @Override
            public void committed(Scn scn) {
                reply.send(answer.apply(status(scn.value())));
            }

            @Override
            public void changed(WriteSet writeSet) {
                dispatcher.noteSchema(writeSet);
            }

            @Override
            public void failed(SQLException cause) {
                reply.send(Errors.report(cause, node().name(), status(0)));
            }
        };
        dispatcher
                .master()
                .order()
                .commit(new MasterCommit(
                        lease, () -> settle(lease), dispatcher.master().extractor(), receipt, alone, outcome));
    }

    private void count(Work work) {
        (work.verdict().isPureRead() ? node().reads() : node().updates()).increment();
    }

    private void tellWhenPublished(Reply reply, Response response) {
        dispatcher.master().sight().whenPublished(() -> reply.send(response), () -> reply.send(lost()));
    }

    private Response lost() {
        return Errors.report(Publisher.lost(), node().name(), status(0));
    }

    private Publisher publisher() {
        return dispatcher.master().publisher();
    }

    private ComputationalNode node() {
        return dispatcher.master().node();
    }

    private SessionStatus status(long scn) {
        return transaction.status(node().ordinal(), scn);
    }
}
