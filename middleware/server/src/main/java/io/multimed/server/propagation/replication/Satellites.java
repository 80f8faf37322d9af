// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.replication;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The present satellites, which may be added and removed at run time. Thread-safe; readers receive an immutable list.
 */
public final class Satellites {
    /** Replaced as a whole, under this object's monitor. */
    private volatile List<Satellite> all = List.of();

    private final ReadDemand demand = new ReadDemand(() -> all.forEach(Satellite::applyNow));

    /** Returns the record of reads, which decides whether the satellites gather WriteSets. */
    public ReadDemand demand() {
        return demand;
    }

    public List<Satellite> all() {
        return all;
    }

    public boolean mayStoreViews() {
        return all.stream().anyMatch(satellite -> !satellite.views().isEmpty());
    }

    public Optional<Satellite> find(String name) {
        return all.stream()
                .filter(satellite -> satellite.node().name().equals(name))
                .findFirst();
    }

    public synchronized void add(Satellite satellite) {
        List<Satellite> next = new ArrayList<>(all);
        next.add(satellite);
        all = List.copyOf(next);
    }

    public synchronized void remove(Satellite satellite) {
        List<Satellite> next = new ArrayList<>(all);
        next.remove(satellite);
        all = List.copyOf(next);
    }
}
