package io.multimed.deploy.evaluation.capacity;

import io.multimed.deploy.evaluation.capacity.queueing.ClosedNetwork;
import io.multimed.deploy.evaluation.capacity.queueing.Station;
import java.util.List;

/**
 * Which cores run which part of a system.
 *
 * @param pool cores that all parts share; 0 if each part has cores of its own
 * @param middleware cores of the middleware
 * @param master cores of the master
 * @param satellites cores of the satellites, in the order in which they are added; further ones have those of the last
 * @param localClients whether the clients run on the shared cores, too; otherwise on other machines, without a queue
 */
record Deployment(int pool, int middleware, int master, List<Integer> satellites, boolean localClients) {
    /** Names of stations. */
    static final String SATELLITES = "satellites";

    static final String ALL = "all cores";

    Deployment {
        satellites = List.copyOf(satellites);
    }

    /** Returns a system whose parts share all cores. */
    static Deployment shared(int cores, boolean localClients) {
        return new Deployment(cores, 0, 0, List.of(), localClients);
    }

    /** Returns a system whose parts have cores of their own, each satellite the same number. */
    static Deployment separate(int middleware, int master, int satellite) {
        return new Deployment(0, middleware, master, List.of(satellite), false);
    }

    /**
     * Returns the deployment of the figures that are measured: equal parts, or all cores for all if there are too few.
     * The clients run on the same machine.
     */
    static Deployment ofFigures(int cores, int satellites) {
        int part = cores / (satellites + 2);
        return part == 0 ? shared(cores, true) : separate(part, part, part);
    }

    boolean isShared() {
        return pool > 0;
    }

    /** Returns the cores of a number of satellites together. */
    private int satelliteCores(int count) {
        int sum = 0;
        for (int i = 0; i < count; i++) {
            sum += satellites.get(Math.min(i, satellites.size() - 1));
        }
        return sum;
    }

    /** Returns the cores of the system with a number of satellites. */
    int cores(int count) {
        return isShared() ? pool : middleware + master + satelliteCores(count);
    }

    /**
     * Returns Multimed as a network. A read runs on the satellite with the fewest transactions, so that none is idle
     * while another one has a queue: all satellites are one station. No client waits for an update to be applied.
     *
     * @param count number of satellites, at least 1
     * @param think seconds between a reply and the next interaction
     */
    ClosedNetwork multimed(Demands demands, int count, double think) {
        double middlewareTime = demands.middleware() + count * demands.sending();
        double applying = count * demands.apply();
        double delay = demands.flush() + (localClients ? 0 : demands.client());
        if (isShared()) {
            double all = middlewareTime + demands.master() + demands.reads() + (localClients ? demands.client() : 0);
            return new ClosedNetwork(List.of(new Station(ALL, pool, all, applying)), delay, think);
        }
        return new ClosedNetwork(
                List.of(
                        Station.of("middleware", middleware, middlewareTime),
                        Station.of("master", master, demands.master()),
                        new Station(SATELLITES, satelliteCores(count), demands.reads(), applying)),
                delay,
                think);
    }

    /**
     * Returns an engine alone as a network. Its processes do not disturb each other: the throughput of a real engine is
     * at most this one.
     */
    static ClosedNetwork engine(Demands demands, int cores, boolean localClients, double think) {
        double client = demands.plainClient();
        return new ClosedNetwork(
                List.of(Station.of("engine", cores, demands.engine() + (localClients ? client : 0))),
                demands.flush() + (localClients ? 0 : client),
                think);
    }
}
