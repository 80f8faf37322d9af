// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication;

import io.multimed.engine.memory.MemoryBudget;
import io.multimed.protocol.Frame;
import io.multimed.protocol.request.Cancel;
import io.multimed.protocol.request.CatalogCall;
import io.multimed.protocol.request.ClearPassword;
import io.multimed.protocol.request.CloseCursor;
import io.multimed.protocol.request.Commit;
import io.multimed.protocol.request.Describe;
import io.multimed.protocol.request.Download;
import io.multimed.protocol.request.Execute;
import io.multimed.protocol.request.ExecuteBatch;
import io.multimed.protocol.request.ExecuteScript;
import io.multimed.protocol.request.Fetch;
import io.multimed.protocol.request.Goodbye;
import io.multimed.protocol.request.Hello;
import io.multimed.protocol.request.Ping;
import io.multimed.protocol.request.Proof;
import io.multimed.protocol.request.QueryOutcome;
import io.multimed.protocol.request.Request;
import io.multimed.protocol.request.RequestHandler;
import io.multimed.protocol.request.Rollback;
import io.multimed.protocol.request.SavepointRequest;
import io.multimed.protocol.request.Traced;
import io.multimed.protocol.request.Upload;
import io.multimed.protocol.response.Done;
import io.multimed.protocol.response.ErrorReport;
import io.multimed.protocol.response.Response;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.ProtocolException;
import io.multimed.protocol.wire.WireReader;
import io.multimed.server.communication.peer.LocalConnection;
import io.multimed.server.communication.transport.ClientTransport;
import io.multimed.server.communication.transport.ReceivedFrame;
import io.multimed.server.dispatcher.ClientConnectionHandler;
import io.multimed.server.dispatcher.session.PinnedResource;
import io.multimed.server.node.Refusals;
import io.multimed.server.node.task.CallingThread;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connected client.
 *
 * <p>A session begins with the {@link LoginExchange}. After {@link #opened}, the {@link ClientConnectionHandler}
 * handles the requests, until {@link #disconnected}, {@link #goodbye} or {@link #refuse}: see {@link
 * RequestQueue.State}. The session handles one request at a time: it decodes and starts a request after the response to
 * the previous one was sent. A client that sends too many requests ahead is disconnected, so the queue is bounded.
 *
 * <p>Threads: the I/O thread of the connection calls {@link #received} and {@link #disconnected}; responses come from
 * the threads of the nodes; the thread {@code idle-clients} calls {@link #checkLimits}. A request passes from one
 * thread to the next through the {@link RequestQueue}.
 */
final class ClientSession
        implements RequestHandler, RequestDecoder.Session, ClientTransport.Session, LoginExchange.Session {
    private static final Logger LOG = LoggerFactory.getLogger(ClientSession.class);

    private final ClientTransport transport;
    private final LoginExchange login;
    private final RequestDecoder requests;
    private final SessionRegistry sessions;
    private final RequestListener listener;
    private final long id;
    private final long cancelKey;

    private final RequestQueue queue;

    /**
     * Sequence number of the current request, or of the last one if none is being handled. The queue passes it between
     * threads.
     */
    private int sequence;

    /** The kind of the current request and when its turn came. Passed between threads by the queue. */
    private MessageType kind = MessageType.HELLO;

    private long begun;

    /** Whether a transaction was open after the last request, for display. */
    private volatile boolean inTransaction;

    private final long connected = System.nanoTime();

    /**
     * Response to that request, if it was sent and is small enough to be kept. Passed between threads by the queue.
     */
    private @Nullable Response answer;

    /** The client has announced its departure by a goodbye, and will not ask for the outcome of a commit. */
    private boolean saidGoodbye;

    /**
     * Resources that were taken from an idle client; reported to its next request. Passed between threads by the
     * queue.
     */
    private PinnedResource expired = PinnedResource.NOTHING;

    /** Written once, when the login is complete. */
    private volatile @Nullable ClientConnectionHandler connectionHandler;

    /**
     * What sessions use.
     *
     * @param memory holds the values of requests
     * @param readers run requests that have waited for memory
     * @param maxAhead a request is accepted in advance as long as those before it are not larger, in bytes
     */
    record Services(
            Users users,
            ServerIdentity identity,
            PassThroughLogins passThrough,
            RequestListener listener,
            Refusals refusals,
            MemoryBudget memory,
            Executor readers,
            long maxAhead) {}

    /**
     * Creates the session of a new connection.
     *
     * @param connect creates the transport of the session
     * @param sessions contains the session
     */
    ClientSession(
            Function<ClientTransport.Session, ClientTransport> connect,
            Services services,
            SessionRegistry sessions,
            long id,
            long cancelKey) {
        this.id = id;
        this.cancelKey = cancelKey;
        this.sessions = sessions;
        this.listener = services.listener;
        this.queue =
                new RequestQueue(services.maxAhead, () -> services.refusals.count(Refusals.Limit.QUEUED_PER_CLIENT));
        this.requests = new RequestDecoder(this, services.memory, services.readers);
        this.transport = connect.apply(this);
        this.login = new LoginExchange(
                transport, this, services.users, services.identity, services.passThrough, sessions.admission(this));
    }

    @Override
    public long id() {
        return id;
    }

    /** Returns the client's address and port, for display. */
    String address() {
        return transport.remoteAddress();
    }

    /** Returns the version of TLS that the client uses; empty without TLS. */
    String tls() {
        return transport.tls();
    }

    /** Returns whether the client is a part of this process. */
    boolean isEmbedded() {
        return caller() != null;
    }

    /** Returns the thread that runs the tasks of the session; null for the client of a port. */
    @Nullable
    CallingThread caller() {
        return transport.caller();
    }

    /** Returns the address whose limits apply to the client. */
    @Override
    public InetAddress origin() {
        return FailedLogins.network(transport.ends().client().getAddress());
    }

    /** Returns the user; empty before the login. */
    String user() {
        return isKnown() ? login.claimedUser() : "";
    }

    /** Returns the user whom the client has named, also before the login; empty if it has not named any. */
    String claimedUser() {
        return login.claimedUser();
    }

    /** Returns whether the user is a role of the master, which has checked the password. */
    boolean isPassedThrough() {
        return login.isPassedThrough();
    }

    @Override
    public long cancelKey() {
        return cancelKey;
    }

    @Override
    public boolean isKnown() {
        return connectionHandler != null;
    }

    @Override
    public void opened(ClientConnectionHandler handler) {
        connectionHandler = handler;
    }

    @Override
    public void received(ReceivedFrame frame) {
        if (frame.isCancel()) {
            cancel(frame);
        } else if (queue.beginOrWait(frame)) {
            begin(frame);
        }
    }

    /**
     * Starts a request when the client has read the answers to the preceding ones: otherwise the answers of a client
     * that reads none would need memory without limit.
     */
    private void begin(ReceivedFrame frame) {
        transport.whenRead(() -> {
            if (isOver()) {
                frame.release();
                drop();
            } else {
                read(frame);
            }
        });
    }

    private void cancel(ReceivedFrame frame) {
        try {
            cancel((Cancel)
                    frame.read(isKnown(), WireReader.Allowance.UNBOUNDED).message());
            transport.send(frame.sequence(), new Done(SessionStatus.NONE));
            transport.closeOnFlush();
        } finally {
            frame.release();
        }
    }

    private void read(ReceivedFrame frame) {
        sequence = frame.sequence();
        begun = System.nanoTime();
        answer = null;
        ClientConnectionHandler open = connectionHandler;
        if (open != null) {
            open.beginRequest(sequence);
        }
        requests.read(frame);
    }

    @Override
    public void fail(String sqlState, String why) {
        reply(new ErrorReport(SessionStatus.NONE, sqlState, 0, why, "middleware"));
    }

    @Override
    public void drop() {
        next();
    }

    @Override
    public void handle(Frame frame) {
        kind = frame.message() instanceof Traced traced
                ? traced.request().type()
                : frame.message().type();
        forgetLargeResults(frame);
        try {
            if (expired != PinnedResource.NOTHING && !(frame.message() instanceof Goodbye)) {
                refuse(IdleTimeouts.sqlState(expired), sessions.idleTimeouts().reason(expired));
                return;
            }
            ((Request) frame.message()).dispatch(this);
        } catch (ProtocolException e) {
            refuse("08P01", e.getMessage());
        } catch (RuntimeException e) {
            LOG.error("session {}: a request failed", id, e);
            fail("XX000", "internal error of the middleware: " + e);
        } catch (LinkageError | VirtualMachineError | AssertionError e) {
            LOG.error("session {}: a request failed", id, e);
            refuse("XX000", "internal error of the middleware: " + e); // the thread may be shared with other sessions
        }
    }

    private void forgetLargeResults(Frame frame) {
        ClientConnectionHandler open = connectionHandler;
        if (open != null && !(frame.message() instanceof Download)) {
            open.forgetLargeResults();
        }
    }

    /** Sends the response to the current request, and starts the next request. */
    @Override
    public void reply(Response response) {
        ClientConnectionHandler open = connectionHandler;
        if (open != null) {
            open.endRequest();
        }
        transport.send(sequence, response);
        SessionStatus status = response.status();
        if (status != null && status.inTransaction() != inTransaction) {
            inTransaction = status.inTransaction();
        }
        listener.answered(user(), kind, response, System.nanoTime() - begun);
        answer = SessionOutcome.canKeep(response) ? response : null;
        startNext();
    }

    private void startNext() {
        ReceivedFrame next = next();
        if (next != null) {
            begin(next);
        }
    }

    /** Returns the oldest request that was sent ahead; null if there is none, or if the session closes. */
    private @Nullable ReceivedFrame next() {
        requests.answered();
        return queue.next(this::releaseResources);
    }

    /**
     * Answers with an error, closes the connection and releases all resources; no request that was sent ahead is
     * started. Called while a request is handled.
     */
    @Override
    public void refuse(String sqlState, @Nullable String why) {
        rejectFurtherRequests(sequence, sqlState, why);
        requests.answered();
        releaseResources();
    }

    /**
     * Ends the session like {@link #refuse}, but while a request may be running: cancels the request and releases the
     * resources after the request has ended. Callable from any thread.
     */
    @Override
    public void terminate(String sqlState, String why) {
        if (isOver()) {
            return;
        }
        if (rejectFurtherRequests(0, sqlState, why)) {
            cancelAll();
        } else {
            releaseResources();
        }
    }

    /**
     * Ends a connection that has not logged in, to which others are preferred: at once, because an error that waits for
     * the end of a TLS handshake would keep the connection.
     */
    void displace(String sqlState, String why) {
        terminate(sqlState, why);
        transport.closeNow();
    }

    /** Ends a connection that has not logged in in time. */
    void endLogin(String sqlState, String why) {
        terminate(sqlState, why);
        transport.closeLate();
    }

    /** Sends the error, and prevents further requests. Returns whether a request was being handled. */
    private boolean rejectFurtherRequests(int request, String sqlState, @Nullable String why) {
        transport.send(request, new ErrorReport(SessionStatus.NONE, sqlState, 0, String.valueOf(why), "middleware"));
        transport.closeOnFlush();
        return queue.refuse();
    }

    /** Returns the state of the client for display. Callable from any thread. */
    ConnectedClient describe(List<String> pinned) {
        long now = System.nanoTime();
        RequestQueue.Occupation occupation = queue.occupation();
        return new ConnectedClient(
                user(),
                address(),
                TimeUnit.NANOSECONDS.toMillis(now - connected),
                inTransaction,
                occupation.busy(),
                TimeUnit.NANOSECONDS.toMillis(now - occupation.since()),
                pinned);
    }

    /** Called about once per second: enforces the time limits of the session. */
    void checkLimits(IdleTimeouts limits) {
        transport.checkLimits();
        requests.checkLimits();
        if (queue.hasHadTimeToLeave()) {
            transport.closeNow(); // the client does not read the error
        } else if (limits.areSet()) {
            expire(limits);
        }
    }

    /** Disconnects the client if no request of it runs, and no transaction is open. Callable from any thread. */
    void leaveIfIdle(String why) {
        ClientConnectionHandler open = connectionHandler;
        if (queue.claimIfIdle(() -> open != null && open.held() == PinnedResource.TRANSACTION ? 0 : 1)) {
            sequence = 0;
            refuse("57P01", why);
        }
    }

    @Override
    public boolean isOver() {
        return queue.isOver();
    }

    /** Ends a session that has held resources for too long without sending a request. */
    private void expire(IdleTimeouts limits) {
        ClientConnectionHandler open = connectionHandler;
        if (open == null || !queue.claimIfIdle(() -> limits.of(open.held()).toNanos())) {
            return;
        }
        expired = open.held();
        LOG.info("{}: {}", address(), limits.reason(expired));
        try {
            open.close();
        } finally {
            startNext();
        }
    }

    /** Called when the connection is closed: cancels a running request and rolls back an open transaction. */
    void disconnected() {
        transport.stopReading();
        transport.releaseAnswers();
        if (queue.disconnect()) {
            cancelAll();
        } else {
            releaseResources();
        }
        transport.resumeClosed();
    }

    /**
     * Releases all resources, after the session is over and no request of it runs any more. A transaction that is not
     * committed now is rolled back. Further calls have no effect.
     */
    private void releaseResources() {
        if (!queue.beginClosing()) {
            return;
        }
        try {
            closeParts();
        } catch (RuntimeException | VirtualMachineError e) {
            LOG.error("session {}: its resources cannot be released", id, e);
        } finally {
            // After a failure, too: other sessions may wait for the outcome of this one.
            sessions.ended(this, saidGoodbye ? null : new SessionOutcome(cancelKey, sequence, answer));
            queue.end();
        }
    }

    private void closeParts() {
        ClientConnectionHandler open = connectionHandler;
        try {
            if (open != null) {
                open.close();
            }
        } finally {
            login.close();
            transport.releaseAnswers();
        }
    }

    /**
     * Closes the connection, and runs an action when no request of this session can have an effect any more;
     * immediately if that is already so.
     */
    void end(Runnable action) {
        transport.closeNow();
        queue.whenEnded(action);
    }

    /** Cancels the request with a number, unless it is answered; the engine is asked on another thread. */
    void cancel(int request) {
        ClientConnectionHandler open = connectionHandler;
        if (open != null) {
            open.cancel(request);
        }
    }

    /** Cancels the running request, if there is one, and those that follow. */
    private void cancelAll() {
        ClientConnectionHandler open = connectionHandler;
        if (open != null) {
            open.cancelAll();
        }
    }

    /** Disconnects the client, because its user may not connect any more. */
    void userRemoved() {
        terminate("28000", LoginExchange.wasRemoved(claimedUser()));
    }

    LocalConnection ends() {
        return transport.ends();
    }

    @Override
    public void hello(Hello request) {
        login.hello(request);
    }

    @Override
    public void proof(Proof request) {
        login.proof(request);
    }

    @Override
    public void clearPassword(ClearPassword request) {
        login.clearPassword(request);
    }

    private ClientConnectionHandler open() {
        ClientConnectionHandler open = connectionHandler;
        if (open == null) {
            throw new ProtocolException("a request before the welcome");
        }
        return open;
    }

    @Override
    public void execute(Execute request) {
        open().execute(sequence, request, this::reply);
    }

    @Override
    public void executeBatch(ExecuteBatch request) {
        open().executeBatch(sequence, request, this::reply);
    }

    @Override
    public void executeScript(ExecuteScript request) {
        open().executeScript(sequence, request, this::reply);
    }

    @Override
    public void fetch(Fetch request) {
        open().fetch(request, this::reply);
    }

    @Override
    public void closeCursor(CloseCursor request) {
        open().closeCursor(request, this::reply);
    }

    @Override
    public void commit(Commit request) {
        open().commit(sequence, request.keepsModes(), this::reply);
    }

    @Override
    public void rollback(Rollback request) {
        open().rollback(this::reply);
    }

    @Override
    public void savepoint(SavepointRequest request) {
        open().savepoint(sequence, request, this::reply);
    }

    @Override
    public void catalogCall(CatalogCall request) {
        open().catalogCall(sequence, request, this::reply);
    }

    @Override
    public void ping(Ping request) {
        open().ping(this::reply);
    }

    @Override
    public void cancel(Cancel request) {
        sessions.cancel(request);
    }

    @Override
    public void goodbye(Goodbye request) {
        saidGoodbye = true;
        queue.refuse();
        requests.answered();
        releaseResources(); // No other request is being handled, and no response follows that would trigger this.
        transport.closeNow();
    }

    @Override
    public void queryOutcome(QueryOutcome request) {
        open();
        if (request.sessionId() == id) {
            throw new ProtocolException("a session must not query its own outcome");
        }
        sessions.queryOutcome(request, this::reply);
    }

    @Override
    public void describe(Describe request) {
        open().describe(sequence, request, this::reply);
    }

    @Override
    public void upload(Upload request) {
        open().upload(request, this::reply);
    }

    @Override
    public void download(Download request) {
        open().download(request, this::reply);
    }

    @Override
    public void traced(Traced request) {
        open().belongsTo(request.context());
        request.request().dispatch(this);
    }
}
