package io.multimed.server.communication;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Connections that have not logged in yet: a limited number, each for a limited time. If the limit is exceeded, the
 * oldest connection is closed, because a regular client logs in within milliseconds. Thread-safe.
 *
 * @param <S> type of a connection's session
 */
final class PendingLogins<S> {
    /** Maximum time until the login. */
    static final long PATIENCE_MILLIS = 10_000;

    private final int most;

    /** Protects {@link #since}; held for a few instructions. */
    private final ReentrantLock lock = new ReentrantLock();

    /** Arrival times, by {@link System#nanoTime}, in this order. */
    @GuardedBy("lock")
    private final Map<S, Long> since = new LinkedHashMap<>();

    PendingLogins(int most) {
        this.most = most;
    }

    /** Returns the session that must be closed in return; null if there is none. */
    @Nullable
    S enter(S session) {
        lock.lock();
        try {
            S eldest = since.size() < most ? null : since.keySet().iterator().next();
            since.remove(eldest);
            since.put(session, System.nanoTime());
            return eldest;
        } finally {
            lock.unlock();
        }
    }

    /** Removes a session that has logged in or disconnected. */
    void leave(S session) {
        lock.lock();
        try {
            since.remove(session);
        } finally {
            lock.unlock();
        }
    }

    /** Removes and returns the sessions that have exceeded the time limit. */
    List<S> takeLate() {
        long limit = TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
        long now = System.nanoTime();
        List<S> late = new ArrayList<>();
        lock.lock();
        try {
            since.forEach((session, came) -> {
                if (now - came > limit) {
                    late.add(session);
                }
            });
            since.keySet().removeAll(late);
            return late;
        } finally {
            lock.unlock();
        }
    }

    int size() {
        lock.lock();
        try {
            return since.size();
        } finally {
            lock.unlock();
        }
    }
}
