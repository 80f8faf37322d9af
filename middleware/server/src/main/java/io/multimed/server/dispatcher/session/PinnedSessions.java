package io.multimed.server.dispatcher.session;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * The sessions that keep a connection of the master's for themselves, and why: their state lives in one engine session. At least one connection stays for all
 * others. Bounded by the clients; thread-safe.
 */
public final class PinnedSessions {
    private final Map<Long, List<String>> held = new ConcurrentHashMap<>();
    private final int most;

    /** @param connections the master's connections */
    public PinnedSessions(int connections) {
        this.most = Math.max(1, connections - 1);
    }

    /** Whether no further session can be given a connection for itself. */
    public boolean full() {
        return held.size() >= most;
    }

    public void keep(long session, List<String> why) {
        held.put(session, why);
    }

    public void free(long session) {
        held.remove(session);
    }

    /** For people, such as {@code 2 (settings 1, temporary tables 2)}; empty if there is none. */
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
