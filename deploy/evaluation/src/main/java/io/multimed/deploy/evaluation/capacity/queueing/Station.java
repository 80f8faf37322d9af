// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.capacity.queueing;

/**
 * Equal servers with a common queue, such as the cores of a node.
 *
 * @param name unique in a network
 * @param servers at least 1
 * @param demand seconds that one server works for an interaction while the client waits
 * @param background seconds that one server works for an interaction without a client that waits
 */
public record Station(String name, int servers, double demand, double background) {
    public Station {
        if (servers < 1) {
            throw new IllegalArgumentException("%s: a station has at least 1 server, not %d".formatted(name, servers));
        }
        if (!(demand >= 0) || !(background >= 0)) {
            throw new IllegalArgumentException("%s: a service time is not negative".formatted(name));
        }
    }

    /** Returns a station without background work. */
    public static Station of(String name, int servers, double demand) {
        return new Station(name, servers, demand, 0);
    }

    /** Returns the interactions per second at which all servers are busy; infinite if the station has no work. */
    double limit() {
        return servers / (demand + background);
    }

    /** Returns the part of the servers that is busy, 0 to 1. */
    double utilization(double throughput) {
        return throughput * (demand + background) / servers;
    }

    /** Returns this station without background work, but slower by the servers that the background work occupies. */
    Station slowed(double throughput) {
        double left = 1 - throughput * background / servers;
        return of(name, servers, demand == 0 ? 0 : demand / Math.max(1e-12, left));
    }
}
