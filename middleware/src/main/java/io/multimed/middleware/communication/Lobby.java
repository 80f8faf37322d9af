package io.multimed.middleware.communication;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Clients that are connected and not known yet. At most so many, each for a short time: where one more comes, the one that has been here longest must go, since a client that wants to work is known
 * within milliseconds. Thread-safe.
 */
final class Lobby {
    /** How long a client may take to say who it is. */
    static final long PATIENCE_MILLIS = 10_000;

    private final int most;

    /** Protects {@link #since}; held for a few instructions. */
    private final ReentrantLock lock = new ReentrantLock();

    /** When they came, by {@link System#nanoTime}, in that order. */
    @GuardedBy("lock")
    private final Map<ClientSession, Long> since = new LinkedHashMap<>();

    Lobby(int most) {
        this.most = most;
    }

    /** Returns who must go for it; null if nobody. */
    @Nullable
    ClientSession enter(ClientSession session) {
        lock.lock();
        try {
            ClientSession eldest =
                    since.size() < most ? null : since.keySet().iterator().next();
            since.remove(eldest);
            since.put(session, System.nanoTime());
            return eldest;
        } finally {
            lock.unlock();
        }
    }

    /** It is known now, or gone. */
    void leave(ClientSession session) {
        lock.lock();
        try {
            since.remove(session);
        } finally {
            lock.unlock();
        }
    }

    /** Those that have been here for too long; they are not counted any more. */
    List<ClientSession> takeLate() {
        long limit = TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
        long now = System.nanoTime();
        List<ClientSession> late = new ArrayList<>();
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
