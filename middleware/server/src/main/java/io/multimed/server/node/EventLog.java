// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The last events that operators want to see: changes of nodes' states, and what administrators have done. Contains no
 * statements and no data of clients. Thread-safe.
 */
public final class EventLog {
    /** Beyond this number, the oldest event is forgotten. */
    private static final int MAX_EVENTS = 200;

    /** Maximum length of a text. */
    private static final int MAX_CHARACTERS = 400;

    /** Protects the fields below; held for a few instructions. */
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final ArrayDeque<Event> events = new ArrayDeque<>();

    @GuardedBy("lock")
    private long number;

    /** How much an event matters. */
    public enum Severity {
        INFO,
        /** Clients are served, but not as the System Model describes. */
        WARNING,
        /** Clients receive errors. */
        ERROR
    }

    /**
     * An event.
     *
     * @param number ascending
     * @param millis time by {@link System#currentTimeMillis}
     * @param subject a node, or the middleware
     */
    public record Event(long number, long millis, Severity severity, String subject, String text) {}

    public void add(Severity severity, String subject, String text) {
        String shortened = text.length() <= MAX_CHARACTERS ? text : text.substring(0, MAX_CHARACTERS) + "…";
        lock.lock();
        try {
            events.add(new Event(++number, System.currentTimeMillis(), severity, subject, shortened));
            if (events.size() > MAX_EVENTS) {
                events.remove();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the events, the last one first. */
    public List<Event> latest() {
        List<Event> all;
        lock.lock();
        try {
            all = new ArrayList<>(events);
        } finally {
            lock.unlock();
        }
        Collections.reverse(all);
        return all;
    }
}
