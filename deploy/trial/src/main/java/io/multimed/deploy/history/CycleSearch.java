// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.history;

import io.multimed.deploy.history.DependencyGraph.Kind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Finds the most informative cycle of a component: the one with the fewest rw edges; among these, with the fewest
 * real-time edges; then with the fewest wr edges; then the shortest. Every cycle contains at least one edge that leads
 * back to a transaction that ended earlier; the search starts at these edges. The result is exact if a component has
 * few of them; otherwise it is the best cycle through the edges that lead back furthest.
 */
final class CycleSearch {
    /** Approximate bound on the points visited by all searches for one cycle. */
    private static final int EFFORT = 400_000;

    private static final int MIN_STARTS = 2;
    private static final int NO_EDGE = -1;

    private final DependencyGraph graph;
    private final StronglyConnectedComponents components;
    private final Isolation isolation;
    private final int transactions;

    /** By point, in the current search: the cost of the cheapest known path, and its last edge. */
    private final long[] costs;

    private final int[] by;

    /**
     * Creates a search over a closed graph.
     *
     * @param transactions number of transactions to which the graph's first points belong
     */
    CycleSearch(DependencyGraph graph, StronglyConnectedComponents components, Isolation isolation, int transactions) {
        this.graph = graph;
        this.components = components;
        this.isolation = isolation;
        this.transactions = transactions;
        this.costs = new long[graph.points()];
        this.by = new int[graph.points()];
    }

    /** A point to visit, with the cost of the path that led to the point. */
    private record Visit(int point, long cost) {}

    /** A point at which a search begins, and by how many transactions its edges lead back. */
    private record Start(int point, int back) {}

    /** Returns the edges of the cycle in order. */
    List<Integer> best(int[] component) {
        List<Integer> best = List.of();
        long least = Long.MAX_VALUE;
        for (Start start : starts(component)) {
            List<Integer> cycle = through(start.point(), component, least);
            if (!cycle.isEmpty()) {
                best = cycle;
                least = cycle.stream().mapToLong(edge -> cost(graph.kind(edge))).sum();
            }
        }
        return best;
    }

    /** Returns the points with edges that lead back, the furthest first, as many as the bound on the effort permits. */
    private List<Start> starts(int[] component) {
        List<Start> starts = new ArrayList<>();
        for (int point : component) {
            int back = 0;
            for (int place = graph.first(point); place < graph.first(point + 1); place++) {
                back = Math.max(back, back(graph.edgeAt(place)));
            }
            if (back > 0) {
                starts.add(new Start(point, back));
            }
        }
        starts.sort(Comparator.comparingInt(Start::back).reversed());
        int most = Math.max(MIN_STARTS, EFFORT / component.length);
        return starts.subList(0, Math.min(starts.size(), most));
    }

    /**
     * Returns by how many transactions, ordered by their ends, an edge leads back; 0 for an edge that leads forward.
     */
    private int back(int edge) {
        Kind kind = graph.kind(edge);
        boolean within = components.label(graph.from(edge)) == components.label(graph.to(edge));
        if (!within || kind == Kind.ON || kind == Kind.REAL_TIME) {
            return 0;
        }
        return back(Dependencies.transaction(graph.from(edge), isolation), graph.to(edge));
    }

    private int back(int from, int point) {
        int to = Dependencies.transaction(point, isolation);
        int back = to < transactions ? Math.max(0, from - to) : 0;
        if (to >= transactions) { // Many transactions share this point: each of its edges leads to one of them.
            for (int place = graph.first(point); place < graph.first(point + 1); place++) {
                back = Math.max(back, back(from, graph.to(graph.edgeAt(place))));
            }
        }
        return back;
    }

    /**
     * Returns the cost of an edge. The powers of two are so far apart that the sum orders cycles by rw edges first,
     * then by real-time edges, then by wr edges, then by length.
     */
    private static long cost(Kind kind) {
        return switch (kind) {
            case ON -> 0L;
            case WW -> 1L;
            case WR -> 1L << 20;
            case REAL_TIME -> 1L << 30;
            case RW -> 1L << 40;
        };
    }

    /**
     * Returns the cheapest cycle through a point, by Dijkstra's algorithm; empty if its cost is not below the limit.
     */
    private List<Integer> through(int start, int[] component, long limit) {
        for (int point : component) {
            costs[point] = Long.MAX_VALUE;
            by[point] = NO_EDGE;
        }
        PriorityQueue<Visit> due = new PriorityQueue<>(Comparator.comparingLong(Visit::cost));
        due.add(new Visit(start, 0));
        while (!due.isEmpty() && due.element().cost() < limit) {
            Visit visit = due.remove();
            if (visit.point() == start && visit.cost() > 0) {
                return backFrom(start);
            }
            if (visit.cost() == 0 || visit.cost() == costs[visit.point()]) {
                visit(visit, due);
            }
        }
        return List.of();
    }

    /** Relaxes the edges of a point within its component. */
    private void visit(Visit visit, PriorityQueue<Visit> due) {
        for (int place = graph.first(visit.point()); place < graph.first(visit.point() + 1); place++) {
            int edge = graph.edgeAt(place);
            int to = graph.to(edge);
            long cost = visit.cost() + cost(graph.kind(edge));
            if (components.label(to) == components.label(visit.point()) && cost < costs[to]) {
                costs[to] = cost;
                by[to] = edge;
                due.add(new Visit(to, cost));
            }
        }
    }

    /** Follows the last edges of the cheapest paths back to the start. */
    private List<Integer> backFrom(int start) {
        List<Integer> edges = new ArrayList<>();
        int point = start;
        do {
            edges.add(by[point]);
            point = graph.from(by[point]);
        } while (point != start);
        Collections.reverse(edges);
        return edges;
    }
}
