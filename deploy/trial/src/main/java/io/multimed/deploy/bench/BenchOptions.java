// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench;

import io.multimed.deploy.bench.workload.OrderEntryWorkload;
import io.multimed.deploy.bench.workload.RowWorkload;
import io.multimed.deploy.bench.workload.Workload;

/**
 * Parameters of a measurement.
 *
 * @param warmup seconds before each measured interval, except for the first one, which is preceded by ten times as many
 * @param rows rows of the table, divided among the clients; for the transactions of TPC-C the number of items
 */
public record BenchOptions(Kind kind, int clients, int seconds, int warmup, int rounds, int rows) {
    /** Operation that each client repeats: one of {@link RowWorkload.Operation}, or a transaction of TPC-C. */
    public enum Kind {
        READ,
        READ100,
        READ10000,
        COMMIT,
        UPDATES3,
        MIXED3,
        READS3,
        EMPTY,
        NEWORDER,
        PAYMENT
    }

    /** Returns the operation that each client repeats. */
    Workload workload() {
        return switch (kind) {
            case NEWORDER -> OrderEntryWorkload.newOrder(rows);
            case PAYMENT -> OrderEntryWorkload.payment(rows);
            case READ, READ100, READ10000, COMMIT, UPDATES3, MIXED3, READS3, EMPTY ->
                new RowWorkload(RowWorkload.Operation.valueOf(kind.name()), rows, clients);
        };
    }

    public BenchOptions {
        if (clients < 1 || seconds < 1 || warmup < 0 || rounds < 1 || rows < clients) {
            throw new IllegalArgumentException(
                    "clients, seconds and rounds must be at least 1, and rows at least the number of clients");
        }
    }
}
