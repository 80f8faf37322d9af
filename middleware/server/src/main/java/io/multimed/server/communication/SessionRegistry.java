package io.multimed.server.communication;

import io.multimed.engine.memory.MemoryBudget;
import io.multimed.protocol.Cancel;
import io.multimed.protocol.ErrorReport;
import io.multimed.protocol.Hello;
import io.multimed.protocol.OutcomeAnswer;
import io.multimed.protocol.QueryOutcome;
import io.multimed.protocol.Response;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.server.dispatcher.ClientConnectionHandler;
import io.multimed.server.dispatcher.Dispatcher;
import io.multimed.server.node.NamedThreads;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
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
final class SessionRegistry implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SessionRegistry.class);
    static final String FULL = "too many clients are connected (listen.max-clients)";
    private static final int CANCELS_WAITING = 1_000;

    /** Minimum size of the lobby, even if the limit of clients is smaller. */
    private static final int LEAST_IN_LOBBY = 100;

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

    /** All sessions, from the start of their connection to its end. */
    private final Set<ClientSession> connected = ConcurrentHashMap.newKeySet();

    private final PendingLogins lobby;
    private final MemoryBudget memory;
    private final SessionOutcomes lost = new SessionOutcomes();
    private final Dispatcher dispatcher;
    private final Users users;
    private final ServerIdentity identity;
    private final int most;
    private final IdleTimeouts idleLimits;

    /** Checks the time limits of all sessions once per second. */
    private final ScheduledExecutorService clock =
            Executors.newSingleThreadScheduledExecutor(new NamedThreads("idle-clients"));

    /** Runs readers that have waited for memory: at most two tasks per client. */
    private final ExecutorService aside = Executors.newSingleThreadExecutor(new NamedThreads("requests"));

    /** Cancelling asks the engine over a connection of its own, which blocks. Beyond the bound a cancel is not done, as if it had come too late. */
    private final ThreadPoolExecutor cancels = new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(CANCELS_WAITING),
            new NamedThreads("cancel"),
            new ThreadPoolExecutor.DiscardPolicy());

    SessionRegistry(
            Dispatcher dispatcher,
            Users users,
            ServerIdentity identity,
            int most,
            IdleTimeouts idleLimits,
            MemoryBudget memory) {
        this.memory = memory;
        this.lobby = new PendingLogins(Math.max(most, LEAST_IN_LOBBY));
        this.idleLimits = idleLimits;
        this.dispatcher = dispatcher;
        this.users = users;
        this.identity = identity;
        this.most = most;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // look() throws no exception
    void start() {
        clock.scheduleWithFixedDelay(this::look, 1, 1, TimeUnit.SECONDS);
    }

    private void look() {
        for (ClientSession late : lobby.takeLate()) {
            guarded(
                    late,
                    () -> late.breakOff(
                            "08004", "the login took more than %d s".formatted(PendingLogins.PATIENCE_MILLIS / 1_000)));
        }
        for (ClientSession session : connected) {
            guarded(session, () -> session.look(idleLimits));
        }
    }

    /** Keeps the failure of one session from the next one, which the same thread checks. */
    private static void guarded(ClientSession session, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | VirtualMachineError e) {
            LOG.error("session {}: its resources cannot be released", session.id(), e);
        }
    }

    MemoryBudget memory() {
        return memory;
    }

    /** Returns the executor of readers that have waited for memory. */
    Executor aside() {
        return aside;
    }

    IdleTimeouts idleLimits() {
        return idleLimits;
    }

    Users users() {
        return users;
    }

    ServerIdentity identity() {
        return identity;
    }

    /**
     * Registers a session with a unique id, which identifies the session's commits. The id is never 0, which identifies
     * commits without a client.
     */
    ClientSession connected(IoSession io, int maxFrame) {
        ClientSession session = new ClientSession(io, this, random.nextLong() | 1, random.nextLong(), maxFrame);
        connected.add(session);
        ClientSession eldest = lobby.enter(session);
        if (eldest != null) {
            eldest.breakOff("53300", "too many clients are logging in");
        }
        return session;
    }

    /** Registers a session after its login; returns null if the limit of clients is reached. */
    @Nullable
    ClientConnectionHandler open(ClientSession session, Hello client) {
        lobby.leave(session);
        if (areFull()) {
            return null;
        }
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
        connected.remove(session);
        lobby.leave(session);
        open.computeIfPresent(session.id(), (id, leaving) -> {
            ending.put(id, leaving); // not after its end, which removes it from both collections in this order
            return null;
        });
        session.disconnected();
    }

    /** @param words null if no client will ask for them */
    void ended(ClientSession session, @Nullable SessionOutcome words) {
        if (words != null && (open.containsKey(session.id()) || ending.containsKey(session.id()))) {
            lost.put(session.id(), words);
        }
        open.remove(session.id());
        ending.remove(session.id());
    }

    /** What became of a request of another session, which is ended first if it still lives. The places are looked through in the order in which sessions move on. */
    void queryOutcome(QueryOutcome request, Consumer<Response> to) {
        ClientSession session = open.get(request.sessionId());
        if (session == null) {
            session = ending.get(request.sessionId());
        }
        if (session == null) {
            queryOutcomeEnded(request, to);
        } else if (session.cancelKey() == request.secret()) {
            session.end(() -> queryOutcomeEnded(request, to));
        } else {
            to.accept(WRONG_SECRET);
        }
    }

    private void queryOutcomeEnded(QueryOutcome request, Consumer<Response> to) {
        SessionOutcome words = lost.get(request.sessionId());
        if (words != null && words.secret() != request.secret()) {
            to.accept(WRONG_SECRET);
        } else if (words != null && words.sequence() < request.sequence()) {
            to.accept(OutcomeAnswer.NOT_COMMITTED); // it never came here
        } else if (words != null && words.sequence() == request.sequence() && words.answer() != null) {
            to.accept(OutcomeAnswer.answered(words.answer()));
        } else {
            dispatcher.queryOutcome(request.sessionId(), request.sequence(), request.knownScn(), to::accept);
        }
    }

    /** Cancels what another session runs, if the key fits. */
    void cancel(Cancel request) {
        ClientSession session = open.get(request.sessionId());
        if (session != null && session.cancelKey() == request.cancelKey()) {
            session.cancelConversation();
        }
    }

    void cancelLater(ClientConnectionHandler conversation) {
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

    /** Returns the number of all entries kept for clients, except for records of lost sessions. */
    int remembered() {
        return open.size() + ending.size() + connected.size() + lobby.size();
    }

    @Override
    public void close() {
        clock.shutdownNow();
        cancels.shutdownNow();
        aside.shutdown();
    }
}
