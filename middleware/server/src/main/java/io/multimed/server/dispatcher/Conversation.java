package io.multimed.server.dispatcher;

import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.sql.Classification;
import io.multimed.protocol.CatalogCall;
import io.multimed.protocol.CloseCursor;
import io.multimed.protocol.Describe;
import io.multimed.protocol.Done;
import io.multimed.protocol.Download;
import io.multimed.protocol.Execute;
import io.multimed.protocol.ExecuteBatch;
import io.multimed.protocol.ExecuteScript;
import io.multimed.protocol.Fetch;
import io.multimed.protocol.Response;
import io.multimed.protocol.SavepointRequest;
import io.multimed.protocol.Upload;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.protocol.statement.TransactionMode;
import io.multimed.server.dispatcher.StatementClassifier.Judged;
import io.multimed.server.node.Lease;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One client's side of the Dispatcher. Takes its requests one after the other (the next only when the one before is answered), and makes
 * work of them, for which {@link WorkRouter} finds a place. No method blocks; the answers come from other threads.
 */
public final class Conversation {
    static final SessionStatus NO_STATUS = new SessionStatus(false, false, SessionStatus.NO_NODE, 0);

    private final long sessionId;
    private final Dispatcher dispatcher;
    private final SessionSlots slots = new SessionSlots();
    private final Cancellation cancellation = new Cancellation();
    private final OpenCursors cursors;
    private final UploadedValues uploads;
    private final LargeResults large;
    private final StatementRunner runner;
    private final TransactionState transaction = new TransactionState();
    private final SessionZone zone;
    private final SatelliteReads reads;
    private final MasterWork master;
    private final AdministrativeWork administration;
    private final WorkRouter router;

    Conversation(long sessionId, boolean administrator, String zone, Dispatcher dispatcher) {
        this.sessionId = sessionId;
        this.dispatcher = dispatcher;
        this.zone = new SessionZone(dispatcher.dialect(), zone);
        this.large = new LargeResults(dispatcher.memory(), dispatcher.uploadFolder());
        this.cursors = new OpenCursors(cancellation, dispatcher.dialect(), large, dispatcher.uploadFolder());
        this.uploads = new UploadedValues(
                dispatcher.uploadFolder(), dispatcher.dialect().values().copiesOfSent());
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
        this.administration = new AdministrativeWork(administrator, dispatcher, transaction);
        this.router =
                new WorkRouter(sessionId, dispatcher, transaction, this.zone, cursors, reads, master, administration);
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
        router.onMaster(work(
                sequence,
                request.mode(),
                Classification.read(Set.of()),
                reply,
                (connection, whole) -> Descriptions.describe(connection, request.sql(), dispatcher.dialect())));
    }

    public void execute(int sequence, Execute request, Reply answer) {
        Reply reply = forgetting(answer);
        String sql = slots.resolve(request.text());
        boolean several = sql.indexOf(';') >= 0;
        Work.Action action = (connection, whole) -> runner.execute(
                connection, request.text(), sql, request.parameters(), request.options(), whole || several);
        classify(
                sql,
                classification -> router.dispatch(
                        sql,
                        work(
                                sequence,
                                request.mode(),
                                classification,
                                reply,
                                swiftIfPossible(classification, sql, request, action))));
    }

    private Work.Action swiftIfPossible(
            Classification classification, String sql, Execute request, Work.Action action) {
        if (classification.has(Classification.Trait.PREPARES)) {
            return lookedAt(sql, action);
        }
        if (classification.has(Classification.Trait.USUAL_QUOTING)) {
            return usuallyQuoted(classification, action);
        }
        if (classification.kind() != Classification.Kind.MASTER
                || classification.review() != Classification.Review.NEVER
                || classification.has(Classification.Trait.ASKS_LAST_KEY)) {
            return action;
        }
        SwiftUpdate swift = dispatcher.swiftUpdates().of(sql, request, runner, action);
        return swift == null ? action : swift;
    }

    /** The text that the statement hands the engine is asked for on the same connection, and judged, before the engine has it. */
    private Work.Action lookedAt(String sql, Work.Action action) {
        return (connection, whole) -> {
            Classification inner =
                    dispatcher.classifier().classify(dispatcher.dialect().preparedText(connection, sql));
            if (!inner.canBePrepared()) {
                throw new SQLException(
                        inner.kind() == Classification.Kind.REFUSED
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
                classification -> router.dispatch(
                        sql,
                        work(
                                sequence,
                                request.mode(),
                                classification.inBatch(),
                                reply,
                                usuallyQuoted(
                                        classification,
                                        (connection, whole) -> runner.executeBatch(
                                                connection, sql, request.rows(), request.options())))));
    }

    public void executeScript(int sequence, ExecuteScript request, Reply reply) {
        List<String> texts = request.statements();
        StatementClassifier classifier = dispatcher.classifier();
        classify(
                classifier.knownBatch(texts),
                () -> classifier.batchAtOnce(texts),
                () -> classifier.classifyBatch(texts),
                classification -> router.dispatch(
                        texts.size() == 1 ? texts.get(0) : "",
                        work(
                                sequence,
                                request.mode(),
                                classification,
                                reply,
                                usuallyQuoted(
                                        classification,
                                        (connection, whole) ->
                                                runner.executeScript(connection, texts, request.options())))));
    }

    /** Refuses a statement that was parsed with the engine's default quoting rules if the session has others. */
    private Work.Action usuallyQuoted(Classification classification, Work.Action action) {
        if (!classification.has(Classification.Trait.USUAL_QUOTING)) {
            return action;
        }
        return (connection, whole) -> {
            dispatcher.dialect().requireUsualQuoting(connection);
            return action.run(connection, whole);
        };
    }

    public void catalogCall(int sequence, CatalogCall request, Reply reply) {
        router.onMaster(work(
                sequence,
                request.mode(),
                Classification.read(Set.of()),
                reply,
                (connection, whole) -> CatalogCalls.call(
                        dispatcher.dialect().catalogue(connection),
                        request,
                        dispatcher.dialect().values())));
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
        router.end(sequence, reply, Done::new);
    }

    public void rollback(Reply reply) {
        router.rollback(reply, Done::new);
    }

    public void savepoint(int sequence, SavepointRequest request, Reply reply) {
        Work work = work(
                sequence, request.mode(), Classification.of(Classification.Kind.MASTER), reply, (connection, whole) -> {
                    transaction.savepoint(connection, request);
                    return new Done(NO_STATUS);
                });
        router.run(work);
    }

    /** Touches no node. */
    public void ping(Reply reply) {
        reply.send(new Done(transaction.status(SessionStatus.NO_NODE, dispatcher.publishedScn())));
    }

    /** Asks the engine to give up what runs now; blocks, so not on an I/O thread. */
    public void cancel() throws SQLException {
        administration.cancel();
        cancellation.cancel();
    }

    /**
     * Called when the client has disconnected and none of its requests is being handled. Rolls back an open
     * transaction.
     */
    public void close() {
        cursors.closeAll();
        uploads.clear();
        large.forget();
        Lease lease = transaction.leaseOrNull();
        if (lease != null) {
            boolean others =
                    transaction.isPinned() || transaction.isReviewDue(); // its session state is not checked any more
            lease.run(others ? lease::discard : lease::release);
        }
        transaction.lost();
        dispatcher.pins().free(sessionId);
    }

    /** Returns the resources that the client keeps from others; called while no request is being handled. */
    public Held held() {
        if (transaction.isOpen()) {
            return Held.TRANSACTION;
        }
        return transaction.isPinned() ? Held.SESSION_STATE : Held.NOTHING;
    }

    private Work work(
            int sequence, TransactionMode asked, Classification classification, Reply reply, Work.Action action) {
        return new Work(
                new Receipt(sessionId, sequence),
                transaction.mode(asked),
                classification,
                action,
                new SingleReply(reply));
    }

    private void classify(String sql, Consumer<Classification> next) {
        StatementClassifier classifier = dispatcher.classifier();
        classify(classifier.known(sql), () -> classifier.atOnce(sql), () -> classifier.classify(sql), next);
    }

    /** Classifies a statement. If too many proofs are in progress, omits the proof. */
    private void classify(
            @Nullable Classification known,
            Supplier<Judged> atOnce,
            Supplier<Classification> proved,
            Consumer<Classification> next) {
        if (known != null) {
            next.accept(known);
            return;
        }
        dispatcher.runOffIoThread(() -> {
            Judged first = atOnce.get();
            boolean proving = first.needsProof() && dispatcher.prove(() -> next.accept(proved.get()));
            if (!proving) {
                next.accept(first.classification());
            }
        });
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
}
