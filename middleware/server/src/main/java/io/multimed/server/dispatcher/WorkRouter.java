package io.multimed.server.dispatcher;

import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.TransactionModes;
import io.multimed.protocol.Done;
import io.multimed.protocol.ErrorReport;
import io.multimed.protocol.Executed;
import io.multimed.protocol.Outcome;
import io.multimed.protocol.Response;
import io.multimed.protocol.session.Route;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.protocol.statement.TransactionMode;
import io.multimed.server.node.Lease;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Decides for each request of one client where it runs: where its transaction is, or on a node that is found for it; and does by itself what only says where transactions begin and end. No method
 * blocks. Used by one thread at a time.
 */
final class WorkRouter {
    private final long sessionId;
    private final Dispatcher dispatcher;
    private final TransactionState transaction;
    private final SessionZone zone;
    private final OpenCursors cursors;
    private final SatelliteReads reads;
    private final MasterWork master;
    private final AdministrativeWork administration;

    WorkRouter(
            long sessionId,
            Dispatcher dispatcher,
            TransactionState transaction,
            SessionZone zone,
            OpenCursors cursors,
            SatelliteReads reads,
            MasterWork master,
            AdministrativeWork administration) {
        this.sessionId = sessionId;
        this.dispatcher = dispatcher;
        this.transaction = transaction;
        this.zone = zone;
        this.cursors = cursors;
        this.reads = reads;
        this.master = master;
        this.administration = administration;
    }

    /** Questions about the catalogue: where the session's own tables and changes can be seen. */
    void onMaster(Work work) {
        boolean open = transaction.isOpen() && transaction.isOnMaster();
        if (open || (!transaction.isOpen() && transaction.isPinned())) {
            runBound(work);
        } else {
            readCatalogue(work);
        }
    }

    private void readCatalogue(Work work) {
        transaction.because(Route.CATALOGUE);
        master.alone(work);
    }

    /** A statement, whose classification says what it needs. */
    void dispatch(String sql, Work work) {
        boolean open = transaction.isOpen() || transaction.isBegunBySql();
        if (open && work.classification().has(Classification.Trait.COMMITS_BEFORE)) {
            commitBefore(sql, work);
        } else {
            dispatchAlone(sql, work);
        }
    }

    /** The engine would commit by itself: the commit must go through the order. Its receipt is not the statement's. */
    private void commitBefore(String sql, Work work) {
        Reply then = response -> {
            if (response instanceof ErrorReport) {
                work.reply().send(response);
            } else {
                dispatchAlone(sql, work);
            }
        };
        end(-work.receipt().sequence(), then, Done::new);
    }

    private void dispatchAlone(String sql, Work work) {
        transaction.expect(work.classification());
        boolean committing = work.classification().kind() == Classification.Kind.UNTRANSACTED;
        if (committing || (work.mode().autoCommit() && !work.classification().isAboutTransactions())) {
            transaction.nextIsOver();
        }
        switch (work.classification().kind()) {
            case PURE_READ, QUERY, MASTER -> run(work);
            case CATALOGUE -> runOnCatalogue(work);
            case EFFECT -> runEffect(work);
            case UNTRANSACTED -> runUntransacted(work);
            case EVERYWHERE -> run(sharing(sql, work));
            case SESSION_STATE -> runInSession(work);
            case SAME_SESSION -> runInSameSession(work);
            case DISCARD_ALL -> discardAll(work);
            case BEGIN -> begin(work);
            case NEXT_TRANSACTION, ALL_TRANSACTIONS -> sayOfTransactions(work);
            case AUTOCOMMIT_OFF -> autoCommitOff(work.reply());
            case AUTOCOMMIT_ON -> autoCommitOn(work);
            case COMMIT -> end(work.receipt().sequence(), work.reply(), WorkRouter::nothing);
            case ROLLBACK -> rollback(work.reply(), WorkRouter::nothing);
            case NOTHING -> work.reply().send(nothing(status()));
            case SHOW_STATUS -> administration.show(sql, work.reply());
            case ADMINISTER -> administration.run(sql, work.reply());
            case REFUSED -> refuse(work, work.classification().refusal(), "0A000");
        }
    }

    private void refuse(Work work, String why, String sqlState) {
        work.reply().send(Errors.report(new SQLException(why, sqlState), Errors.MIDDLEWARE, status()));
    }

    private Work sharing(String sql, Work work) {
        return new Work(
                work.receipt(),
                work.mode(),
                work.classification(),
                (connection, whole) -> {
                    Response response = work.run(connection, whole);
                    dispatcher.master().store().share(connection, sql);
                    return response;
                },
                work.reply());
    }

    void run(Work work) {
        if (transaction.isOpen() || transaction.isPinned()) {
            runBound(work);
        } else if (work.isRead()) {
            reads.run(work);
        } else {
            transaction.because(work.whyMaster());
            master.run(work);
        }
    }

    /** The satellites have no catalogue like the master's: it is asked even in the middle of a transaction on a satellite. */
    private void runOnCatalogue(Work work) {
        if (isOnSatellite()) {
            readCatalogue(work);
        } else {
            run(work);
        }
    }

    private void runEffect(Work work) {
        runOnMaster(work, "this query calls functions that may change something");
    }

    private void runInSession(Work work) {
        if (!transaction.isPinned() && dispatcher.pins().full()) {
            refuse(
                    work,
                    "too many clients keep a connection of the master's for their session state (%s): raise the master's pool, or end the state by DISCARD ALL"
                            .formatted(dispatcher.pins().summary()),
                    "53300");
        } else {
            runOnMaster(work, "this statement changes the engine's session");
        }
    }

    /** A read-only transaction that has read on a satellite goes on at the master, if every statement of it may have a snapshot of its own. */
    private void runOnMaster(Work work, String why) {
        if (!isOnSatellite() || transaction.hasFailed()) {
            run(work);
        } else if (mayMove(work.mode())) {
            reads.leave();
            run(work);
        } else {
            refuse(
                    work,
                    why
                            + ": not within a read-only transaction on a satellite with a snapshot, open results or savepoints; use READ COMMITTED, or do not call setReadOnly",
                    "0A000");
        }
    }

    /** An isolation that the application did not ask for is the engine's usual one. */
    private boolean mayMove(TransactionMode mode) {
        return mode.isolation() == 0
                && dispatcher.masterIsolation() == Connection.TRANSACTION_READ_COMMITTED
                && !cursors.dependOnTransaction()
                && !transaction.hasSavepoints();
    }

    /** Another client's session must not answer. */
    private void runInSameSession(Work work) {
        if (transaction.leaseOrNull() == null) {
            refuse(work, work.classification().refusal(), "0A000");
        } else {
            run(work);
        }
    }

    private boolean isOnSatellite() {
        return transaction.isOpen() && !transaction.isOnMaster();
    }

    private void runUntransacted(Work work) {
        boolean transacted = transaction.isOpen() || !work.mode().autoCommit();
        if (transacted && !work.classification().has(Classification.Trait.COMMITS_BEFORE)) {
            run(work); // the engine says that it cannot
        } else {
            transaction.because(Route.UPDATE);
            master.untransacted(work);
        }
    }

    private void discardAll(Work work) {
        if (transaction.isOpen() || transaction.isBegunBySql()) {
            refuse(work, work.classification().refusal(), "25001");
            return;
        }
        Lease lease = transaction.leaseOrNull();
        if (lease != null) {
            lease.run(lease::discard);
        }
        transaction.lost();
        zone.set("");
        dispatcher.pins().free(sessionId);
        work.reply().send(nothing(status()));
    }

    private void runBound(Work work) {
        transaction.becauseBound();
        Lease lease = transaction.lease();
        if (transaction.isOnMaster()) {
            lease.run(() -> master.runOn(lease, work));
        } else {
            lease.run(() -> reads.runInTransaction(lease, work));
        }
    }

    private void begin(Work work) {
        if (transaction.isOpen()) {
            runBound(work); // the engine has its own word on it
            return;
        }
        TransactionModes said = work.classification().modes();
        transaction.beginBySql(said);
        if (said.snapshot()) {
            transaction.because(Route.UPDATE);
            Work beginning = new Work(
                    work.receipt(), transaction.mode(work.mode()), work.classification(), work.action(), work.reply());
            takeSnapshot(beginning);
        } else {
            work.reply().send(nothing(status()));
        }
    }

    /** At once, and therefore where every table is: by the client's own words, in which the engine begins its transaction. */
    private void takeSnapshot(Work work) {
        Lease own = transaction.leaseOrNull();
        if (own == null) {
            master.run(work);
        } else {
            own.run(() -> master.runOn(own, work));
        }
    }

    private void sayOfTransactions(Work work) {
        boolean all = work.classification().kind() == Classification.Kind.ALL_TRANSACTIONS;
        if (!all && (transaction.isOpen() || transaction.isBegunBySql())) {
            refuse(work, work.classification().refusal(), "25001");
            return;
        }
        transaction.say(work.classification().modes(), all);
        work.reply().send(nothing(status()));
    }

    private void autoCommitOff(Reply reply) {
        transaction.manualBySql(true);
        reply.send(nothing(status()));
    }

    /** Within a transaction that BEGIN opened it changes nothing. */
    private void autoCommitOn(Work work) {
        if (transaction.isBegunBySql() && !transaction.isManualBySql()) {
            work.reply().send(nothing(status()));
        } else {
            transaction.manualBySql(false);
            end(work.receipt().sequence(), work.reply(), WorkRouter::nothing);
        }
    }

    /** COMMIT, by JDBC or by SQL. */
    void end(int sequence, Reply reply, Function<SessionStatus, Response> answer) {
        Reply single = new SingleReply(reply);
        finish(single, answer, lease -> master.commit(lease, new Receipt(sessionId, sequence), single, answer));
    }

    void rollback(Reply reply, Function<SessionStatus, Response> answer) {
        Reply single = new SingleReply(reply);
        finish(single, answer, lease -> master.rollback(lease, single, answer));
    }

    private void finish(Reply reply, Function<SessionStatus, Response> answer, Consumer<Lease> onMaster) {
        if (!transaction.isOpen()) {
            transaction.end();
            reply.send(answer.apply(status()));
        } else if (transaction.isOnMaster()) {
            Lease lease = transaction.lease();
            lease.run(() -> master.guard(lease, reply, () -> onMaster.accept(lease)));
        } else {
            reads.end(reply, answer);
        }
    }

    private SessionStatus status() {
        return transaction.status(SessionStatus.NO_NODE, 0);
    }

    private static Executed nothing(SessionStatus status) {
        return new Executed(status, List.of(new Outcome.Count(0)), null, List.of());
    }
}
