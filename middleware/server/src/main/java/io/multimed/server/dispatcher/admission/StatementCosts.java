// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.admission;

import io.multimed.server.dispatcher.statement.AverageByText;

/** Average times of recent executions of reads on an engine, by text. Thread-safe. */
public final class StatementCosts {
    private static final long CHARACTERS = 16 << 20;

    private final AverageByText nanos = new AverageByText(CHARACTERS);

    /** Returns the average in nanoseconds; 0 if the text has not run lately. */
    long of(String sql) {
        return nanos.of(sql, 0);
    }

    /** Records an execution that has succeeded. */
    public void ran(String sql, long taken) {
        nanos.add(sql, taken, taken);
    }

    /**
     * Records an execution that has failed: if it was canceled, for example, the text takes longer than this. It
     * therefore never makes the average smaller.
     */
    public void failed(String sql, long taken) {
        if (taken > of(sql)) {
            ran(sql, taken);
        }
    }
}
