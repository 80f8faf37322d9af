// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.history;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Finds the strongly connected components of a graph by Tarjan's algorithm with an explicit stack. Time and memory are
 * linear in the number of visited points and edges. All points of a component have the same label; edges between
 * different labels are ignored. Used by one thread.
 */
final class StronglyConnectedComponents {
    /** Label of points that are in no cycle. */
    static final int NONE = -1;

    private final DependencyGraph graph;
    private final int[] label;
    private final int[] found;
    private final int[] lowest;
    private final int[] next;
    private final boolean[] waiting;
    private final IntVector path = new IntVector();
    private final IntVector stack = new IntVector();
    private int counter;
    private int labels = 1;

    StronglyConnectedComponents(DependencyGraph graph) {
        this.graph = graph;
        this.label = new int[graph.points()];
        this.found = new int[graph.points()];
        this.lowest = new int[graph.points()];
        this.next = new int[graph.points()];
        this.waiting = new boolean[graph.points()];
    }

    /** Returns all components of more than one point. */
    List<int[]> all() {
        int[] points = new int[graph.points()];
        Arrays.setAll(points, point -> point);
        return within(points);
    }

    /** Removes a point from its component. */
    void remove(int point) {
        label[point] = NONE;
    }

    int label(int point) {
        return label[point];
    }

    /** Returns the components of more than one point that remain of a component after points were removed. */
    List<int[]> within(int[] component) {
        List<int[]> components = new ArrayList<>();
        int whole = 0;
        for (int point : component) {
            found[point] = 0;
            whole = label[point] == NONE ? whole : label[point];
        }
        counter = 0;
        for (int point : component) {
            if (label[point] == whole && found[point] == 0) {
                search(point, whole, components);
            }
        }
        components.forEach(this::giveLabel);
        return components;
    }

    private void giveLabel(int[] component) {
        for (int point : component) {
            label[point] = labels;
        }
        labels++;
    }

    private void search(int start, int whole, List<int[]> components) {
        enter(start);
        while (path.size() > 0) {
            int point = path.get(path.size() - 1);
            if (next[point] < graph.first(point + 1)) {
                follow(point, graph.to(graph.edgeAt(next[point]++)), whole);
            } else {
                leave(point, components);
            }
        }
    }

    private void enter(int point) {
        found[point] = ++counter;
        lowest[point] = counter;
        next[point] = graph.first(point);
        waiting[point] = true;
        path.add(point);
        stack.add(point);
    }

    private void follow(int point, int to, int whole) {
        if (label[to] != whole) {
            return;
        }
        if (found[to] == 0) {
            enter(to);
        } else if (waiting[to]) {
            lowest[point] = Math.min(lowest[point], found[to]);
        }
    }

    private void leave(int point, List<int[]> components) {
        path.removeLast();
        if (path.size() > 0) {
            int before = path.get(path.size() - 1);
            lowest[before] = Math.min(lowest[before], lowest[point]);
        }
        if (lowest[point] == found[point]) {
            int[] component = take(point);
            if (component.length > 1) {
                components.add(component);
            } else {
                label[point] = NONE;
            }
        }
    }

    private int[] take(int root) {
        IntVector component = new IntVector();
        int point;
        do {
            point = stack.removeLast();
            waiting[point] = false;
            component.add(point);
        } while (point != root);
        return component.toArray();
    }
}
