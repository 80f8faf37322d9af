// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher;

import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.sql.Classification;
import io.multimed.protocol.request.CatalogCall;
import io.multimed.protocol.request.CloseCursor;
import io.multimed.protocol.request.Describe;
import io.multimed.protocol.request.Download;
import io.multimed.protocol.request.Execute;
import io.multimed.protocol.request.ExecuteBatch;
import io.multimed.protocol.request.ExecuteScript;
import io.multimed.protocol.request.Fetch;
import io.multimed.protocol.request.SavepointRequest;
import io.multimed.protocol.request.Upload;
import io.multimed.protocol.response.Done;
import io.multimed.protocol.response.Response;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.protocol.session.TraceContext;
import io.multimed.protocol.statement.ExecuteOptions;
import io.multimed.protocol.statement.TransactionMode;
import io.multimed.protocol.value.Parameter;
import io.multimed.protocol.wire.MessageType;
import io.multimed.server.dispatcher.administration.AdministrationHandler;
import io.multimed.server.dispatcher.administration.Viewer;
import io.multimed.server.dispatcher.admission.RoutingClass;
import io.multimed.server.dispatcher.classification.AsynchronousClassifier;
import io.multimed.server.dispatcher.classification.ClassifiedText;
import io.multimed.server.dispatcher.execution.PlanExecutor;
import io.multimed.server.dispatcher.execution.RouteExplanation;
import io.multimed.server.dispatcher.request.ErrorReports;
import io.multimed.server.dispatcher.request.Reply;
import io.multimed.server.dispatcher.request.SingleReply;
import io.multimed.server.dispatcher.request.StatementTask;
import io.multimed.server.dispatcher.request.StatementWork;
import io.multimed.server.dispatcher.rights.SessionRights;
import io.multimed.server.dispatcher.routing.StatementRouter;
import io.multimed.server.dispatcher.session.ClientContext;
import io.multimed.server.dispatcher.session.PinnedResource;
import io.multimed.server.dispatcher.session.SessionTimeZone;
import io.multimed.server.dispatcher.session.TransactionState;
import io.multimed.server.dispatcher.statement.Cancellation;
import io.multimed.server.dispatcher.statement.CatalogCalls;
import io.multimed.server.dispatcher.statement.Descriptions;
import io.multimed.server.dispatcher.statement.LargeResults;
import io.multimed.server.dispatcher.statement.LastGeneratedKey;
import io.multimed.server.dispatcher.statement.OpenCursors;
import io.multimed.server.dispatcher.statement.StatementAction;
import io.multimed.server.dispatcher.statement.StatementRunner;
import io.multimed.server.dispatcher.statement.StatementSlots;
import io.multimed.server.dispatcher.statement.StatementState;
import io.multimed.server.dispatcher.statement.UploadedValues;
import io.multimed.server.node.Lease;
import io.multimed.server.node.task.CallingThread;
import io.multimed.server.observation.ClientObserver;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Handles the requests of one client, one after the other: a request is handled only when the previous one has been
 * answered.
 *
 * <p>A statement passes three steps: {@link AsynchronousClassifier} classifies the text, {@link StatementRouter} plans,
 * {@link PlanExecutor} executes. Methods do not block, unless their comment says so. The replies come from other
 * threads.
 */
public final class ClientConnectionHandler {
    private final SharedServices shared;
    private final ClientContext client;
    private final TransactionState transaction;
    private final StatementRunner runner;
    private final Descriptions descriptions;
    private final StatementActions actions;
    private final SessionRights rights;
    private final AdministrationHandler administration;
    private final StatementRouter router;
    private final ReadsBeforeWrite readsBeforeWrite;
    private final PlanExecutor executor;
    private final ClientObserver observer;
    private final StatementAdmission admission;

    /** @param caller as in {@link ClientContext} */
    ClientConnectionHandler(ClientIdentity identity, @Nullable CallingThread caller, SharedServices shared) {
        this.shared = shared;
        this.rights = new SessionRights(identity.role(), shared.texts().rights());
        this.observer = shared.reports().observer().client(identity.user(), identity.address());
        this.client = context(identity, caller, observer, shared);
        this.transaction = client.transaction();
        this.runner = new StatementRunner(
                client.statements(), shared.dialect(), shared.texts().mayStoreViews());
        this.descriptions =
                new Descriptions(shared.dialect(), client.statements().cancellation());
        this.actions = new StatementActions(
                shared.texts().classifier(),
                shared.texts().grouped(),
                shared.texts().reads(),
                shared.dialect(),
                runner,
                client);
        this.administration = new AdministrationHandler(
                new Viewer(identity.user(), identity.administrator(), rights),
                new AdministrationHandler.Sources(
                        shared.reports().administration(),
                        shared.outcomes(),
                        shared.reports().status(),
                        shared.cache(),
                        shared.limits().classes(),
                        shared.reports().observer().slowStatements(),
                        shared.dialect().reader()),
                shared.reports().audit().client(identity.user(), identity.address(), identity.tls()),
                client);
        this.router = new StatementRouter(
                client,
                shared.server().pins(),
                shared.server().masterIsolation(),
                shared.server().readsBeforeWrite(),
                shared.server().master().node().engine().hasStandbys());
        this.readsBeforeWrite = new ReadsBeforeWrite(shared, transaction, router);
        this.executor = new PlanExecutor(client, shared.server(), administration);
        this.admission = new StatementAdmission(
                shared.limits().statements(),
                identity,
                client.statements().cancellation(),
                () -> transaction.leaseOrNull() != null,
                this::status);
    }

    private static ClientContext context(
            ClientIdentity identity, @Nullable CallingThread caller, ClientObserver observer, SharedServices shared) {
        SqlDialect dialect = shared.dialect();
        Cancellation cancellation = new Cancellation();
        LargeResults large =
                new LargeResults(shared.limits().memory(), shared.limits().uploads());
        return new ClientContext(
                identity.sessionId(),
                identity.role(),
                new TransactionState(),
                new SessionTimeZone(dialect, identity.zone()),
                new StatementState(
                        new StatementSlots(),
                        new OpenCursors(
                                cancellation, dialect, large, shared.limits().uploads()),
                        new UploadedValues(
                                shared.limits().uploads(), dialect.values().copiesOfSent()),
                        large,
                        new LastGeneratedKey(dialect.sessions().lastKeys()),
                        cancellation),
                caller,
                observer.clock());
    }

    /** Records to which operation of the application the next request belongs. */
    public void belongsTo(TraceContext operation) {
        observer.belongsTo(operation);
    }

    /** Stores a piece of a large parameter for the statement that follows. */
    public void upload(Upload request, Reply reply) {
        answerOffIoThread(reply, () -> {
            client.statements().uploads().append(request.value(), request.piece());
            return new Done(status());
        });
    }

    /** Sends the next piece of a large value of the last result. */
    public void download(Download request, Reply reply) {
        answerOffIoThread(reply, () -> client.statements().large().next(request.number()));
    }

    private void answerOffIoThread(Reply reply, Answering action) {
        shared.texts().classifier().run(() -> reply.send(outcome(action, ErrorReports.MIDDLEWARE)));
    }

    /** Discards the large values of the last result. Called when a request other than {@link Download} arrives. */
    public void forgetLargeResults() {
        client.statements().large().forget();
    }

    /** Returns a reply that discards the large parameters that were sent ahead: only one statement uses them. */
    private Reply forgetting(Reply reply) {
        return client.statements().uploads().isEmpty()
                ? reply
                : response -> {
                    client.statements().uploads().clear();
                    reply.send(response);
                };
    }

    /**
     * Returns a reply that ends the observation of a statement, which begins now.
     *
     * @param sql returns the text of the statement
     */
    private Reply observed(MessageType request, Supplier<String> sql, Reply reply) {
        if (!observer.isOn()) {
            return reply;
        }
        observer.begin();
        return response -> {
            try {
                observer.ended(request, sql, response);
            } finally {
                reply.send(response);
            }
        };
    }

    /** Routes a statement and executes its plan. A plan is made when the commit before the statement has ended. */
    private void run(String sql, StatementTask task) {
        if (router.commitsFirst(task)) {
            executor.commitFirst(task, () -> executor.execute(router.plan(task), sql, task));
        } else {
            executor.execute(router.plan(task), sql, task);
        }
    }

    public void describe(int sequence, Describe request, Reply answer) {
        Reply observed = observed(MessageType.DESCRIBE, request::sql, answer);
        admission.admit(
                "",
                observed,
                reply -> shared.texts()
                        .classifier()
                        .classify(request.sql(), text -> describe(sequence, request, text, reply)));
    }

    /** Describes a statement where the statement would run, see {@link StatementRouter#planDescription}. */
    private void describe(int sequence, Describe request, ClassifiedText text, Reply reply) {
        Classification classification = text.classification();
        if (classification.kind().isDispatchers()) {
            reply.send(Descriptions.NOTHING.withStatus(status()));
            return;
        }
        StatementTask task = description(sequence, reply, (connection, whole) -> {
            boolean own = transaction.leaseOrNull() != null;
            return request.ofResult()
                    ? descriptions.describeResult(connection, request, text, own)
                    : descriptions.describe(connection, request, text, own);
        });
        executor.execute(router.planDescription(classification), task);
    }

    /** Returns the task of a description, which neither begins a transaction nor runs as an update. */
    private StatementTask description(int sequence, Reply reply, StatementAction action) {
        Classification catalog = Classification.of(Classification.Kind.CATALOG);
        StatementWork work = new StatementWork.Description(action);
        return task(sequence, TransactionMode.DEFAULT, catalog, reply, work).withMode(TransactionMode.DEFAULT);
    }

    public void execute(int sequence, Execute request, Reply answer) {
        String sql = client.statements().slots().resolve(request.text());
        Reply ending = withTimeLimit(sequence, request.options(), forgetting(answer));
        Reply observed = observed(MessageType.EXECUTE, () -> sql, ending);
        admission.admit(sql, observed, reply -> execute(sequence, request, sql, reply));
    }

    private void execute(int sequence, Execute request, String sql, Reply reply) {
        shared.texts()
                .classifier()
                .classify(
                        sql,
                        unlimited -> limit(unlimited, request, limited -> {
                            ClassifiedText text = bound(limited, request.parameters());
                            if (text.classification().kind() == Classification.Kind.EXPLAIN_ROUTE) {
                                shared.texts()
                                        .classifier()
                                        .run(() -> explain(
                                                sequence,
                                                request,
                                                shared.texts().classifier().explained(sql),
                                                reply));
                            } else {
                                run(sequence, request, sql, text, reply);
                            }
                        }));
    }

    private void run(int sequence, Execute request, String sql, ClassifiedText text, Reply reply) {
        boolean several = sql.indexOf(';') >= 0;
        StatementAction action = (connection, whole) -> runner.execute(
                connection, request.text(), text, request.parameters(), request.options(), whole || several);
        StatementTask task;
        try {
            RoutingClass routingClass = classOf(text);
            StatementAction measured = text.classification().changesNothing()
                    ? StatementActions.measured(sql, shared.limits().classes().costs(), action)
                    : action;
            task = task(sequence, request, text, reply, measured).withRoutingClass(routingClass);
        } catch (SQLException | RuntimeException e) {
            reply.send(ErrorReports.report(e, ErrorReports.MIDDLEWARE, status()));
            return;
        }
        run(sql, task);
    }

    /**
     * Passes on the text with its classification within the client's rights. The master checks the privileges of a
     * statement by itself if the client's transaction, or its session's state, is there.
     */
    private void limit(ClassifiedText text, Execute request, Consumer<ClassifiedText> then) {
        boolean onMaster = (transaction.isOpen() && transaction.isOnMaster()) || transaction.isPinned();
        if (onMaster) {
            then.accept(limited(text, request.mode()));
            return;
        }
        boolean repeatable = client.statements().uploads().isEmpty();
        text.within(
                rights,
                transaction.modes().over(request.mode()).readOnly(),
                repeatable ? statement -> runner.bind(statement, 1, request.parameters()) : null,
                then);
    }

    /** Returns the text with its classification within the client's rights. */
    private ClassifiedText limited(ClassifiedText text, TransactionMode asked) {
        return text.within(rights, transaction.modes().over(asked).readOnly());
    }

    /** Returns the text with the session settings that it may change with these parameters. */
    private ClassifiedText bound(ClassifiedText text, List<Parameter> parameters) {
        return text.withSettings(setting -> shared.dialect().sessions().bound(setting, parameters));
    }

    /** Returns the routing class of a statement; null if it has none, because it is no read. */
    private @Nullable RoutingClass classOf(ClassifiedText text) throws SQLException {
        return text.classification().changesNothing()
                ? shared.limits().classes().of(text.classification(), text.sql())
                : null;
    }

    /** Answers EXPLAIN ROUTE. The statement is classified and planned as usual, but not executed. */
    private void explain(int sequence, Execute request, String sql, Reply reply) {
        shared.texts().classifier().classify(sql, unlimited -> {
            ClassifiedText text = limited(unlimited, request.mode());
            RoutingClass routingClass;
            try {
                routingClass = classOf(text);
            } catch (SQLException e) {
                reply.send(ErrorReports.report(e, ErrorReports.MIDDLEWARE, status()));
                return;
            }
            TransactionMode mode = transaction.modes().over(request.mode());
            StatementWork none = new StatementWork.Plain((connection, whole) -> {
                throw new IllegalStateException("an explained statement does not run");
            });
            StatementTask task = task(sequence, request.mode(), text.classification(), reply, none);
            StatementTask explained =
                    readsBeforeWrite.decide(text, mode, request).applyTo(task).withRoutingClass(routingClass);
            reply.send(new RouteExplanation(
                            shared.server(),
                            shared.reports().status().get(),
                            explained,
                            router.plan(explained),
                            request.text().prepared(),
                            shared.texts().reads().cacheable(text, client.zone().present(), request.parameters()))
                    .asResult(status()));
        });
    }

    private StatementTask task(
            int sequence, Execute request, ClassifiedText text, Reply reply, StatementAction action) {
        TransactionMode mode = transaction.modes().over(request.mode());
        ReadsBeforeWrite.Decision decision = readsBeforeWrite.decide(text, mode, request);
        if (decision.dependencies() != null && !transaction.isOpen()) {
            transaction.predict(text.sql());
        }
        boolean hasRead = transaction.isOpen()
                ? transaction.hasReadElsewhere() || !transaction.isOnMaster() // and continues on the master
                : mode.hasRead() || transaction.hasReadBeforeBegin();
        StatementWork suitable = actions.of(
                text,
                request,
                mode,
                decision.precedesWrites(),
                actions.unlessChanged(
                        text.classification(), hasRead ? actions.afterQueries(text.classification(), action) : action));
        return decision.applyTo(task(sequence, request.mode(), text.classification(), reply, suitable));
    }

    public void executeBatch(int sequence, ExecuteBatch request, Reply answer) {
        String sql = client.statements().slots().resolve(request.text());
        Reply ending = withTimeLimit(sequence, request.options(), forgetting(answer));
        Reply observed = observed(MessageType.EXECUTE_BATCH, () -> sql, ending);
        admission.admit("", observed, reply -> executeBatch(sequence, request, sql, reply));
    }

    private void executeBatch(int sequence, ExecuteBatch request, String sql, Reply reply) {
        shared.texts().classifier().classify(sql, text -> {
            ClassifiedText batch =
                    bound(limited(text, request.mode()), List.of()).inBatch();
            StatementAction action = actions.withDefaultQuoting(
                    text.classification(),
                    (connection, whole) -> runner.executeBatch(connection, batch, request.rows(), request.options()));
            run(sql, task(sequence, request.mode(), batch.classification(), reply, new StatementWork.Plain(action)));
        });
    }

    public void executeScript(int sequence, ExecuteScript request, Reply answer) {
        List<String> texts = request.statements();
        Reply ending = withTimeLimit(sequence, request.options(), answer);
        Reply observed = observed(MessageType.EXECUTE_SCRIPT, () -> String.join("; ", texts), ending);
        admission.admit("", observed, reply -> executeScript(sequence, request, texts, reply));
    }

    private void executeScript(int sequence, ExecuteScript request, List<String> texts, Reply reply) {
        shared.texts().classifier().classifyBatch(texts, unlimited -> {
            ClassifiedText script = limited(unlimited, request.mode());
            StatementAction action = actions.withDefaultQuoting(
                    unlimited.classification(),
                    (connection, whole) -> runner.executeScript(connection, script, request.options()));
            run(
                    texts.size() == 1 ? texts.get(0) : "",
                    task(sequence, request.mode(), script.classification(), reply, new StatementWork.Plain(action)));
        });
    }

    public void catalogCall(int sequence, CatalogCall request, Reply answer) {
        Reply observed = observed(MessageType.CATALOG_CALL, () -> "DatabaseMetaData." + request.method(), answer);
        admission.admit("", observed, reply -> {
            StatementTask call =
                    description(sequence, reply, (connection, whole) -> descriptions.call(connection, request));
            executor.execute(CatalogCalls.returnsRows(request) ? router.planCatalog() : router.planServer(), call);
        });
    }

    public void fetch(Fetch request, Reply reply) {
        onCursor(request.cursor(), reply, () -> client.cursors().fetch(request.cursor(), request.maxRows()));
    }

    public void closeCursor(CloseCursor request, Reply reply) {
        onCursor(request.cursor(), reply, () -> {
            client.cursors().close(request.cursor());
            return new Done(status());
        });
    }

    /** @param keepsModes whether modes that SQL has set for the next transaction remain */
    public void commit(int sequence, boolean keepsModes, Reply reply) {
        if (keepsModes) {
            transaction.modes().keepNext();
        }
        Reply observed = observed(MessageType.COMMIT, () -> "COMMIT", reply);
        executor.commit(new Receipt(client.sessionId(), sequence), observed, Done::new);
    }

    public void rollback(Reply reply) {
        executor.rollback(observed(MessageType.ROLLBACK, () -> "ROLLBACK", reply), Done::new);
    }

    public void savepoint(int sequence, SavepointRequest request, Reply reply) {
        StatementWork work = new StatementWork.Plain((connection, whole) -> {
            transaction.savepoint(connection, request);
            return new Done(SessionStatus.NONE);
        });
        StatementTask savepoint =
                task(sequence, request.mode(), Classification.of(Classification.Kind.MASTER), reply, work);
        executor.execute(router.locate(savepoint), savepoint);
    }

    /** Answers without the use of a node. */
    public void ping(Reply reply) {
        reply.send(new Done(transaction.status(
                SessionStatus.NO_NODE, shared.server().published().value())));
    }

    /** Records that a request begins; cancels name the request by its sequence number. */
    public void beginRequest(int sequence) {
        client.statements().cancellation().beginRequest(sequence);
    }

    /** Records that the request is answered, or that none follows. */
    public void endRequest() {
        client.statements().cancellation().endRequest();
    }

    /** Cancels a request, unless it is answered already. Callable from any thread. */
    public void cancel(int sequence) {
        Cancellation cancellation = client.statements().cancellation();
        if (cancellation.request(sequence)) {
            shared.limits().cancels().deliver(cancellation);
        }
    }

    /** Cancels all requests, because the client has gone. Callable from any thread. */
    public void cancelAll() {
        Cancellation cancellation = client.statements().cancellation();
        if (cancellation.requestAll()) {
            shared.limits().cancels().deliver(cancellation);
        }
    }

    /** Returns a reply that ends the time limit of a statement, which begins now. */
    private Reply withTimeLimit(int sequence, ExecuteOptions options, Reply reply) {
        if (options.timeoutSeconds() == 0) {
            return reply;
        }
        Future<?> limit =
                shared.limits().cancels().limit(client.statements().cancellation(), sequence, options.timeoutSeconds());
        return response -> {
            limit.cancel(false);
            reply.send(response);
        };
    }

    /**
     * Rolls back an open transaction and releases all resources. Called when the client has disconnected and none of
     * its requests is being handled.
     */
    public void close() {
        try {
            client.cursors().closeAll();
            client.statements().uploads().clear();
            client.statements().large().forget();
        } finally {
            releaseConnection();
        }
    }

    private void releaseConnection() {
        Lease lease = transaction.leaseOrNull();
        if (lease != null) {
            // the session state is not reviewed any more, so that the connection cannot be reused
            boolean others = transaction.isPinned() || transaction.isReviewDue();
            lease.submit(others ? lease::discard : lease::release);
        }
        transaction.connectionLost();
        shared.server().pins().remove(client.sessionId());
    }

    /** Returns the resources that the client withholds from other clients. Called while no request is being handled. */
    public PinnedResource held() {
        if (transaction.isOpen()) {
            return PinnedResource.TRANSACTION;
        }
        return transaction.isPinned() ? PinnedResource.SESSION_STATE : PinnedResource.NOTHING;
    }

    private StatementTask task(
            int sequence, TransactionMode asked, Classification classification, Reply reply, StatementWork work) {
        return new StatementTask(
                new Receipt(client.sessionId(), sequence),
                transaction.modes().over(asked),
                classification,
                false,
                null,
                null,
                work,
                new SingleReply(reply));
    }

    private interface Answering {
        Response run() throws SQLException;
    }

    private void onCursor(int cursor, Reply reply, Answering action) {
        @Nullable Lease own = client.cursors().lease(cursor);
        Lease lease = own != null ? own : transaction.leaseOrNull();
        if (lease == null) {
            reply.send(outcome(action, ErrorReports.MIDDLEWARE)); // the transaction has ended, and its cursors with it
        } else if (own == null && transaction.isOpen() && client.cursors().isOpen(cursor)) {
            lease.submit(() -> reply.send(outcomeInTransaction(lease, action)));
        } else if (own != null) {
            lease.submit(() -> reply.send(outcomeAlone(lease, cursor, action)));
        } else {
            lease.submit(() -> reply.send(outcome(action, lease.node().name())));
        }
    }

    private Response outcome(Answering action, String where) {
        try {
            return action.run();
        } catch (SQLException | RuntimeException e) {
            return ErrorReports.report(e, where, status());
        }
    }

    /** Runs an action on a result set outside a transaction, which retains a connection of its own. */
    private Response outcomeAlone(Lease own, int cursor, Answering action) {
        try {
            return action.run();
        } catch (SQLException | RuntimeException e) {
            Optional<SQLException> lost = executor.lostWhileReading(own, e);
            if (lost.isPresent()) {
                client.cursors().lost(cursor);
            }
            return ErrorReports.report(
                    lost.<Exception>map(found -> found).orElse(e), own.node().name(), status());
        }
    }

    /**
     * Runs an action inside the open transaction: a failure while rows are fetched affects the transaction as the
     * failure of a statement does.
     */
    private Response outcomeInTransaction(Lease lease, Answering action) {
        try {
            return action.run();
        } catch (SQLException | RuntimeException e) {
            return executor.failed(lease, e);
        }
    }

    private SessionStatus status() {
        return transaction.status(SessionStatus.NO_NODE, 0);
    }
}
