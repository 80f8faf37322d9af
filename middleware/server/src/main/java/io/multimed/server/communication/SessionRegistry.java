// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication;

import io.multimed.engine.memory.MemoryBudget;
import io.multimed.model.listen.Limits;
import io.multimed.protocol.request.Cancel;
import io.multimed.protocol.request.Hello;
import io.multimed.protocol.request.QueryOutcome;
import io.multimed.protocol.response.ErrorReport;
import io.multimed.protocol.response.OutcomeAnswer;
import io.multimed.protocol.response.Response;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.server.audit.ClientAudit;
import io.multimed.server.communication.limit.ConnectedClients;
import io.multimed.server.communication.limit.PendingLogins;
import io.multimed.server.communication.peer.LocalClients;
import io.multimed.server.communication.peer.LocalConnection;
import io.multimed.server.communication.tls.ServerTls;
import io.multimed.server.communication.transport.ClientTransport;
import io.multimed.server.communication.transport.TransportLimits;
import io.multimed.server.dispatcher.ClientConnectionHandler;
import io.multimed.server.dispatcher.ClientIdentity;
import io.multimed.server.dispatcher.Dispatcher;
import io.multimed.server.node.NamedThreads;
import io.multimed.server.node.Refusals;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All connected clients, and the services that their sessions share. The number of clients is limited by the System
 * Model. Thread-safe: each collection is concurrent, and a session moves from {@link #open} to {@link #ending} to
 * {@link #lost}, in this order.
 */
final class SessionRegistry implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SessionRegistry.class);
    private static final String SHUTTING_DOWN = "the middleware is shutting down";

    /** Time between two looks at clients that are to leave. */
    private static final long LOOK_MILLIS = 10;

    /** Time for clients to read that they are disconnected. */
    private static final long LEAVING_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final ErrorReport WRONG_SECRET = new ErrorReport(
            new SessionStatus(false, false, SessionStatus.NO_NODE, 0),
            "28000",
            0,
            "the outcome of a commit is reported only to the session's own client: the key in the query is wrong",
            "middleware");

    private final SecureRandom random = new SecureRandom();
    private final Map<Long, ClientSession> open = new ConcurrentHashMap<>();

    /** Sessions whose connection is closed while a request still runs; at most as many as requests can run. */
    private final Map<Long, ClientSession> ending = new ConcurrentHashMap<>();

    /** All sessions, from the start of their connection to its end. */
    private final Set<ClientSession> connected = ConcurrentHashMap.newKeySet();

    private final PendingLogins<ClientSession> pendingLogins;
    private final ConnectedClients clients;
    private final MemoryBudget memory;
    private final SessionOutcomes lost = new SessionOutcomes();
    private final Dispatcher dispatcher;
    private final Users users;
    private final ServerIdentity identity;
    private final PassThroughLogins passThrough;
    private volatile PortOptions options;
    private volatile boolean isClosed;

    /** Checks the time limits of all sessions once per second. */
    private final ScheduledExecutorService clock =
            Executors.newSingleThreadScheduledExecutor(new NamedThreads("idle-clients"));

    /** Runs readers that have waited for memory: at most two tasks per client. */
    private final ExecutorService readers = Executors.newSingleThreadExecutor(new NamedThreads("requests"));

    SessionRegistry(
            Dispatcher dispatcher, Users users, ServerIdentity identity, PortOptions options, MemoryBudget memory) {
        this.memory = memory;
        this.options = options;
        Limits limits = options.limits();
        this.pendingLogins = new PendingLogins<>(limits.pendingLogins(), limits.pendingLoginsPerAddress());
        this.clients = new ConnectedClients(options.maxClients(), limits.clientsPerAddress(), options.refusals());
        this.dispatcher = dispatcher;
        this.users = users;
        this.passThrough = new PassThroughLogins(options.roleLogins(), users);
        this.identity = identity;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the tasks throw no exception
    void start() {
        passThrough.start();
        clock.scheduleWithFixedDelay(this::checkLimits, 1, 1, TimeUnit.SECONDS);
        clock.scheduleWithFixedDelay(this::reloadUsers, 1, 1, TimeUnit.SECONDS);
        ServerTls tls = options.tls();
        if (tls != null) {
            clock.scheduleWithFixedDelay(tls::reload, 1, 1, TimeUnit.SECONDS);
        }
    }

    /** Changes the limits of clients; clients that are connected remain. */
    void setLimits(int maxClients, int maxFrame, Limits limits, IdleTimeouts idleTimeouts) {
        options = options.with(maxClients, maxFrame, limits, idleTimeouts);
        clients.setMost(maxClients, limits.clientsPerAddress());
        pendingLogins.setMost(limits.pendingLogins(), limits.pendingLoginsPerAddress());
    }

    /** Disconnects users who may not connect any more. */
    private void reloadUsers() {
        if (!users.reload()) {
            return;
        }
        for (ClientSession session : open.values()) {
            if (session.isEmbedded()) {
                continue; // users have no meaning within this process
            }
            if (!users.areAsked() && !session.isPassedThrough()) {
                leaveUnlessTrusted(session);
            } else if (!mayStay(session)) {
                guarded(session, session::userRemoved);
            }
        }
    }

    /** Disconnects a client if there are no users any more, and its account may not connect without a password. */
    private void leaveUnlessTrusted(ClientSession session) {
        admission(session).decideWithoutPassword(session.ends(), decision -> {
            if (decision.refusal() != null) {
                guarded(session, session::userRemoved);
            }
        });
    }

    private boolean mayStay(ClientSession session) {
        String user = session.claimedUser(); // its login may not be complete yet
        return session.isPassedThrough() ? users.passesThrough(user) : users.isKnown(user);
    }

    private void checkLimits() {
        for (ClientSession late : pendingLogins.takeLate()) {
            guarded(
                    late,
                    () -> late.endLogin(
                            "08004", "the login took more than %d s".formatted(PendingLogins.PATIENCE_MILLIS / 1_000)));
        }
        for (ClientSession session : connected) {
            guarded(session, () -> session.checkLimits(options.idleTimeouts()));
        }
    }

    /** Runs a step for one session. A failure does not affect the other sessions, which the same thread serves. */
    private static void guarded(ClientSession session, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | VirtualMachineError e) {
            LOG.error("session {}: its resources cannot be released", session.id(), e);
        }
    }

    /** Returns the executor of readers that have waited for memory. */
    Executor readers() {
        return readers;
    }

    /** Returns the counters of what limits have refused. */
    Refusals refusals() {
        return options.refusals();
    }

    TransportLimits transportLimits(int maxFrame) {
        return new TransportLimits(
                maxFrame,
                memory,
                options.limits().queuedPerClient().bytes(),
                () -> refusals().count(Refusals.Limit.QUEUED_PER_CLIENT),
                readers);
    }

    MemoryBudget memory() {
        return memory;
    }

    IdleTimeouts idleTimeouts() {
        return options.idleTimeouts();
    }

    /**
     * Registers a session with a unique id, which identifies the session's commits. The id is never 0, which identifies
     * commits without a client.
     */
    ClientSession connected(Function<ClientTransport.Session, ClientTransport> connect) {
        ClientSession.Services services = new ClientSession.Services(
                users,
                identity,
                passThrough,
                options.listener(),
                refusals(),
                memory,
                readers,
                options.limits().queuedPerClient().bytes());
        ClientSession session = new ClientSession(connect, services, this, random.nextLong() | 1, random.nextLong());
        connected.add(session);
        if (isClosed && session.isEmbedded()) {
            disconnected(session);
        }
        ClientSession eldest = pendingLogins.enter(session, session.origin());
        if (eldest != null) {
            refusals().count(Refusals.Limit.PENDING_LOGINS);
            guarded(
                    eldest,
                    () -> eldest.displace(
                            "53300",
                            "too many connections have not logged in (listen.limits.pending-logins, pending-logins-per-address): try again later"));
        }
        return session;
    }

    /** Returns what admits a session that logs in. */
    LoginExchange.Admission admission(ClientSession session) {
        return new SessionAdmission(session);
    }

    private final class SessionAdmission implements LoginExchange.Admission {
        private final ClientSession session;

        SessionAdmission(ClientSession session) {
            this.session = session;
        }

        @Override
        public void decideWithoutPassword(LocalConnection connection, Consumer<LocalClients.Decision> to) {
            options.localClients().decide(connection, decision -> readers.execute(() -> to.accept(decision)));
        }

        @Override
        public @Nullable String admit(String user) {
            pendingLogins.leave(session);
            return clients.enter(session.id(), user, session.origin(), users.maxClients(user));
        }

        /**
         * The rights are read after the registration: if the users change, either they are read from the new state, or
         * {@link #reloadUsers} finds the session.
         */
        @Override
        public @Nullable ClientConnectionHandler open(Hello client, Users.LoginMethod method) {
            String user = client.user();
            open.put(session.id(), session);
            Users.Rights rights = users.rights(user, method);
            if (rights == null) {
                return null;
            }
            ClientIdentity identity = new ClientIdentity(
                    session.id(),
                    user,
                    session.address(),
                    session.tls(),
                    rights.administrator(),
                    client.zone(),
                    rights.role(),
                    () -> users.maxStatements(user));
            return dispatcher.open(identity, session.caller());
        }

        @Override
        public ClientAudit audit(String user) {
            return options.audit().client(user, session.address(), session.tls());
        }

        @Override
        public long publishedScn() {
            return dispatcher.publishedScn();
        }
    }

    void disconnected(ClientSession session) {
        connected.remove(session);
        pendingLogins.leave(session);
        clients.leave(session.id());
        open.computeIfPresent(session.id(), (id, leaving) -> {
            ending.put(
                    id, leaving); // not after the session's end, which removes it from both collections in this order
            return null;
        });
        session.disconnected();
    }

    /**
     * Removes a session that has ended.
     *
     * @param outcome outcome of its last request; null if the client will not ask for it
     */
    void ended(ClientSession session, @Nullable SessionOutcome outcome) {
        if (outcome != null && (open.containsKey(session.id()) || ending.containsKey(session.id()))) {
            lost.put(session.id(), outcome);
        }
        open.remove(session.id());
        clients.leave(session.id());
        ending.remove(session.id());
    }

    /**
     * Determines the outcome of a request of another session, and ends that session first if it is still alive. Looks
     * the session up in the order in which sessions move between the collections.
     */
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
        SessionOutcome outcome = lost.get(request.sessionId());
        if (outcome != null && outcome.secret() != request.secret()) {
            to.accept(WRONG_SECRET);
        } else if (outcome != null && outcome.sequence() < request.sequence()) {
            to.accept(OutcomeAnswer.NOT_COMMITTED); // the request never arrived
        } else if (outcome != null && outcome.sequence() == request.sequence() && outcome.answer() != null) {
            to.accept(OutcomeAnswer.answered(outcome.answer()));
        } else {
            dispatcher.queryOutcome(request.sessionId(), request.sequence(), request.knownScn(), to::accept);
        }
    }

    /** Cancels a request of another session, if the key matches. */
    void cancel(Cancel request) {
        ClientSession session = open.get(request.sessionId());
        if (session != null && session.cancelKey() == request.cancelKey()) {
            session.cancel(request.sequence());
        }
    }

    /** Disconnects all clients: those with an open transaction after its end, at the latest after the wait. */
    void drain(long waitNanos) throws InterruptedException {
        long begun = System.nanoTime();
        while (!connected.isEmpty() && System.nanoTime() - begun < waitNanos) {
            for (ClientSession session : connected) {
                guarded(session, () -> session.leaveIfIdle(SHUTTING_DOWN));
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
        for (ClientSession session : connected) {
            guarded(session, () -> session.terminate("57P01", SHUTTING_DOWN + "; the open transaction is rolled back"));
        }
        long ended = System.nanoTime();
        while (!connected.isEmpty() && System.nanoTime() - ended < LEAVING_NANOS) {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
    }

    int count() {
        return open.size();
    }

    /** Returns the clients that have logged in, those first that have been in their state for longest. */
    List<ConnectedClient> clients(int most) {
        return open.values().stream()
                .map(session -> session.describe(dispatcher.pinReasons(session.id())))
                .sorted(ConnectedClient.MOST_DEMANDING_FIRST)
                .limit(most)
                .toList();
    }

    /** Returns the number of all entries kept for clients, except for records of lost sessions. */
    int remembered() {
        return open.size() + ending.size() + connected.size() + pendingLogins.size() + clients.size();
    }

    /** Ends the sessions within this process, whose threads may wait; those of a port end with their connections. */
    @Override
    public void close() {
        isClosed = true;
        for (ClientSession session : connected) {
            if (session.isEmbedded()) {
                guarded(session, () -> disconnected(session));
            }
        }
        clock.shutdownNow();
        passThrough.close();
        readers.shutdown();
    }
}
