// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.session;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Registers the sessions that keep a connection to the master, because one engine session holds their state. At least
 * one connection remains for all other clients. The size is bounded by the number of connections. Thread-safe.
 */
public final class PinnedSessions {
    private final Map<Long, List<String>> held = new ConcurrentHashMap<>();
    private final int most;

    /** @param connections number of connections to the master */
    public PinnedSessions(int connections) {
        this.most = Math.max(1, connections - 1);
    }

    /** Returns whether no further session may keep a connection. */
    public boolean isFull() {
        return held.size() >= most;
    }

    public int size() {
        return held.size();
    }

    /** Returns the reasons why a session keeps a connection; nothing if it keeps none. */
    public List<String> reasons(long session) {
        return held.getOrDefault(session, List.of());
    }

    public void add(long session, List<String> why) {
        held.put(session, why);
    }

    public void remove(long session) {
        held.remove(session);
    }

    /**
     * Summarizes the reasons for display, such as {@code 2 (settings 1, temporary tables 2)}; empty if there is no
     * pinned session.
     */
    public String summary() {
        List<List<String>> all = List.copyOf(held.values());
        if (all.isEmpty()) {
            return "";
        }
        String reasons = all.stream()
                .flatMap(List::stream)
                .collect(Collectors.groupingBy(reason -> reason, java.util.TreeMap::new, Collectors.counting()))
                .entrySet()
                .stream()
                .map(reason -> reason.getKey() + " " + reason.getValue())
                .collect(Collectors.joining(", "));
        return all.size() + " (" + reasons + ")";
    }
}
