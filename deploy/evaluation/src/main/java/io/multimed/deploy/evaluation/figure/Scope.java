// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.figure;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The extent of a measurement.
 *
 * @param quick the smallest useful form, which the tests run: few points, one short round
 * @param cores number of cores of this machine
 * @param engines names of the engines, the first one for figures that use one engine
 */
public record Scope(boolean quick, int cores, List<String> engines, Bounds bounds) {
    /** Clients in the quick form. */
    private static final int QUICK_CLIENTS = 8;

    /** Connections that each database accepts in the quick form. */
    private static final int QUICK_CONNECTIONS = 64;

    public Scope {
        engines = List.copyOf(engines);
    }

    /** Creates a scope without bounds. */
    public Scope(boolean quick, int cores, List<String> engines) {
        this(quick, cores, engines, Bounds.NONE);
    }

    /** Returns the same scope with other numbers of clients; none for those of the form. */
    public Scope withClients(List<Integer> clients) {
        return new Scope(
                quick,
                cores,
                engines,
                new Bounds(bounds.rounds(), bounds.seconds(), bounds.warmup(), clients, bounds.levels()));
    }

    /** Returns the first value in the quick form, otherwise the second one. */
    public <T> T choose(T ifQuick, T otherwise) {
        return quick ? ifQuick : otherwise;
    }

    /** Returns the number of rounds of each measurement. */
    public int rounds() {
        return Objects.requireNonNullElse(bounds.rounds(), choose(1, 3));
    }

    public int roundSeconds() {
        return Objects.requireNonNullElse(bounds.seconds(), choose(1, 5));
    }

    /** Returns the seconds before the first round of a database, in which the Java virtual machines compile. */
    public int warmupSeconds() {
        return Objects.requireNonNullElse(bounds.warmup(), choose(0, 30));
    }

    /** Returns the numbers of clients of a figure against clients, in ascending order. */
    public List<Integer> clients(List<Integer> ofTheFigure) {
        return bounds.clients().isEmpty() ? choose(List.of(QUICK_CLIENTS), ofTheFigure) : bounds.clients();
    }

    /** Returns those of a figure's levels that the user has not excluded; all if none would remain. */
    public <T extends Enum<T>> List<T> levels(List<T> ofTheFigure) {
        List<T> chosen = ofTheFigure.stream()
                .filter(level -> bounds.levels().contains(level.name()))
                .toList();
        return chosen.isEmpty() ? ofTheFigure : chosen;
    }

    /** Returns the number of clients of a figure that has one number only. */
    public int clients(int ofTheFigure) {
        return choose(QUICK_CLIENTS, ofTheFigure);
    }

    /**
     * Returns the connections that a database has to accept. In the quick form, they are the same for all figures, so
     * that the figures share running databases.
     */
    public int connections(int clients) {
        return quick ? Math.max(QUICK_CONNECTIONS, clients) : clients;
    }

    /** Returns the engine of figures that use one engine. */
    public String engine() {
        return engines.get(0);
    }

    /** Returns the powers of two up to the number of cores, and the number of cores. */
    public List<Integer> coreCounts() {
        List<Integer> counts = new ArrayList<>();
        for (int count = 1; count < cores; count *= 2) {
            counts.add(count);
        }
        counts.add(cores);
        return counts;
    }
}
