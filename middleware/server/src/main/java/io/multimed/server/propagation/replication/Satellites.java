package io.multimed.server.propagation.replication;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The satellites that there are at this moment: they come and go while the system runs. Thread-safe; whoever reads gets a list that does not change. */
public final class Satellites {
    /** Replaced as a whole, under this object's monitor. */
    private volatile List<Satellite> all = List.of();

    public List<Satellite> all() {
        return all;
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
