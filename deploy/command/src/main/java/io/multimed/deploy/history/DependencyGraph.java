package io.multimed.deploy.history;

import java.util.ArrayList;
import java.util.List;

/** Points and the edges between them: first all are added, then the graph is {@link #close closed}, then it is read. Used by one thread. */
final class DependencyGraph {
    /** Why one comes before the other. */
    enum Kind {
        /** The one appended, the other appended behind it. */
        WW,
        /** The other read what the one appended. */
        WR,
        /** The one read without what the other appended. */
        RW,
        /** The one had ended before the other began. */
        REAL_TIME,
        /** Only leads on: within a transaction, or from edges that many share. */
        ON
    }

    private final IntVector from = new IntVector();
    private final IntVector to = new IntVector();
    private final List<Kind> kind = new ArrayList<>();
    private final IntVector key = new IntVector();
    private final IntVector value = new IntVector();
    private int points;

    /** By point: where its edges begin in {@link #edges}. */
    private int[] first = {};

    private int[] edges = {};

    DependencyGraph(int points) {
        this.points = points;
    }

    /** Adds a point. */
    int point() {
        return points++;
    }

    int points() {
        return points;
    }

    void edge(int from, int to, Kind kind) {
        edge(from, to, kind, 0, 0);
    }

    /**
     * Adds an edge.
     *
     * @param value the newer value that is the reason, in the list of the key
     */
    void edge(int from, int to, Kind kind, int key, int value) {
        this.from.add(from);
        this.to.add(to);
        this.kind.add(kind);
        this.key.add(key);
        this.value.add(value);
    }

    /** No more edges will come. */
    void close() {
        first = new int[points + 1];
        for (int edge = 0; edge < from.size(); edge++) {
            first[from.get(edge) + 1]++;
        }
        for (int point = 0; point < points; point++) {
            first[point + 1] += first[point];
        }
        int[] next = first.clone();
        edges = new int[from.size()];
        for (int edge = 0; edge < edges.length; edge++) {
            edges[next[from.get(edge)]++] = edge;
        }
    }

    /** Where the edges from a point begin; they end where those of the next point begin. */
    int first(int point) {
        return first[point];
    }

    int edgeAt(int place) {
        return edges[place];
    }

    int from(int edge) {
        return from.get(edge);
    }

    int to(int edge) {
        return to.get(edge);
    }

    Kind kind(int edge) {
        return kind.get(edge);
    }

    int key(int edge) {
        return key.get(edge);
    }

    int value(int edge) {
        return value.get(edge);
    }
}
