// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.writeset;

/**
 * The earlier part of a WriteSet that is too large for one row. It remains on the master in pieces, which are read one
 * by one when they are applied.
 *
 * @param place number of the master's table that holds them
 * @param transaction the master's own number of the transaction
 * @param pieces number of pieces
 * @param mayChangeSchema whether the changes may include a statement, or the new definition of a table
 */
public record Spill(int place, long transaction, int pieces, boolean mayChangeSchema) {
    /** Returns the place of changes that only the engine's own log contains. */
    static Spill inLog(boolean mayChangeSchema) {
        return new Spill(-1, 0, 0, mayChangeSchema);
    }
}
