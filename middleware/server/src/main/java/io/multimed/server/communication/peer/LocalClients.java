// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication.peer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.multimed.server.node.NamedThreads;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which clients may connect without a password: those whose process runs under the account that runs the
 * middleware, or under root. The kernel knows the account that has opened the client's socket. It is looked up once,
 * while the connection is established; a connection that the client has closed is refused.
 *
 * <p>One thread reads the kernel's lists, once for all clients that wait. Each connection waits at most once, so that
 * the limits on connections that have not logged in bound the queue. Thread-safe.
 */
public final class LocalClients implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LocalClients.class);

    /** The kernel's list may omit a socket if others are closed while the list is read. */
    private static final int ATTEMPTS = 3;

    private static final long PATIENCE_SECONDS = 10;

    private final SocketTable sockets;

    /** Null if they cannot be determined. */
    private final @Nullable Accounts accounts;

    private final ExecutorService thread = Executors.newSingleThreadExecutor(new NamedThreads("local-clients"));

    /** Protects {@link #waiting}; held for a few instructions. */
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private List<Request> waiting = new ArrayList<>();

    private record Request(LocalConnection connection, Consumer<Decision> to) {}

    /**
     * The answer for one client.
     *
     * @param account name of the client's account in quotation marks, or its number; empty if it is unknown
     * @param refusal why the client may not connect, and what to do; null if it may
     */
    public record Decision(String account, @Nullable String refusal) {}

    /** Creates the service for this machine. */
    public LocalClients() {
        this(new SocketTable(Path.of("/proc/self/net")), accounts());
    }

    LocalClients(SocketTable sockets, @Nullable Accounts accounts) {
        this.sockets = sockets;
        this.accounts = accounts;
    }

    private static @Nullable Accounts accounts() {
        try {
            return Accounts.ofThisProcess();
        } catch (IOException | RuntimeException e) {
            LOG.debug("the account of this process cannot be determined", e);
            return null;
        }
    }

    /**
     * Decides about a client.
     *
     * @param to receives the decision on the thread of this service, which it must not block
     */
    public void decide(LocalConnection connection, Consumer<Decision> to) {
        boolean isFirst;
        lock.lock();
        try {
            isFirst = waiting.isEmpty();
            waiting.add(new Request(connection, to));
        } finally {
            lock.unlock();
        }
        if (isFirst) {
            try {
                thread.execute(this::answer);
            } catch (RejectedExecutionException e) {
                LOG.debug("shutting down", e);
            }
        }
    }

    /** Decides about a client, and waits for the decision. Not for threads that serve other clients. */
    public Decision await(LocalConnection connection) {
        CompletableFuture<Decision> decision = new CompletableFuture<>();
        decide(connection, decision::complete);
        try {
            return decision.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return unknown("the middleware is shutting down");
        } catch (ExecutionException | TimeoutException e) {
            return unknown("the list of sockets could not be read within %d s".formatted(PATIENCE_SECONDS));
        }
    }

    private void answer() {
        List<Request> requests = takeWaiting();
        Map<LocalConnection, Decision> decisions;
        try {
            decisions = decide(requests);
        } catch (IOException | RuntimeException | VirtualMachineError e) {
            LOG.error("the accounts of {} clients cannot be determined", requests.size(), e);
            decisions = Map.of();
        }
        for (Request request : requests) {
            Decision decision = decisions.get(request.connection);
            report(request, decision == null ? unknown("the list of sockets cannot be read") : decision);
        }
    }

    private List<Request> takeWaiting() {
        lock.lock();
        try {
            List<Request> all = waiting;
            waiting = new ArrayList<>();
            return all;
        } finally {
            lock.unlock();
        }
    }

    /** A failure concerns one client only. */
    private static void report(Request request, Decision decision) {
        try {
            request.to.accept(decision);
        } catch (RuntimeException | VirtualMachineError e) {
            LOG.error("{}: the login failed", request.connection, e);
        }
    }

    private Map<LocalConnection, Decision> decide(List<Request> requests) throws IOException {
        Map<LocalConnection, Long> owners = new HashMap<>();
        Set<LocalConnection> missing = new HashSet<>();
        requests.forEach(request -> missing.add(request.connection));
        for (int attempt = 0; attempt < ATTEMPTS && !missing.isEmpty(); attempt++) {
            owners.putAll(sockets.owners(missing));
            missing.removeAll(owners.keySet());
        }
        Map<LocalConnection, Decision> decisions = new HashMap<>();
        owners.forEach((connection, account) -> decisions.put(connection, decision(account)));
        missing.forEach(connection ->
                decisions.put(connection, unknown("the kernel does not list the connection as one of this machine")));
        return decisions;
    }

    private Decision decision(long account) {
        Accounts known = accounts;
        if (known == null) {
            return unknown("the account of the middleware is unknown");
        }
        String name = known.name(account);
        return new Decision(
                name,
                known.isTrusted(account)
                        ? null
                        : "the client runs under the account %s, but without users in the System Model only %s may connect: define users (listen.users, or multimed user add with listen.users-file), or run the client under an account that may connect"
                                .formatted(name, known.trusted()));
    }

    private static Decision unknown(String why) {
        return new Decision(
                "",
                "the account under which the client runs cannot be determined (%s), and without users in the System Model only the account that runs the middleware and root may connect: define users (listen.users, or multimed user add with listen.users-file)"
                        .formatted(why));
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
