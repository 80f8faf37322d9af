// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.session;

import io.multimed.server.dispatcher.statement.AverageByText;

/**
 * Predicts from the first statement whether a read-write transaction with one snapshot will only read. If so, the
 * transaction begins on a satellite; otherwise on the master, because the move to the master costs round trips and may
 * fail. Learns from the ends of transactions. Thread-safe.
 */
public final class TransactionForecast {
    private static final long CHARACTERS = 4 << 20;
    private static final int CERTAIN = 1_024;

    /** By first statement: the share of transactions that have only read, lately, in parts of {@link #CERTAIN}. */
    private final AverageByText shares = new AverageByText(CHARACTERS);

    /** Returns whether a transaction with this first statement will probably only read. */
    public boolean onlyReads(String first) {
        return shares.of(first, CERTAIN) > CERTAIN / 2;
    }

    /** Records the end of a transaction. */
    public void ended(String first, boolean onlyRead) {
        shares.add(first, onlyRead ? CERTAIN : 0, CERTAIN);
    }
}
