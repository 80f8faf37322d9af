// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.soak;

import io.multimed.deploy.fault.Fault;
import io.multimed.deploy.history.Isolation;
import io.multimed.model.Propagation;
import java.time.Duration;
import java.util.List;

/**
 * Parameters of a soak test.
 *
 * @param engine of all nodes
 * @param propagation whether the satellites are standbys of the engine
 * @param length of the load
 * @param killEvery from the beginning of a fault to that of the next; longer if the recovery takes longer
 * @param seed of the faults, the data and the browsers
 * @param faults the kinds to choose from
 * @param browsers emulated browsers of TPC-W's ordering mix
 * @param recorders clients whose history is recorded and checked
 * @param isolation level of their transactions that write
 */
public record SoakOptions(
        String engine,
        Propagation propagation,
        Duration length,
        Duration killEvery,
        long seed,
        List<Fault> faults,
        int browsers,
        int recorders,
        Isolation isolation) {
    public SoakOptions {
        faults = List.copyOf(faults);
        if (length.toSeconds() < 10 || killEvery.toSeconds() < 1 || faults.isEmpty()) {
            throw new IllegalArgumentException(
                    "a soak lasts at least 10 s, faults come at least 1 s apart, and there is at least one kind of them");
        }
    }
}
