// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.capacity.queueing;

import java.util.Comparator;
import java.util.List;

/**
 * Mean values of a closed network.
 *
 * @param throughput interactions per second of all clients together
 * @param response seconds from an interaction to its reply
 * @param loads one for each station, in their order
 */
public record Solution(int clients, double throughput, double response, List<Load> loads) {
    public Solution {
        loads = List.copyOf(loads);
    }

    /**
     * Mean values of a station.
     *
     * @param utilization busy part of the servers, 0 to 1, with background work
     * @param queue mean number of interactions that wait or are served
     */
    public record Load(String station, double utilization, double queue) {}

    /** Returns the station that limits the throughput if there are more clients: the busiest one. */
    public Load bottleneck() {
        return loads.stream().max(Comparator.comparingDouble(Load::utilization)).orElseThrow();
    }
}
