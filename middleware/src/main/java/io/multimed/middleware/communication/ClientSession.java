package io.multimed.middleware.communication;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.multimed.middleware.dispatcher.Conversation;
import io.multimed.middleware.dispatcher.Held;
import io.multimed.protocol.Cancel;
import io.multimed.protocol.CatalogCall;
import io.multimed.protocol.CloseCursor;
import io.multimed.protocol.Commit;
import io.multimed.protocol.Describe;
import io.multimed.protocol.Download;
import io.multimed.protocol.ErrorReport;
import io.multimed.protocol.Execute;
import io.multimed.protocol.ExecuteBatch;
import io.multimed.protocol.ExecuteScript;
import io.multimed.protocol.Fetch;
import io.multimed.protocol.Frame;
import io.multimed.protocol.Goodbye;
import io.multimed.protocol.Hello;
import io.multimed.protocol.Ping;
import io.multimed.protocol.Proof;
import io.multimed.protocol.Protocol;
import io.multimed.protocol.ProtocolException;
import io.multimed.protocol.Recall;
import io.multimed.protocol.Request;
import io.multimed.protocol.RequestHandler;
import io.multimed.protocol.Response;
import io.multimed.protocol.Rollback;
import io.multimed.protocol.SavepointRequest;
import io.multimed.protocol.SessionStatus;
import io.multimed.protocol.Upload;
import io.multimed.protocol.Welcome;
import io.multimed.protocol.WireReader;
import io.multimed.protocol.WireWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.mina.core.buffer.IoBuffer;
import org.apache.mina.core.session.IoSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connected client.
 *
 * <p>NEW - {@link #hello} - AUTHENTICATING, if passwords are asked for - {@link #proof} - OPEN - {@link #disconnected}, {@link #goodbye} or {@link #refuse} - closed, once nothing of it runs any
 * more. A hello comes once. Requests are handled one after the other: the next is read and begun when the one before is answered. A client that sends far ahead is cut off, so what waits is bounded.
 */
final class ClientSession implements RequestHandler {
    private static final Logger LOG = LoggerFactory.getLogger(ClientSession.class);
    private static final int SENT_AHEAD = 64;

    /** A request that waits for memory, since when, and what is done when there is some. */
    private record Starved(Inbound frame, long since, Runnable again) {}

    /** How long a request waits for the memory that its values take. */
    private static final long MEMORY_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** How long a client that was refused may take to read why. */
    private static final long LEAVING_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** The SQLState for what finds no memory. */
    static final String OUT_OF_MEMORY = "53200";

    private static final SessionStatus NO_STATUS = new SessionStatus(false, false, SessionStatus.NO_NODE, 0);

    private static final ThreadLocal<WireWriter> SCRATCH = ThreadLocal.withInitial(WireWriter::new);

    private final IoSession io;
    private final Inflow inflow;
    private final Sessions sessions;
    private final long id;
    private final long cancelKey;

    /** Protects the fields below up to the blank line; held for a few instructions. */
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final ArrayDeque<Inbound> waiting = new ArrayDeque<>();

    @GuardedBy("lock")
    private boolean busy;

    /** Since when nothing is being handled, by {@link System#nanoTime}. */
    @GuardedBy("lock")
    private long idleSince = System.nanoTime();

    @GuardedBy("lock")
    private boolean gone;

    /** It is hung up on, or took its leave: nothing more of it is begun. */
    @GuardedBy("lock")
    private boolean refused;

    /** When it was refused, by {@link System#nanoTime}. */
    @GuardedBy("lock")
    private long refusedAt;

    /** Somebody closes what it has. */
    @GuardedBy("lock")
    private boolean closing;

    /** Nothing of it runs any more, and nothing ever will. */
    @GuardedBy("lock")
    private boolean ended;

    /** Who wants to know that. */
    @GuardedBy("lock")
    private final List<Runnable> atEnd = new ArrayList<>();

    /** Of the request that is being handled, or was last; handed on with the lock. */
    private int sequence;

    /** What that request was answered, if it was and if it can be kept; handed on with the lock. */
    private @Nullable Response answer;

    /** The client said that it goes. */
    private boolean tookLeave;

    /** What was taken away from the client because it was idle; the next request is told so. Handed on with the lock. */
    private Held expired = Held.NOTHING;

    /** What the request that is being handled takes; handed on with the lock. */
    private @Nullable RequestMemory memory;

    /** The request that waits for memory; null if none does. */
    @GuardedBy("lock")
    private @Nullable Starved starved;

    private @Nullable Hello hello;
    private @Nullable Authentication authentication;

    /** Written once, while the hello or the proof is handled. */
    private volatile @Nullable Conversation conversation;

    ClientSession(IoSession io, Sessions sessions, long id, long cancelKey, int maxFrame) {
        this.inflow = new Inflow(
                io,
                this,
                new FrameReader(
                        () -> isKnown() ? maxFrame : Math.min(maxFrame, FrameReader.FREE_BYTES), sessions.memory()),
                sessions.memory(),
                sessions.aside());
        this.io = io;
        this.sessions = sessions;
        this.id = id;
        this.cancelKey = cancelKey;
    }

    long id() {
        return id;
    }

    long cancelKey() {
        return cancelKey;
    }

    /** Whether it has said who it is; then it may send more than a login. */
    boolean isKnown() {
        return conversation != null;
    }

    Inflow inflow() {
        return inflow;
    }

    /** A frame came. */
    void received(Inbound frame) {
        if (frame.isCancel()) {
            cancel(frame);
        } else if (beginOrWait(frame)) {
            read(frame, new RequestMemory(sessions.memory(), 0));
        }
    }

    private void cancel(Inbound frame) {
        try {
            cancel((Cancel)
                    frame.read(isKnown(), WireReader.Allowance.UNBOUNDED).message());
        } finally {
            frame.release();
        }
    }

    private boolean beginOrWait(Inbound frame) {
        lock.lock();
        try {
            if (refused || gone) {
                frame.release();
                return false;
            }
            if (!busy) {
                busy = true;
                return true;
            }
            waiting.add(frame);
            if (waiting.size() > SENT_AHEAD) {
                throw new ProtocolException("more than %d requests sent ahead".formatted(SENT_AHEAD));
            }
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** Reads a request and handles it; without room for its values it is read again when there is some. */
    private void read(Inbound frame, RequestMemory room) {
        sequence = frame.sequence();
        answer = null;
        memory = room;
        Frame read;
        try {
            read = frame.read(isKnown(), room);
        } catch (RequestMemory.NoRoomException e) {
            awaitRoom(frame, room);
            return;
        } catch (ProtocolException e) {
            frame.release();
            LOG.warn("{}: not of the protocol: {}", io.getRemoteAddress(), e.getMessage());
            refuse("08P01", e.getMessage());
            return;
        } catch (VirtualMachineError e) {
            frame.release();
            LOG.error("{}: a request could not be read", io.getRemoteAddress(), e);
            refuse(OUT_OF_MEMORY, "a request does not fit in the middleware's memory");
            return;
        }
        frame.release();
        handle(read);
    }

    private void awaitRoom(Inbound frame, RequestMemory room) {
        room.release();
        long most = sessions.memory().most();
        if (room.used() > most) {
            frame.release();
            reply(
                    noRoom(
                            "the values of a request do not fit in the middleware's memory: send fewer rows at once, or give it more (-Xmx)"));
            return;
        }
        long wanted = Math.min(most, 2 * room.used()); // it may need more than it had come to
        Starved next = new Starved(frame, System.nanoTime(), () -> readAgain(frame, wanted));
        lock.lock();
        try {
            starved = next;
        } finally {
            lock.unlock();
        }
        sessions.memory().whenFree(wanted, sessions.aside(), next.again());
    }

    private void readAgain(Inbound frame, long reserved) {
        boolean over;
        lock.lock();
        try {
            starved = null;
            over = refused || gone;
        } finally {
            lock.unlock();
        }
        RequestMemory room = new RequestMemory(sessions.memory(), reserved);
        if (over) {
            frame.release();
            room.release();
            next();
        } else {
            read(frame, room);
        }
    }

    /** A request that has waited for memory for too long is answered. */
    private void giveUpStarved() {
        Starved late;
        lock.lock();
        try {
            late = starved;
            if (late == null
                    || System.nanoTime() - late.since < MEMORY_NANOS
                    || !sessions.memory().forget(late.again)) {
                return;
            }
            starved = null;
        } finally {
            lock.unlock();
        }
        late.frame.release();
        reply(
                noRoom(
                        "no memory is free for the values of a request: other clients have it; run it again later, send fewer rows at once, or give the middleware more (-Xmx)"));
    }

    private static ErrorReport noRoom(String message) {
        return new ErrorReport(NO_STATUS, OUT_OF_MEMORY, 0, message, "middleware");
    }

    private void handle(Frame frame) {
        forgetLargeResults(frame);
        try {
            if (expired != Held.NOTHING && !(frame.message() instanceof Goodbye)) {
                refuse(IdleLimits.sqlState(expired), sessions.idleLimits().reason(expired));
                return;
            }
            ((Request) frame.message()).accept(this);
        } catch (ProtocolException e) {
            refuse("08P01", e.getMessage());
        } catch (RuntimeException e) {
            LOG.error("session {}: a request failed", id, e);
            reply(new ErrorReport(NO_STATUS, "XX000", 0, "internal error of the middleware: " + e, "middleware"));
        }
    }

    private void forgetLargeResults(Frame frame) {
        Conversation open = conversation;
        if (open != null && !(frame.message() instanceof Download)) {
            open.forgetLargeResults();
        }
    }

    /** The answer to the request that is being handled; then comes the next. */
    private void reply(Response response) {
        send(sequence, response);
        answer = LastWords.canKeep(response) ? response : null;
        Inbound next = next();
        if (next != null) {
            read(next, new RequestMemory(sessions.memory(), 0));
        }
    }

    /** Without memory for an answer the client is hung up on: what it asked for may be done, so it must not be told that it failed. */
    private void send(int request, Response response) {
        try {
            io.write(IoBuffer.wrap(Frame.encode(request, response, SCRATCH.get())));
        } catch (VirtualMachineError e) {
            io.closeNow();
            LOG.error("session {}: no memory for an answer; its client is hung up on", id, e);
        }
    }

    /** What was sent ahead first; null if nothing was, or the session closes. */
    private @Nullable Inbound next() {
        forgetMemory();
        boolean close;
        Inbound next = null;
        lock.lock();
        try {
            close = gone || refused;
            next = close ? null : waiting.poll();
            busy = next != null || close;
            idleSince = System.nanoTime();
        } finally {
            lock.unlock();
        }
        if (close) {
            closeConversation();
        }
        return next;
    }

    private void forgetMemory() {
        RequestMemory held = memory;
        memory = null;
        if (held != null) {
            held.release();
        }
    }

    /** Answers with an error and hangs up; nothing that was sent ahead is begun, and everything is given back at once. Called while a request is handled. */
    private void refuse(String sqlState, @Nullable String why) {
        hangUp(sequence, sqlState, why);
        forgetMemory();
        closeConversation();
    }

    /** The same when it may be that something runs: that is cancelled, and its end is waited for. */
    void breakOff(String sqlState, String why) {
        if (isOver()) {
            return;
        }
        if (hangUp(0, sqlState, why)) {
            cancelRunning();
        } else {
            closeConversation();
        }
    }

    /** Returns whether something was being handled. */
    private boolean hangUp(int request, String sqlState, @Nullable String why) {
        send(request, new ErrorReport(NO_STATUS, sqlState, 0, String.valueOf(why), "middleware"));
        io.closeOnFlush();
        lock.lock();
        try {
            boolean running = busy;
            refused = true;
            refusedAt = System.nanoTime();
            busy = true;
            return running;
        } finally {
            lock.unlock();
        }
    }

    /** Called about once a second: ends what has lasted for too long. */
    void look(IdleLimits limits) {
        inflow.look();
        giveUpStarved();
        if (hasLeft()) {
            io.closeNow(); // it does not even read why it was refused
        } else if (limits.areSet()) {
            expire(limits);
        }
    }

    private boolean isOver() {
        lock.lock();
        try {
            return refused || gone;
        } finally {
            lock.unlock();
        }
    }

    private boolean hasLeft() {
        lock.lock();
        try {
            return refused && System.nanoTime() - refusedAt > LEAVING_NANOS;
        } finally {
            lock.unlock();
        }
    }

    /** Takes away what the client has kept from others for too long while it sent nothing. */
    private void expire(IdleLimits limits) {
        Conversation idle = claimIfExpired(limits);
        if (idle != null) {
            LOG.info("{}: {}", io.getRemoteAddress(), limits.reason(expired));
            idle.close();
            Inbound next = next();
            if (next != null) {
                read(next, new RequestMemory(sessions.memory(), 0));
            }
        }
    }

    /** As if a request were being handled; null if nothing is to be taken away. */
    private @Nullable Conversation claimIfExpired(IdleLimits limits) {
        lock.lock();
        try {
            Conversation open = conversation;
            if (busy || refused || open == null) {
                return null;
            }
            Held held = open.held();
            long limit = limits.of(held).toNanos();
            if (limit == 0 || System.nanoTime() - idleSince < limit) {
                return null;
            }
            busy = true;
            expired = held;
            return open;
        } finally {
            lock.unlock();
        }
    }

    /** The connection is gone: what runs is cancelled, what is open rolled back. */
    void disconnected() {
        inflow.closed();
        boolean running;
        lock.lock();
        try {
            running = busy;
            gone = true;
            busy = true;
        } finally {
            lock.unlock();
        }
        if (running) {
            cancelRunning();
        } else {
            closeConversation();
        }
    }

    /** The end: when the session is over and nothing of it runs any more. What is not committed now never will be. Again does nothing. */
    private void closeConversation() {
        if (!beginClosing()) {
            return;
        }
        Conversation open = conversation;
        if (open != null) {
            open.close();
        }
        sessions.ended(this, tookLeave ? null : new LastWords(cancelKey, sequence, answer));
        List<Runnable> actions;
        lock.lock();
        try {
            ended = true;
            actions = List.copyOf(atEnd);
            atEnd.clear();
        } finally {
            lock.unlock();
        }
        actions.forEach(Runnable::run);
    }

    private boolean beginClosing() {
        lock.lock();
        try {
            boolean first = !closing;
            closing = true;
            waiting.forEach(Inbound::release);
            waiting.clear();
            return first;
        } finally {
            lock.unlock();
        }
    }

    /** Hangs up and runs an action once nothing of this session can happen any more; at once if it is so already. */
    void end(Runnable action) {
        io.closeNow();
        boolean now;
        lock.lock();
        try {
            now = ended;
            if (!now && atEnd.size() < SENT_AHEAD) {
                atEnd.add(action); // beyond the bound somebody asks over and over, and is answered by what was asked
                // before
            }
        } finally {
            lock.unlock();
        }
        if (now) {
            action.run();
        }
    }

    private void cancelRunning() {
        Conversation open = conversation;
        if (open != null) {
            sessions.cancelLater(open);
        }
    }

    @Override
    public void hello(Hello request) {
        if (hello != null) {
            throw new ProtocolException("a second hello");
        } else if (request.version() != Protocol.VERSION) {
            refuse(
                    "08004",
                    "this middleware speaks protocol version %d, the driver version %d: use the driver of the same release"
                            .formatted(Protocol.VERSION, request.version()));
        } else if (!request.database().equals(sessions.identity().database())) {
            refuse(
                    "3D000",
                    "database \"%s\" is not served here; this middleware serves \"%s\""
                            .formatted(request.database(), sessions.identity().database()));
        } else if (sessions.users().areAsked()) {
            hello = request;
            authentication = Authentication.begin(sessions.users(), request);
            reply(authentication.challenge());
        } else {
            hello = request;
            welcome(request, new byte[0]);
        }
    }

    @Override
    public void proof(Proof request) {
        Authentication exchange = authentication;
        authentication = null;
        if (exchange == null || hello == null) {
            throw new ProtocolException("a proof without a challenge");
        }
        if (exchange.verify(request)) {
            welcome(hello, exchange.serverSignature());
        } else {
            LOG.warn("{}: password authentication failed for user \"{}\"", io.getRemoteAddress(), hello.user());
            refuse("28P01", "password authentication failed for user \"%s\"".formatted(hello.user()));
        }
    }

    private void welcome(Hello client, byte[] signature) {
        Conversation open = sessions.open(this, client);
        if (open == null) {
            refuse("53300", Sessions.FULL);
            return;
        }
        conversation = open;
        reply(new Welcome(
                id,
                cancelKey,
                sessions.publishedScn(),
                signature,
                sessions.identity().engine(),
                sessions.identity().nodes().get()));
    }

    private Conversation open() {
        Conversation open = conversation;
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
        io.closeNow();
    }

    @Override
    public void goodbye(Goodbye request) {
        tookLeave = true;
        lock.lock();
        try {
            refused = true;
            refusedAt = System.nanoTime();
        } finally {
            lock.unlock();
        }
        forgetMemory();
        closeConversation(); // nothing else is being handled, and there is no answer after which it would be closed
        io.closeNow();
    }

    @Override
    public void recall(Recall request) {
        open();
        if (request.sessionId() == id) {
            throw new ProtocolException("a session asks about itself");
        }
        sessions.recall(request, this::reply);
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

    void cancelConversation() {
        cancelRunning();
    }
}
