// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.history;

import io.multimed.deploy.history.DependencyGraph.Kind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A cycle of transactions, with its name in the literature (Adya; Cerone and others; Elle).
 *
 * @param hops from one transaction to the next; the last one leads to the first
 */
record Cycle(List<Hop> hops) {
    private static final int MAX_HOPS = 20;

    /**
     * The reason why one transaction precedes another.
     *
     * @param value the newer one of the two values of the key that establish the order
     */
    record Hop(Transaction from, Transaction to, Kind kind, int key, int value) {
        @Override
        public String toString() {
            String reason = switch (kind) {
                case WW ->
                    "%d appended %d to key %d after a value of %d".formatted(to.index(), value, key, from.index());
                case WR -> "%d read %d of key %d, which %d appended".formatted(to.index(), value, key, from.index());
                case RW ->
                    "%d read key %d without %d, which %d appended".formatted(from.index(), key, value, to.index());
                case REAL_TIME, ON -> "%d had ended before %d began".formatted(from.index(), to.index());
            };
            return "%d -%s-> %d (%s)"
                    .formatted(
                            from.index(),
                            kind == Kind.REAL_TIME ? "rt" : kind.name().toLowerCase(java.util.Locale.ROOT),
                            to.index(),
                            reason);
        }
    }

    /**
     * Converts a path of edges into a cycle. The points that belong to transactions come first in the graph:
     * {@code transactions.size()} points, or twice as many.
     */
    static Cycle of(List<Integer> edges, DependencyGraph graph, List<Transaction> transactions, Isolation isolation) {
        List<Integer> turned = new ArrayList<>(edges);
        int begin = 0;
        while (graph.kind(turned.get(begin)) == Kind.ON) {
            begin++;
        }
        Collections.rotate(turned, -begin);
        List<Hop> hops = new ArrayList<>();
        int from = 0;
        for (int i = 1; i <= turned.size(); i++) {
            if (i == turned.size() || graph.kind(turned.get(i)) != Kind.ON) {
                hops.add(hop(turned.subList(from, i), graph, transactions, isolation));
                from = i;
            }
        }
        Hop oldest =
                Collections.min(hops, Comparator.comparingInt(hop -> hop.from().index()));
        Collections.rotate(hops, -hops.indexOf(oldest));
        return new Cycle(hops);
    }

    /** Returns the hop for a path of edges. The first edge defines its kind; a later edge may define the value. */
    private static Hop hop(
            List<Integer> edges, DependencyGraph graph, List<Transaction> transactions, Isolation isolation) {
        int first = edges.get(0);
        int to = graph.to(first);
        int reason = first;
        for (int edge : edges) {
            if (Dependencies.transaction(to, isolation) >= transactions.size()) {
                to = graph.to(edge);
                reason = edge;
            }
        }
        return new Hop(
                transactions.get(Dependencies.transaction(graph.from(first), isolation)),
                transactions.get(Dependencies.transaction(to, isolation)),
                graph.kind(first),
                graph.key(reason),
                graph.value(reason));
    }

    Stream<Transaction> transactions() {
        return hops.stream().map(Hop::from);
    }

    private long count(Kind kind) {
        return hops.stream().filter(hop -> hop.kind() == kind).count();
    }

    /** Returns the common name of the anomaly. */
    String name() {
        boolean pair = hops.size() == 2;
        long rw = count(Kind.RW);
        if (rw == 1 && count(Kind.REAL_TIME) > 0) {
            return "stale read";
        }
        if (rw == 1
                && pair
                && count(Kind.WW) == 1
                && hops.get(0).key() == hops.get(1).key()) {
            return "lost update";
        }
        if (rw == 1 && pair && count(Kind.WR) == 1) {
            return "fractured read";
        }
        return rw == 2 && hops.size() == 4 && count(Kind.WR) == 2 && !hasAdjacent() ? "long fork" : phenomenon();
    }

    /** Returns Elle's name of the anomaly. */
    private String phenomenon() {
        long rw = count(Kind.RW);
        String plain;
        if (rw == 0) {
            plain = count(Kind.WR) == 0 ? "G0" : "G1c";
        } else if (rw == 1) {
            plain = "G-single";
        } else {
            plain = hasAdjacent() ? "G2-item" : "G-nonadjacent";
        }
        return count(Kind.REAL_TIME) == 0 ? plain : plain + "-realtime";
    }

    /** Returns whether two consecutive hops are rw, which snapshot isolation permits (write skew). */
    private boolean hasAdjacent() {
        for (int i = 0; i < hops.size(); i++) {
            if (hops.get(i).kind() == Kind.RW && hops.get((i + 1) % hops.size()).kind() == Kind.RW) {
                return true;
            }
        }
        return false;
    }

    /** Describes the cycle; of a long cycle, only its beginning. */
    @Override
    public String toString() {
        String more = hops.size() > MAX_HOPS ? "; and %d more".formatted(hops.size() - MAX_HOPS) : "";
        return "%s of operations %s: %s%s"
                .formatted(
                        phenomenon(),
                        join(hop -> String.valueOf(hop.from().index()), ", "),
                        join(Hop::toString, "; "),
                        more);
    }

    private String join(Function<Hop, String> words, String between) {
        return hops.stream().limit(MAX_HOPS).map(words).collect(Collectors.joining(between));
    }
}
