// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.history;

import java.util.ArrayList;
import java.util.List;

/**
 * Points, and edges between them. All points and edges are added before {@link #close}; afterwards the graph is only
 * read. Used by one thread.
 */
final class DependencyGraph {
    /** The reason why one transaction precedes another. */
    enum Kind {
        /** The second transaction appended after a value of the first. */
        WW,
        /** The second transaction read a value of the first. */
        WR,
        /** The first transaction read without a value that the second appended. */
        RW,
        /** The first transaction ended before the second began. */
        REAL_TIME,
        /** Connects the points of one transaction, or leads from a point that many edges share. */
        ON
    }

    private final IntVector from = new IntVector();
    private final IntVector to = new IntVector();
    private final List<Kind> kind = new ArrayList<>();
    private final IntVector key = new IntVector();
    private final IntVector value = new IntVector();
    private int points;

    /** By point: the index of its first edge in {@link #edges}. */
    private int[] first = {};

    private int[] edges = {};

    DependencyGraph(int points) {
        this.points = points;
    }

    /** Adds a point and returns its number. */
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
     * @param value the newer one of the two values that establish the order, in the list of the key
     */
    void edge(int from, int to, Kind kind, int key, int value) {
        this.from.add(from);
        this.to.add(to);
        this.kind.add(kind);
        this.key.add(key);
        this.value.add(value);
    }

    /** Ends the construction: no edges may be added any more. */
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

    /** Returns the index of a point's first edge; its edges end where those of the next point begin. */
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
