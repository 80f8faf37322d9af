// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Outcomes of the sessions whose connections were lost, so that a client that has reconnected can learn the outcome of
 * its last request. Keeps the latest {@value #MAX_ENTRIES} entries. Thread-safe.
 */
final class SessionOutcomes {
    private static final int MAX_ENTRIES = 4_096;

    /** Protects {@link #latest}; held for a few instructions. */
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<Long, SessionOutcome> latest = new LinkedHashMap<>();

    void put(long sessionId, SessionOutcome outcome) {
        lock.lock();
        try {
            latest.put(sessionId, outcome);
            if (latest.size() > MAX_ENTRIES) {
                var eldest = latest.keySet().iterator();
                eldest.next();
                eldest.remove();
            }
        } finally {
            lock.unlock();
        }
    }

    @Nullable
    SessionOutcome get(long sessionId) {
        lock.lock();
        try {
            return latest.get(sessionId);
        } finally {
            lock.unlock();
        }
    }
}
