// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench.hop;

import java.util.List;
import java.util.Optional;

/**
 * Results of a comparison.
 *
 * @param remarks on the targets and on the machine, each a sentence
 * @param skipped targets that were not measured, each with the reason and the remedy
 * @param cells in the order of operations, numbers of clients, and targets
 */
record HopResult(HopSetup setup, HopOptions options, List<String> remarks, List<String> skipped, List<HopCell> cells) {
    private static final List<String> GROUPS = List.of(
            HopCluster.CLIENT, HopCluster.MIDDLEWARE, HopCluster.POOLER, HopCluster.MASTER, HopCluster.SATELLITES);

    /** Returns the result of the first target, of the same operation and number of clients. */
    Optional<HopCell> base(HopCell cell) {
        return cells.stream()
                .filter(other -> other.operation() == cell.operation() && other.clients() == cell.clients())
                .findFirst();
    }

    /**
     * Returns the result of the same target and operation with as many clients as there are in flight; empty for this
     * result itself. The comparison shows what idle clients cost.
     */
    Optional<HopCell> own(HopCell cell) {
        return cells.stream()
                .filter(other -> other.operation() == cell.operation()
                        && other.target().equals(cell.target())
                        && other.clients() == options.inFlight()
                        && cell.clients() > options.inFlight())
                .findFirst();
    }

    /** Returns the names of the targets, in the order of the rounds. */
    List<String> targets() {
        return cells.stream().map(HopCell::target).distinct().toList();
    }

    /** Returns the names of the groups of processes whose CPU time is known, from the clients to the engines. */
    List<String> groups() {
        return GROUPS.stream()
                .filter(group ->
                        cells.stream().anyMatch(cell -> cell.cpuMicros().containsKey(group)))
                .toList();
    }

    /** Returns whether an operation failed. A target that refuses clients is a result, not an error. */
    boolean hasErrors() {
        return cells.stream().anyMatch(cell -> cell.errors() > 0);
    }
}
