package io.multimed.middleware.communication;

import io.multimed.middleware.dispatcher.Conversation;
import io.multimed.middleware.dispatcher.Dispatcher;
import io.multimed.middleware.node.NamedThreads;
import io.multimed.protocol.Cancel;
import io.multimed.protocol.ErrorReport;
import io.multimed.protocol.Hello;
import io.multimed.protocol.Recall;
import io.multimed.protocol.Recalled;
import io.multimed.protocol.Response;
import io.multimed.protocol.SessionStatus;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.mina.core.session.IoSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All connected clients, at most as many as the model says. Thread-safe. */
final class Sessions implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Sessions.class);
    private static final int CANCELS_WAITING = 1_000;
    private static final ErrorReport WRONG_SECRET = new ErrorReport(
            new SessionStatus(false, false, SessionStatus.NO_NODE, 0),
            "28000",
            0,
            "the outcome of a session's commit is told only to its client",
            "middleware");

    private final SecureRandom random = new SecureRandom();
    private final Map<Long, ClientSession> open = new ConcurrentHashMap<>();

    /** Their connections are gone, something of theirs still runs: at most as many as can run. */
    private final Map<Long, ClientSession> ending = new ConcurrentHashMap<>();

    private final LostSessions lost = new LostSessions();
    private final Dispatcher dispatcher;
    private final Users users;
    private final ServerIdentity identity;
    private final int most;
    private final IdleLimits idleLimits;

    /** Looks once a second for clients that are idle for too long. */
    private final ScheduledExecutorService clock =
            Executors.newSingleThreadScheduledExecutor(new NamedThreads("idle-clients"));

    /** Cancelling asks the engine over a connection of its own, which blocks. Beyond the bound a cancel is not done, as if it had come too late. */
    private final ThreadPoolExecutor cancels = new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(CANCELS_WAITING),
            new NamedThreads("cancel"),
            new ThreadPoolExecutor.DiscardPolicy());

    Sessions(Dispatcher dispatcher, Users users, ServerIdentity identity, int most, IdleLimits idleLimits) {
        this.idleLimits = idleLimits;
        this.dispatcher = dispatcher;
        this.users = users;
        this.identity = identity;
        this.most = most;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // expireIdle() lets nothing through
    void start() {
        if (idleLimits.areSet()) {
            clock.scheduleWithFixedDelay(this::expireIdle, 1, 1, TimeUnit.SECONDS);
        }
    }

    private void expireIdle() {
        for (ClientSession session : open.values()) {
            try {
                session.expire(idleLimits);
            } catch (RuntimeException e) {
                LOG.error("session {}: what it holds cannot be taken away", session.id(), e);
            }
        }
    }

    IdleLimits idleLimits() {
        return idleLimits;
    }

    Users users() {
        return users;
    }

    ServerIdentity identity() {
        return identity;
    }

    /** A session with an id that no other ever had: it names the session's commits. Never 0, which names those of nobody. */
    ClientSession connected(IoSession io) {
        return new ClientSession(io, this, random.nextLong() | 1, random.nextLong());
    }

    /** Counts a session in once its client is known. */
    Conversation open(ClientSession session, Hello client) {
        open.put(session.id(), session);
        return dispatcher.open(session.id(), users.isAdministrator(client.user()), client.zone());
    }

    boolean areFull() {
        return open.size() >= most;
    }

    long publishedScn() {
        return dispatcher.publishedScn();
    }

    void disconnected(ClientSession session) {
        if (open.containsKey(session.id())) {
            ending.put(session.id(), session);
            open.remove(session.id());
        }
        session.disconnected();
    }

    /** @param words null if nobody will ask for them */
    void ended(ClientSession session, @Nullable LastWords words) {
        if (words != null && ending.containsKey(session.id())) {
            lost.put(session.id(), words);
        }
        ending.remove(session.id());
    }

    /** What became of a request of another session, which is ended first if it still lives. The places are looked through in the order in which sessions move on. */
    void recall(Recall request, Consumer<Response> to) {
        ClientSession session = open.get(request.sessionId());
        if (session == null) {
            session = ending.get(request.sessionId());
        }
        if (session == null) {
            recallEnded(request, to);
        } else if (session.cancelKey() == request.secret()) {
            session.end(() -> recallEnded(request, to));
        } else {
            to.accept(WRONG_SECRET);
        }
    }

    private void recallEnded(Recall request, Consumer<Response> to) {
        LastWords words = lost.get(request.sessionId());
        if (words != null && words.secret() != request.secret()) {
            to.accept(WRONG_SECRET);
        } else if (words != null && words.sequence() < request.sequence()) {
            to.accept(Recalled.NOT_COMMITTED); // it never came here
        } else if (words != null && words.sequence() == request.sequence() && words.answer() != null) {
            to.accept(Recalled.answered(words.answer()));
        } else {
            dispatcher.recall(request.sessionId(), request.sequence(), request.knownScn(), to::accept);
        }
    }

    /** Cancels what another session runs, if the key fits. */
    void cancel(Cancel request) {
        ClientSession session = open.get(request.sessionId());
        if (session != null && session.cancelKey() == request.cancelKey()) {
            session.cancelConversation();
        }
    }

    void cancelLater(Conversation conversation) {
        cancels.execute(() -> {
            try {
                conversation.cancel();
            } catch (SQLException e) {
                LOG.debug("a statement could not be cancelled", e);
            }
        });
    }

    int count() {
        return open.size();
    }

    @Override
    public void close() {
        clock.shutdownNow();
        cancels.shutdownNow();
    }
}
