// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.capacity;

import io.multimed.deploy.evaluation.capacity.queueing.ClosedNetwork;
import io.multimed.tpcw.browser.Mix;
import io.multimed.tpcw.run.Spread;
import java.util.function.Function;

/** The demands of a mix: from the smallest values of the rounds, from the medians, and from the largest ones. */
record DemandRange(Demands low, Demands median, Demands high) {
    /** @throws IllegalArgumentException if a measurement is missing; the message says which */
    static DemandRange of(MeasuredDemands file, Mix mix) {
        return new DemandRange(
                Demands.of(file, mix, Spread::min), Demands.of(file, mix), Demands.of(file, mix, Spread::max));
    }

    /** Returns the throughput of a network: the smallest one follows from the largest demands. */
    Spread throughput(Function<Demands, ClosedNetwork> network, int clients) {
        return new Spread(
                network.apply(high).solve(clients).throughput(),
                network.apply(median).solve(clients).throughput(),
                network.apply(low).solve(clients).throughput());
    }
}
