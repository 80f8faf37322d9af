// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication.limit;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Connections that have not logged in yet: a limited number in all and from one address, each for a limited time. If a
 * limit is exceeded, the oldest connection, or the oldest one from this address, is closed, because a regular client
 * logs in within milliseconds. Thread-safe.
 *
 * @param <S> type of a connection's session
 */
public final class PendingLogins<S> {
    /** Maximum time until the login. */
    public static final long PATIENCE_MILLIS = 10_000;

    private volatile int most;
    private volatile int mostOfAddress;

    /** Protects the fields below; held for a few instructions. */
    private final ReentrantLock lock = new ReentrantLock();

    /** In the order of their arrival. */
    @GuardedBy("lock")
    private final Map<S, Arrival> arrivals = new LinkedHashMap<>();

    /** By address, in the order of their arrival; no entry is empty. */
    @GuardedBy("lock")
    private final Map<InetAddress, Set<S>> ofAddresses = new HashMap<>();

    /** @param nanos time of the arrival, by {@link System#nanoTime} */
    private record Arrival(InetAddress address, long nanos) {}

    /**
     * @param most maximum number of connections, at least 1
     * @param mostOfAddress the same for one address
     */
    public PendingLogins(int most, int mostOfAddress) {
        this.most = most;
        this.mostOfAddress = mostOfAddress;
    }

    /** Changes the limits, which apply to further connections. */
    public void setMost(int nextMost, int nextMostOfAddress) {
        most = nextMost;
        mostOfAddress = nextMostOfAddress;
    }

    /** Returns the session that must be closed in return; null if there is none. */
    public @Nullable S enter(S session, InetAddress address) {
        lock.lock();
        try {
            Set<S> others = ofAddresses.getOrDefault(address, Set.of());
            S closed = null;
            if (others.size() >= mostOfAddress) {
                closed = others.iterator().next();
            } else if (arrivals.size() >= most) {
                closed = arrivals.keySet().iterator().next();
            }
            if (closed != null) {
                remove(closed);
            }
            arrivals.put(session, new Arrival(address, System.nanoTime()));
            ofAddresses
                    .computeIfAbsent(address, unused -> new LinkedHashSet<>())
                    .add(session);
            return closed;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void remove(S session) {
        Arrival arrival = arrivals.remove(session);
        if (arrival != null) {
            ofAddresses.computeIfPresent(arrival.address, (address, sessions) -> {
                sessions.remove(session);
                return sessions.isEmpty() ? null : sessions;
            });
        }
    }

    /** Removes a session that has logged in or disconnected. */
    public void leave(S session) {
        lock.lock();
        try {
            remove(session);
        } finally {
            lock.unlock();
        }
    }

    /** Removes and returns the sessions that have exceeded the time limit. */
    public List<S> takeLate() {
        long limit = TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
        long now = System.nanoTime();
        List<S> late = new ArrayList<>();
        lock.lock();
        try {
            arrivals.forEach((session, arrival) -> {
                if (now - arrival.nanos > limit) {
                    late.add(session);
                }
            });
            late.forEach(this::remove);
            return late;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of sessions. */
    public int size() {
        lock.lock();
        try {
            return arrivals.size();
        } finally {
            lock.unlock();
        }
    }
}
