package io.multimed.middleware.dispatcher;

import io.multimed.middleware.extraction.Receipt;
import io.multimed.middleware.node.Lease;
import io.multimed.middleware.node.engine.sql.TransactionModes;
import io.multimed.middleware.node.engine.sql.Verdict;
import io.multimed.protocol.CatalogCall;
import io.multimed.protocol.CloseCursor;
import io.multimed.protocol.Describe;
import io.multimed.protocol.Done;
import io.multimed.protocol.Download;
import io.multimed.protocol.ErrorReport;
import io.multimed.protocol.Execute;
import io.multimed.protocol.ExecuteBatch;
import io.multimed.protocol.ExecuteScript;
import io.multimed.protocol.Executed;
import io.multimed.protocol.Fetch;
import io.multimed.protocol.Outcome;
import io.multimed.protocol.Response;
import io.multimed.protocol.Route;
import io.multimed.protocol.SavepointRequest;
import io.multimed.protocol.SessionStatus;
import io.multimed.protocol.TransactionMode;
import io.multimed.protocol.Upload;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One client's side of the Dispatcher. Takes its requests one after the other (the next only when the one before is answered), and decides for each where it
 * runs: where its transaction is, or on a node that is found for it. No method blocks; the answers come from other threads.
 */
public final class Conversation {
    static final SessionStatus NO_STATUS = new SessionStatus(false, false, SessionStatus.NO_NODE, 0);

    private final long sessionId;
    private final boolean administrator;
    private final Dispatcher dispatcher;
    private final SessionSlots slots = new SessionSlots();
    private final Cancellation cancellation = new Cancellation();
    private final OpenCursors cursors;
    private final UploadedValues uploads;
    private final LargeResults large = new LargeResults();
    private final StatementRunner runner;
    private final TransactionState transaction = new TransactionState();
    private final SessionZone zone;
    private final SatelliteReads reads;
    private final MasterWork master;

    /** The administrative statement that runs, or ran last. */
    private volatile @Nullable Future<?> administrative;

    Conversation(long sessionId, boolean administrator, String zone, Dispatcher dispatcher) {
        this.sessionId = sessionId;
        this.administrator = administrator;
        this.dispatcher = dispatcher;
        this.zone = new SessionZone(dispatcher.dialect(), zone);
        this.cursors = new OpenCursors(cancellation, dispatcher.dialect(), large, dispatcher.uploadFolder());
        this.uploads = new UploadedValues(dispatcher.uploadFolder());
        LastKey lastKey = new LastKey(dispatcher.dialect().lastKeys());
        this.runner = new StatementRunner(
                slots,
                cursors,
                uploads,
                large,
                lastKey,
                cancellation,
                dispatcher.dialect().values());
        this.master = new MasterWork(sessionId, dispatcher, transaction, this.zone, cursors, lastKey);
        this.reads = new SatelliteReads(dispatcher, transaction, this.zone, cursors, master);
    }

    /** Keeps a piece of a large parameter for the statement that follows. */
    public void upload(Upload request, Reply reply) {
        answerOffIoThread(reply, () -> {
            uploads.append(request.value(), request.piece());
            return new Done(status());
        });
    }

    /** The next bytes of a large value of the last answer. */
    public void download(Download request, Reply reply) {
        answerOffIoThread(reply, () -> large.next(request.number()));
    }

    private void answerOffIoThread(Reply reply, Answering action) {
        dispatcher.runOffIoThread(() -> reply.send(outcome(action, Errors.MIDDLEWARE)));
    }

    /** Whatever comes now is no {@link Download}. */
    public void forgetLargeResults() {
        large.forget();
    }

    /** What was sent ahead is needed by one statement only. */
    private Reply forgetting(Reply reply) {
        return uploads.isEmpty()
                ? reply
                : response -> {
                    uploads.clear();
                    reply.send(response);
                };
    }

    public void describe(int sequence, Describe request, Reply reply) {
        onMaster(work(
                sequence,
                request.mode(),
                Verdict.read(Set.of()),
                reply,
                (connection, whole) -> Descriptions.describe(connection, request.sql(), dispatcher.dialect())));
    }

    public void execute(int sequence, Execute request, Reply answer) {
        Reply reply = forgetting(answer);
        String sql = dispatcher.dialect().reader().withoutOurs(slots.resolve(request.text()));
        boolean several = sql.indexOf(';') >= 0;
        Work.Action action = (connection, whole) -> runner.execute(
                connection, request.text(), sql, request.parameters(), request.options(), whole || several);
        classify(
                sql,
                verdict -> dispatch(
                        sql,
                        work(
                                sequence,
                                request.mode(),
                                verdict,
                                reply,
                                swiftIfPossible(verdict, sql, request, action))));
    }

    private Work.Action swiftIfPossible(Verdict verdict, String sql, Execute request, Work.Action action) {
        if (verdict.has(Verdict.Trait.PREPARES)) {
            return lookedAt(sql, action);
        }
        if (verdict.kind() != Verdict.Kind.MASTER
                || verdict.review() != Verdict.Review.NEVER
                || verdict.has(Verdict.Trait.ASKS_LAST_KEY)) {
            return action;
        }
        SwiftUpdate swift = dispatcher.swiftUpdates().of(sql, request, runner, action);
        return swift == null ? action : swift;
    }

    /** The text that the statement hands the engine is asked for on the same connection, and judged, before the engine has it. */
    private Work.Action lookedAt(String sql, Work.Action action) {
        return (connection, whole) -> {
            Verdict inner =
                    dispatcher.classifier().classify(dispatcher.dialect().preparedText(connection, sql));
            if (!inner.canBePrepared()) {
                throw new SQLException(
                        inner.kind() == Verdict.Kind.REFUSED
                                ? inner.refusal()
                                : "a prepared statement that begins or ends a transaction, or commits as DDL does, is not supported through Multimed: send it as a statement of its own",
                        "0A000");
            }
            return action.run(connection, whole);
        };
    }

    public void executeBatch(int sequence, ExecuteBatch request, Reply answer) {
        Reply reply = forgetting(answer);
        String sql = slots.resolve(request.text());
        classify(
                sql,
                verdict -> dispatch(
                        sql,
                        work(
                                sequence,
                                request.mode(),
                                verdict.inBatch(),
                                reply,
                                (connection, whole) ->
                                        runner.executeBatch(connection, sql, request.rows(), request.options()))));
    }

    public void executeScript(int sequence, ExecuteScript request, Reply reply) {
        String all = String.join(";\n", request.statements());
        classify(
                all,
                verdict -> dispatch(
                        all,
                        work(
                                sequence,
                                request.mode(),
                                verdict.inBatch(),
                                reply,
                                (connection, whole) ->
                                        runner.executeScript(connection, request.statements(), request.options()))));
    }

    public void catalogCall(int sequence, CatalogCall request, Reply reply) {
        onMaster(work(
                sequence,
                request.mode(),
                Verdict.read(Set.of()),
                reply,
                (connection, whole) -> CatalogCalls.call(
                        dispatcher.dialect().catalogue(connection),
                        request,
                        dispatcher.dialect().values())));
    }

    /** Questions about the catalogue: where the session's own tables and changes can be seen. */
    private void onMaster(Work work) {
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

    public void fetch(Fetch request, Reply reply) {
        onCursor(request.cursor(), reply, () -> cursors.fetch(request.cursor(), request.maxRows()));
    }

    public void closeCursor(CloseCursor request, Reply reply) {
        onCursor(request.cursor(), reply, () -> {
            cursors.close(request.cursor());
            return new Done(status());
        });
    }

    public void commit(int sequence, Reply reply) {
        end(sequence, reply, Done::new);
    }

    public void rollback(Reply reply) {
        rollback(reply, Done::new);
    }

    public void savepoint(int sequence, SavepointRequest request, Reply reply) {
        Work work = work(sequence, request.mode(), Verdict.of(Verdict.Kind.MASTER), reply, (connection, whole) -> {
            transaction.savepoint(connection, request);
            return new Done(NO_STATUS);
        });
        run(work);
    }

    /** Touches no node. */
    public void ping(Reply reply) {
        reply.send(new Done(transaction.status(SessionStatus.NO_NODE, dispatcher.publishedScn())));
    }

    /** Asks the engine to give up what runs now; blocks, so not on an I/O thread. */
    public void cancel() throws SQLException {
        Future<?> running = administrative;
        if (running != null) {
            running.cancel(true);
        }
        cancellation.cancel();
    }

    /** The client is gone; called when none of its requests is being handled. Rolls back what is open. */
    public void close() {
        cursors.closeAll();
        uploads.clear();
        Lease lease = transaction.leaseOrNull();
        if (lease != null) {
            boolean pinned = transaction.isPinned();
            lease.run(pinned ? lease::discard : lease::release);
        }
        transaction.lost();
        dispatcher.pins().free(sessionId);
    }

    /** What the client keeps from others; asked while no request is being handled. */
    public Held held() {
        if (transaction.isOpen()) {
            return Held.TRANSACTION;
        }
        return transaction.isPinned() ? Held.SESSION_STATE : Held.NOTHING;
    }

    private Work work(int sequence, TransactionMode asked, Verdict verdict, Reply reply, Work.Action action) {
        return new Work(new Receipt(sessionId, sequence), transaction.mode(asked), verdict, action, reply);
    }

    private void classify(String sql, Consumer<Verdict> next) {
        Verdict known = dispatcher.classifier().known(sql);
        if (known != null) {
            next.accept(known);
        } else {
            dispatcher.runOffIoThread(() -> next.accept(dispatcher.classifier().classify(sql)));
        }
    }

    private void dispatch(String sql, Work work) {
        boolean open = transaction.isOpen() || transaction.isBegunBySql();
        if (open && work.verdict().has(Verdict.Trait.COMMITS_BEFORE)) {
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
        transaction.expect(work.verdict());
        boolean committing = work.verdict().kind() == Verdict.Kind.UNTRANSACTED;
        if (committing || (work.mode().autoCommit() && !work.verdict().isAboutTransactions())) {
            transaction.nextIsOver();
        }
        switch (work.verdict().kind()) {
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
            case COMMIT -> end(work.receipt().sequence(), work.reply(), Conversation::nothing);
            case ROLLBACK -> rollback(work.reply(), Conversation::nothing);
            case NOTHING -> work.reply().send(nothing(status()));
            case SHOW_STATUS -> show(sql, work.reply());
            case ADMINISTER -> administer(sql, work.reply());
            case REFUSED -> refuse(work, work.verdict().refusal(), "0A000");
        }
    }

    private void refuse(Work work, String why, String sqlState) {
        work.reply().send(Errors.report(new SQLException(why, sqlState), Errors.MIDDLEWARE, status()));
    }

    private void administer(String sql, Reply reply) {
        SQLException refusal = null;
        if (!administrator) {
            refusal = new SQLException(
                    "only an administrator may do this: listen.users with administrator: true in the System Model",
                    "42501");
        } else if (transaction.isOpen() || transaction.isBegunBySql()) {
            refusal = new SQLException("this cannot run inside a transaction", "25001");
        }
        if (refusal == null) {
            administrative = dispatcher.desk().run(sql, status(), reply);
        } else {
            reply.send(Errors.report(refusal, Errors.MIDDLEWARE, status()));
        }
    }

    /** SHOW MULTIMED STATUS, or OUTCOME with a receipt. */
    private void show(String sql, Reply reply) {
        if (!OutcomeReport.isAsked(sql)) {
            reply.send(dispatcher.status().asResult(status()));
            return;
        }
        OutcomeReport.receipt(sql)
                .ifPresentOrElse(
                        receipt -> dispatcher
                                .outcomes()
                                .find(
                                        receipt,
                                        finding -> reply.send(OutcomeReport.asResult(receipt, finding, status()))),
                        () -> reply.send(Errors.report(OutcomeReport.malformed(), Errors.MIDDLEWARE, status())));
    }

    private Work sharing(String sql, Work work) {
        return new Work(
                work.receipt(),
                work.mode(),
                work.verdict(),
                (connection, whole) -> {
                    Response response = work.run(connection, whole);
                    dispatcher.master().store().share(connection, sql);
                    return response;
                },
                work.reply());
    }

    private void run(Work work) {
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
            refuse(work, work.verdict().refusal(), "0A000");
        } else {
            run(work);
        }
    }

    private boolean isOnSatellite() {
        return transaction.isOpen() && !transaction.isOnMaster();
    }

    private void runUntransacted(Work work) {
        boolean transacted = transaction.isOpen() || !work.mode().autoCommit();
        if (transacted && !work.verdict().has(Verdict.Trait.COMMITS_BEFORE)) {
            run(work); // the engine says that it cannot
        } else {
            transaction.because(Route.UPDATE);
            master.untransacted(work);
        }
    }

    private void discardAll(Work work) {
        if (transaction.isOpen() || transaction.isBegunBySql()) {
            refuse(work, work.verdict().refusal(), "25001");
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
        TransactionModes said = work.verdict().modes();
        transaction.beginBySql(said);
        if (said.snapshot()) {
            transaction.because(Route.UPDATE);
            Work beginning = new Work(
                    work.receipt(), transaction.mode(work.mode()), work.verdict(), work.action(), work.reply());
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
        boolean all = work.verdict().kind() == Verdict.Kind.ALL_TRANSACTIONS;
        if (!all && (transaction.isOpen() || transaction.isBegunBySql())) {
            refuse(work, work.verdict().refusal(), "25001");
            return;
        }
        transaction.say(work.verdict().modes(), all);
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
            end(work.receipt().sequence(), work.reply(), Conversation::nothing);
        }
    }

    /** COMMIT, by JDBC or by SQL. */
    private void end(int sequence, Reply reply, Function<SessionStatus, Response> answer) {
        finish(reply, answer, lease -> master.commit(lease, new Receipt(sessionId, sequence), reply, answer));
    }

    private void rollback(Reply reply, Function<SessionStatus, Response> answer) {
        finish(reply, answer, lease -> master.rollback(lease, reply, answer));
    }

    private void finish(Reply reply, Function<SessionStatus, Response> answer, Consumer<Lease> onMaster) {
        if (!transaction.isOpen()) {
            transaction.end();
            reply.send(answer.apply(status()));
        } else if (transaction.isOnMaster()) {
            Lease lease = transaction.lease();
            lease.run(() -> onMaster.accept(lease));
        } else {
            reads.end(reply, answer);
        }
    }

    private interface Answering {
        Response run() throws SQLException;
    }

    private void onCursor(int cursor, Reply reply, Answering action) {
        @Nullable Lease own = cursors.lease(cursor);
        Lease lease = own != null ? own : transaction.leaseOrNull();
        if (lease == null) {
            reply.send(outcome(action, Errors.MIDDLEWARE)); // the transaction has ended, and with it the cursor
        } else if (own == null && transaction.isOpen() && cursors.isOpen(cursor)) {
            lease.run(() -> reply.send(outcomeInTransaction(lease, action)));
        } else {
            lease.run(() -> reply.send(outcome(action, lease.node().name())));
        }
    }

    private Response outcome(Answering action, String where) {
        try {
            return action.run();
        } catch (SQLException | RuntimeException e) {
            return Errors.report(e, where, status());
        }
    }

    /** What fails while rows are fetched is an error of their transaction like any other. */
    private Response outcomeInTransaction(Lease lease, Answering action) {
        try {
            return action.run();
        } catch (SQLException | RuntimeException e) {
            return transaction.isOnMaster() ? master.failed(lease, e) : reads.failed(lease, e);
        }
    }

    private SessionStatus status() {
        return transaction.status(SessionStatus.NO_NODE, 0);
    }

    private static Executed nothing(SessionStatus status) {
        return new Executed(status, List.of(new Outcome.Count(0)), null, List.of());
    }
}
