// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench.hop;

import io.multimed.deploy.bench.workload.RowWorkload;
import io.multimed.deploy.bench.workload.RowWorkload.Operation;
import io.multimed.deploy.bench.workload.Workload;
import java.util.List;

/**
 * Parameters of a comparison.
 *
 * @param clients numbers of clients, each of which is measured with every operation
 * @param inFlight maximum number of clients that wait for a reply at the same time
 * @param seconds measured time of each operation in each round
 * @param warmup seconds before each measured time
 * @param rows rows of the table, divided among the clients
 */
public record HopOptions(
        List<Integer> clients,
        List<Operation> operations,
        int inFlight,
        double seconds,
        double warmup,
        int rounds,
        int rows) {
    private static final int RANGE = 100;

    /** @throws IllegalArgumentException if a number is out of range; the message names the option */
    public HopOptions {
        clients = List.copyOf(clients);
        operations = List.copyOf(operations);
        require(!clients.isEmpty() && clients.stream().allMatch(number -> number > 0), "--clients must be at least 1");
        require(!operations.isEmpty(), "--operations names no operation");
        require(inFlight > 0, "--in-flight must be at least 1");
        require(seconds > 0, "--seconds must be positive");
        require(warmup >= 0, "--warmup must not be negative");
        require(rounds > 0, "--rounds must be at least 1");
        int most = clients.stream().max(Integer::compare).orElse(1);
        require(
                rows >= Math.max(RANGE, most),
                "--rows must be at least %d, and at least the number of clients, each of which updates rows of its own"
                        .formatted(RANGE));
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }

    /** Returns the number of clients that wait for a reply at the same time. */
    int inFlight(int clientCount) {
        return Math.min(clientCount, inFlight);
    }

    Workload workload(Operation operation, int clientCount) {
        return new RowWorkload(operation, rows, clientCount);
    }

    /** Returns the time of the warm-ups and measurements of all targets, without that of connecting, in seconds. */
    double estimatedSeconds(int targets) {
        return (clients.size() * rounds + 1) * operations.size() * targets * (seconds + warmup);
    }
}
