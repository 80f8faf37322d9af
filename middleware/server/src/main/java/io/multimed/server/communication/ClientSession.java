package io.multimed.server.communication;

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
import io.multimed.protocol.response.Welcome;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.Protocol;
import io.multimed.protocol.wire.ProtocolException;
import io.multimed.protocol.wire.WireReader;
import io.multimed.server.communication.foreign.FirstBytes;
import io.multimed.server.communication.foreign.SilentClient;
import io.multimed.server.communication.peer.LocalClients;
import io.multimed.server.communication.peer.LocalConnection;
import io.multimed.server.communication.tls.ServerTls;
import io.multimed.server.communication.tls.TlsGate;
import io.multimed.server.dispatcher.ClientConnectionHandler;
import io.multimed.server.dispatcher.session.PinnedResource;
import io.multimed.server.node.Refusals;
import io.multimed.server.node.login.RoleLogin;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.mina.core.session.IoSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connected client.
 *
 * <p>States: NEW - {@link #hello} - AUTHENTICATING - {@link #proof}, {@link #clearPassword} or {@link #decided} - OPEN
 * - {@link #disconnected}, {@link #goodbye} or {@link #refuse} - CLOSED, when no request of the session runs any more.
 * A client sends exactly one hello. The session handles one request at a time: it decodes and starts a request after
 * the response to the previous one was sent. A client that sends too many requests ahead is disconnected, so the queue
 * is bounded.
 *
 * <p>Threads: the I/O thread of the connection calls {@link #received} and {@link #disconnected}; responses come from
 * the threads of the nodes; the thread {@code idle-clients} calls {@link #checkLimits}. A request passes from one
 * thread to the next through the {@link RequestQueue}.
 */
final class ClientSession implements RequestHandler, RequestDecoder.Session {
    private static final Logger LOG = LoggerFactory.getLogger(ClientSession.class);

    private static final int LONGEST_NAME = 256;

    private final IoSession io;
    private final SilentClient silent = new SilentClient();
    private final FrameReceiver inflow;
    private final ResponseSender outflow;
    private final RequestDecoder requests;
    private final SessionRegistry sessions;
    private final InetAddress address;
    private final LocalConnection connection;
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

    /** Written once. */
    private volatile @Nullable Hello hello;

    private @Nullable ScramExchange authentication;

    /** The login as a role of the master; null for users of the middleware. Written once, before the welcome. */
    private volatile @Nullable RoleLogin roleLogin;

    /** Written once, while the hello or the proof is handled. */
    private volatile @Nullable ClientConnectionHandler connectionHandler;

    ClientSession(IoSession io, SessionRegistry sessions, long id, long cancelKey, int maxFrame) {
        this.outflow = new ResponseSender(
                io,
                sessions.memory(),
                sessions.queuedPerClient(),
                () -> sessions.refusals().count(Refusals.Limit.QUEUED_PER_CLIENT));
        this.inflow = new FrameReceiver(
                io,
                this::received,
                this::terminate,
                new FirstBytes(io, outflow::sendForeign),
                new FrameReader(
                        () -> isKnown() ? maxFrame : Math.min(maxFrame, FrameReader.FREE_BYTES), sessions.memory()),
                sessions.memory(),
                sessions.aside());
        this.queue = new RequestQueue(
                sessions.queuedPerClient(), () -> sessions.refusals().count(Refusals.Limit.QUEUED_PER_CLIENT));
        this.requests = new RequestDecoder(this, sessions.memory(), sessions.aside());
        this.io = io;
        this.sessions = sessions;
        this.address = FailedLogins.address(io);
        this.connection = new LocalConnection(
                (InetSocketAddress) io.getRemoteAddress(), (InetSocketAddress) io.getLocalAddress());
        this.id = id;
        this.cancelKey = cancelKey;
    }

    long id() {
        return id;
    }

    /** Returns the client's address and port, for display. */
    String address() {
        String text = String.valueOf(io.getRemoteAddress()); // of the form /127.0.0.1:5432
        return text.startsWith("/") ? text.substring(1) : text;
    }

    /** Returns the version of TLS that the client uses; empty without TLS. */
    String tls() {
        return ServerTls.version(io);
    }

    /** Returns the address whose limits apply to the client. */
    InetAddress origin() {
        return address;
    }

    /** Returns the user; empty before the login. */
    String user() {
        Hello known = hello;
        return isKnown() && known != null ? known.user() : "";
    }

    /** Returns the user whom the client has named, also before the login; empty if it has not named any. */
    String claimedUser() {
        Hello known = hello;
        return known == null ? "" : known.user();
    }

    /** Returns whether the user is a role of the master, which has checked the password. */
    boolean isPassedThrough() {
        return roleLogin != null;
    }

    long cancelKey() {
        return cancelKey;
    }

    /** Returns whether the client has logged in. It may then send messages other than a login. */
    @Override
    public boolean isKnown() {
        return connectionHandler != null;
    }

    FrameReceiver inflow() {
        return inflow;
    }

    ResponseSender outflow() {
        return outflow;
    }

    /** Called on the connection's I/O thread before bytes of the client are handled, also before their decryption. */
    void speaks() {
        silent.speaks();
    }

    /**
     * Handles a complete frame. Called on the connection's I/O thread, or on the thread that continues a reader after a
     * wait for memory.
     */
    void received(ReceivedFrame frame) {
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
        outflow.whenRead(() -> {
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
            outflow.send(frame.sequence(), new Done(SessionStatus.NONE));
            io.closeOnFlush();
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
            ((Request) frame.message()).accept(this);
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
    private void reply(Response response) {
        ClientConnectionHandler open = connectionHandler;
        if (open != null) {
            open.endRequest();
        }
        outflow.send(sequence, response);
        SessionStatus status = response.status();
        if (status != null && status.inTransaction() != inTransaction) {
            inTransaction = status.inTransaction();
        }
        sessions.listener().answered(user(), kind, response, System.nanoTime() - begun);
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
    void terminate(String sqlState, String why) {
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
        io.closeNow();
    }

    /** Ends a connection that has not logged in in time. */
    void endLogin(String sqlState, String why) {
        terminate(sqlState, why);
        if (TlsGate.isHandshaking(io)) {
            io.closeNow();
        }
    }

    /** Sends the error, and prevents further requests. Returns whether a request was being handled. */
    private boolean rejectFurtherRequests(int request, String sqlState, @Nullable String why) {
        outflow.send(request, new ErrorReport(SessionStatus.NONE, sqlState, 0, String.valueOf(why), "middleware"));
        io.closeOnFlush();
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
        silent.look(outflow::sendForeign);
        inflow.look();
        requests.look();
        outflow.look();
        if (queue.hasHadTimeToLeave()) {
            io.closeNow(); // the client does not read the error
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
        LOG.info("{}: {}", io.getRemoteAddress(), limits.reason(expired));
        open.close();
        startNext();
    }

    /** Called when the connection is closed: cancels a running request and rolls back an open transaction. */
    void disconnected() {
        inflow.closed();
        outflow.written();
        if (queue.disconnect()) {
            cancelAll();
        } else {
            releaseResources();
        }
        outflow.closed();
    }

    /**
     * Releases all resources, after the session is over and no request of it runs any more. A transaction that is not
     * committed now is rolled back. Further calls have no effect.
     */
    private void releaseResources() {
        if (!queue.beginClosing()) {
            return;
        }
        ClientConnectionHandler open = connectionHandler;
        if (open != null) {
            open.close();
        }
        RoleLogin login = roleLogin;
        if (login != null) {
            login.close();
        }
        outflow.written();
        sessions.ended(this, saidGoodbye ? null : new SessionOutcome(cancelKey, sequence, answer));
        queue.end();
    }

    /**
     * Closes the connection, and runs an action when no request of this session can have an effect any more;
     * immediately if that is already so.
     */
    void end(Runnable action) {
        io.closeNow();
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

    @Override
    public void hello(Hello request) {
        if (hello != null) {
            throw new ProtocolException("the client sent a second hello");
        } else if (!isName(request.user())) {
            refuse(
                    "28000",
                    "the name of the user contains control characters, or is longer than %d characters: use another name"
                            .formatted(LONGEST_NAME));
        } else if (request.version() != Protocol.VERSION) {
            auditLogin(request, "refused", "another version of the protocol");
            refuse(
                    "08004",
                    "this middleware speaks protocol version %d, the driver version %d: use the driver of the same release"
                            .formatted(Protocol.VERSION, request.version()));
        } else if (!request.database().equals(sessions.identity().database())) {
            auditLogin(request, "refused", "another database");
            refuse(
                    "3D000",
                    "database \"%s\" is not served here; this middleware serves \"%s\": name it in the URL"
                            .formatted(request.database(), sessions.identity().database()));
        } else if (sessions.users().areAsked()) {
            hello = request;
            authentication = ScramExchange.begin(sessions.users(), request, ServerTls.binding(io));
            reply(authentication.challenge());
        } else {
            hello = request;
            sessions.decideWithoutPassword(connection, decision -> decided(request, decision));
        }
    }

    /**
     * Admits or refuses a client without a password. A later connection of another account may have the same addresses
     * as this one if this one was reset meanwhile: requests that were sent ahead run only if it was not.
     */
    private void decided(Hello client, LocalClients.Decision decision) {
        String refusal = sessions.users().areAsked() ? "users have been defined: connect again" : decision.refusal();
        if (refusal == null) {
            outflow.awaitWrites();
            welcome(
                    client,
                    Users.LoginMethod.ACCOUNT,
                    new byte[0],
                    "no password is required; account " + decision.account());
        } else {
            auditLogin(client, "refused", "without a password; account " + decision.account());
            LOG.warn("{}: {}", io.getRemoteAddress(), refusal);
            refuse("28000", refusal);
        }
    }

    /** Disconnects the client if there are no users any more, and its account may not connect without a password. */
    void leaveUnlessTrusted() {
        sessions.decideWithoutPassword(connection, decision -> {
            if (decision.refusal() != null) {
                userRemoved();
            }
        });
    }

    /** Disconnects the client, because its user may not connect any more. */
    void userRemoved() {
        terminate("28000", wasRemoved(claimedUser()));
    }

    private static String wasRemoved(String user) {
        return "the user \"%s\" was removed".formatted(user);
    }

    /** Returns whether a text may be a user's name: it becomes a part of lines in the log. */
    private static boolean isName(String text) {
        return text.length() <= LONGEST_NAME && text.chars().noneMatch(Character::isISOControl);
    }

    @Override
    public void proof(Proof request) {
        ScramExchange exchange = authentication;
        authentication = null;
        if (exchange == null || hello == null) {
            throw new ProtocolException("a proof without a challenge");
        }
        Hello client = hello;
        if (mayBeChecked(client)) {
            verify(client, exchange, request);
        }
    }

    /** Refuses a login without a check after too many failed ones from the same place. */
    private boolean mayBeChecked(Hello client) {
        FailedLogins.Verdict verdict = sessions.failedLogins().ask(address, client.user(), System.nanoTime());
        if (!verdict.mayBeChecked()) {
            if (verdict.first()) {
                auditLogin(client, "refused", "too many failed logins");
                LOG.warn("{}: user \"{}\": {}", io.getRemoteAddress(), client.user(), verdict.reason());
            }
            refuse("53300", verdict.reason());
        }
        return verdict.mayBeChecked();
    }

    private void verify(Hello client, ScramExchange exchange, Proof proof) {
        if (exchange.verify(proof)) {
            sessions.failedLogins().succeeded(address, client.user(), System.nanoTime());
            welcome(client, Users.LoginMethod.PASSWORD, exchange.serverSignature(), "");
        } else {
            refuseLogin(client);
        }
    }

    private void refuseLogin(Hello client) {
        sessions.failedLogins().failed(address, client.user(), System.nanoTime());
        auditLogin(client, "refused", "wrong user or password");
        LOG.warn("{}: password authentication failed for user \"{}\"", io.getRemoteAddress(), client.user());
        refuse("28P01", "password authentication failed for user \"%s\"".formatted(client.user()));
    }

    @Override
    public void clearPassword(ClearPassword request) {
        boolean isExpected = authentication != null;
        authentication = null;
        if (!isExpected || hello == null) {
            throw new ProtocolException("a password without a challenge");
        }
        Hello client = hello;
        if (tls().isEmpty()) {
            refusePassThrough(
                    client, "a password was sent without encryption: set sslMode=verify-full, and change the password");
        } else if (!sessions.users().passThrough()) {
            refusePassThrough(
                    client,
                    "this middleware does not pass users through to the master (listen.pass-through): remove requireAuth=password from the URL");
        } else {
            executeLogin(() -> checkPassword(client, request.text()));
        }
    }

    private void refusePassThrough(Hello client, String why) {
        auditLogin(client, "refused", why);
        refuse("28000", why);
    }

    /** Runs a step of a login that waits for the master. */
    private void executeLogin(Runnable step) {
        if (!sessions.passThrough().execute(() -> guarded(step))) {
            refuse("53300", "too many logins wait for the master: try again later");
        }
    }

    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
            LOG.error("session {}: a login failed", id, e);
            refuse("XX000", "internal error of the middleware: " + e);
        }
    }

    /** Called when a thread is free, and not before: by then, the failures of earlier logins are counted. */
    private void checkPassword(Hello client, String password) {
        if (isOver()) {
            drop();
            return;
        }
        if (!mayBeChecked(client)) {
            return;
        }
        PassThroughLogins.Outcome outcome = sessions.passThrough().check(client.user(), password, this::isOver);
        if (outcome instanceof PassThroughLogins.Accepted accepted) {
            roleLogin = accepted.login();
            sessions.failedLogins().succeeded(address, client.user(), System.nanoTime());
            welcome(client, Users.LoginMethod.MASTER, new byte[0], "the master has checked the password");
        } else if (outcome instanceof PassThroughLogins.Failed failed) {
            auditLogin(client, "refused", failed.why());
            refuse(failed.sqlState(), failed.why());
        } else if (outcome instanceof PassThroughLogins.Refused refused) {
            LOG.info("{}: the master refused the user \"{}\": {}", io.getRemoteAddress(), client.user(), refused.why());
            refuseLogin(client);
        }
    }

    private void auditLogin(Hello client, String outcome, String why) {
        sessions.audit(this, client.user()).record("login", outcome, why);
    }

    /** @param why the client may connect without a password; empty if it has proved one */
    private void welcome(Hello client, Users.LoginMethod method, byte[] signature, String why) {
        String full = sessions.admit(this, client.user()); // ends the time limit of the login
        if (isOver()) {
            auditLogin(client, "refused", "the connection had ended before the login was complete");
            drop();
            return;
        }
        if (full != null) {
            auditLogin(client, "refused", "too many clients");
            LOG.warn("{}: {}", io.getRemoteAddress(), full);
            refuse("53300", full);
            return;
        }
        ClientConnectionHandler opened = sessions.open(this, client, method);
        if (opened == null) {
            auditLogin(client, "refused", "the user was removed during the login");
            refuse("28000", wasRemoved(client.user()));
            return;
        }
        connectionHandler = opened;
        auditLogin(client, "accepted", why);
        reply(new Welcome(
                id,
                cancelKey,
                sessions.publishedScn(),
                signature,
                sessions.identity().engine(),
                sessions.identity().traces(),
                sessions.identity().nodes().get()));
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
        open().commit(sequence, this::reply);
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
        io.closeNow();
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
        request.request().accept(this);
    }
}
