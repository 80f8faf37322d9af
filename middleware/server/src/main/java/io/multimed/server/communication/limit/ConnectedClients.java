// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication.limit;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.multimed.server.node.Refusals;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Counts the clients that have logged in: all, those of each user and those of each address. Its maps have an entry
 * only for users and addresses with clients, so that {@code max-clients} bounds them. Thread-safe.
 */
public final class ConnectedClients {
    private volatile int most;
    private volatile int mostOfAddress;
    private final Refusals refusals;

    /** Protects the fields below; held for a few instructions. */
    private final ReentrantLock lock = new ReentrantLock();

    /** By the id of the session. */
    @GuardedBy("lock")
    private final Map<Long, Client> all = new HashMap<>();

    @GuardedBy("lock")
    private final Map<String, Integer> users = new HashMap<>();

    @GuardedBy("lock")
    private final Map<InetAddress, Integer> addresses = new HashMap<>();

    private record Client(String user, InetAddress address) {}

    /**
     * @param most maximum number of clients
     * @param mostOfAddress maximum number of clients from one address; 0 for no limit
     * @param refusals counts those that are refused
     */
    public ConnectedClients(int most, int mostOfAddress, Refusals refusals) {
        this.refusals = refusals;
        this.most = most;
        this.mostOfAddress = mostOfAddress;
    }

    /**
     * Changes the limits. Clients that are connected remain.
     *
     * @param clients maximum number of clients
     * @param ofAddress maximum number of clients from one address; 0 for no limit
     */
    public void setMost(int clients, int ofAddress) {
        most = clients;
        mostOfAddress = ofAddress;
    }

    /**
     * Counts a client, unless a limit is reached.
     *
     * @param session the id of its session
     * @param mostOfUser maximum number of clients of the user; 0 for no limit
     * @return null if the client was counted; otherwise which limit is reached, and what to do
     */
    public @Nullable String enter(long session, String user, InetAddress address, int mostOfUser) {
        lock.lock();
        try {
            int ofUser = users.getOrDefault(user, 0);
            int ofAddress = addresses.getOrDefault(address, 0);
            if (all.size() >= most) {
                refusals.count(Refusals.Limit.MAX_CLIENTS);
                return "too many clients are connected: %d, the maximum (listen.max-clients); close connections, or raise the limit"
                        .formatted(all.size());
            }
            if (mostOfUser > 0 && ofUser >= mostOfUser) {
                refusals.count(Refusals.Limit.CLIENTS_PER_USER);
                return "too many clients of user \"%s\" are connected: %d, the maximum (listen.limits.clients-per-user, or max-clients of the user); close connections, make the application's pool smaller, or raise the limit"
                        .formatted(user, ofUser);
            }
            if (mostOfAddress > 0 && ofAddress >= mostOfAddress) {
                refusals.count(Refusals.Limit.CLIENTS_PER_ADDRESS);
                return "too many clients are connected from %s: %d, the maximum (listen.limits.clients-per-address); close connections, make the application's pool smaller, or raise the limit"
                        .formatted(address.getHostAddress(), ofAddress);
            }
            all.put(session, new Client(user, address));
            users.put(user, ofUser + 1);
            addresses.put(address, ofAddress + 1);
            return null;
        } finally {
            lock.unlock();
        }
    }

    /** Removes a client; has no effect if the client is not counted. */
    public void leave(long session) {
        lock.lock();
        try {
            Client client = all.remove(session);
            if (client != null) {
                users.computeIfPresent(client.user, (unused, count) -> count == 1 ? null : count - 1);
                addresses.computeIfPresent(client.address, (unused, count) -> count == 1 ? null : count - 1);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of entries. */
    public int size() {
        lock.lock();
        try {
            return all.size() + users.size() + addresses.size();
        } finally {
            lock.unlock();
        }
    }
}
