// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.capacity;

import io.multimed.deploy.evaluation.capacity.queueing.ClosedNetwork;
import io.multimed.deploy.evaluation.capacity.queueing.Station;
import java.util.ArrayList;
import java.util.List;

/**
 * The cores of each part of a system.
 *
 * @param pool cores that all parts share; 0 if each part has cores of its own
 * @param middleware cores of the middleware
 * @param master cores of the master
 * @param satellites cores of the satellites, in the order in which they are added; further ones have those of the last
 * @param clientMachine cores of the machine if the clients run there, too, on any of its cores; 0 if they run on other
 *     machines, without a queue
 */
record Deployment(int pool, int middleware, int master, List<Integer> satellites, int clientMachine) {
    /** Names of stations. */
    static final String SATELLITES = "satellites";

    static final String ALL = "all cores";
    static final String CLIENTS = "cores of the clients";

    Deployment {
        satellites = List.copyOf(satellites);
    }

    /**
     * Returns a system whose parts share some cores.
     *
     * @param clientMachine cores of the machine with the clients; 0 if they run on other machines
     */
    static Deployment shared(int cores, int clientMachine) {
        return new Deployment(cores, 0, 0, List.of(), clientMachine);
    }

    /** Returns a system whose parts have cores of their own, each satellite the same number; clients are elsewhere. */
    static Deployment separate(int middleware, int master, int satellite) {
        return new Deployment(0, middleware, master, List.of(satellite), 0);
    }

    /**
     * Returns the deployment of the figures that are measured: equal parts, or the same cores for all if there are too
     * few. The clients run on the same machine, and are not bound to cores.
     *
     * @param cores those to which the system is bound
     */
    static Deployment ofFigures(int cores, int satellites, int machine) {
        int part = cores / (satellites + 2);
        return part == 0 ? shared(cores, machine) : new Deployment(0, part, part, List.of(part), machine);
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
        List<Station> stations = isShared()
                ? List.of(new Station(ALL, pool, middlewareTime + demands.master() + demands.reads(), applying))
                : List.of(
                        Station.of("middleware", middleware, middlewareTime),
                        Station.of("master", master, demands.master()),
                        new Station(SATELLITES, satelliteCores(count), demands.reads(), applying));
        return network(stations, demands.client(), clientMachine, demands.flush(), think);
    }

    /**
     * Returns an engine alone as a network. Its processes do not disturb each other: the throughput of a real engine is
     * at most this one.
     *
     * @param clientMachine cores of the machine with the clients; 0 if they run on other machines
     */
    static ClosedNetwork engine(Demands demands, int cores, int clientMachine, double think) {
        List<Station> stations = List.of(Station.of("engine", cores, demands.engine()));
        return network(stations, demands.plainClient(), clientMachine, demands.flush(), think);
    }

    /**
     * Adds the clients. Those of the same machine work on the cores that the system does not use, and on those of the
     * system only as far as that balances the load: the kernel gives a thread an idle core if there is one.
     */
    private static ClosedNetwork network(
            List<Station> system, double client, int clientMachine, double flush, double think) {
        if (clientMachine == 0) {
            return new ClosedNetwork(system, flush + client, think);
        }
        int used = system.stream().mapToInt(Station::servers).sum();
        int spare = Math.max(0, clientMachine - used);
        double work = system.stream()
                .mapToDouble(station -> station.demand() + station.background())
                .sum();
        double onSystem = Math.max(0, (client * used - work * spare) / (used + spare));
        List<Station> stations = new ArrayList<>();
        for (Station station : system) {
            double more = onSystem * station.servers() / used;
            stations.add(new Station(station.name(), station.servers(), station.demand() + more, station.background()));
        }
        if (spare > 0) {
            stations.add(Station.of(CLIENTS, spare, client - onSystem));
        }
        return new ClosedNetwork(stations, flush, think);
    }
}
