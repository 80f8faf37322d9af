// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.replication;

import io.multimed.engine.writeset.Scn;
import org.jspecify.annotations.Nullable;

/**
 * A finding of the comparison of a satellite with the master: the state of a table, or one row that differs.
 *
 * @param run 1, or 2 for the comparison after a repair
 * @param scn SCN at which both were compared
 * @param table schema and name; empty if the finding concerns the whole satellite
 * @param detail for a row its key, or the beginning of the row if the table has no key; otherwise a description of the
 * problem, or null
 * @param rows for {@link Outcome#EQUAL} the number of compared rows, for {@link Outcome#DIFFERS} the number of rows
 * that differ, for a row 1
 */
public record Drift(
        int run,
        String satellite,
        Scn scn,
        String table,
        Outcome outcome,
        @Nullable String detail,
        long rows) {
    /** Result for a table, a row or a satellite. */
    public enum Outcome {
        /** The table contains the same rows on both nodes. */
        EQUAL,
        /** The table contains different rows; the rows follow, up to a limit. */
        DIFFERS,
        /**
         * The table has another definition on the satellite, so that the same values may be read in another way: the
         * rows were not compared.
         */
        OTHER_DEFINITION,
        /** The satellite lacks a row of the master. */
        MISSING,
        /** The master lacks a row of the satellite. */
        EXTRA,
        /** The row with this key has different values on the satellite. */
        CHANGED,
        /**
         * A table that the satellite lacks because a schema change has not been sent to it yet: the master answers for
         * it.
         */
        ABSENT,
        /** The table cannot be replicated, so the master answers queries on it. */
        MASTER_ONLY,
        /** The engine of the satellite finds that the files of the table are damaged. */
        DAMAGED,
        /** The satellite cannot compute the checksums of the table. */
        NOT_COMPARABLE,
        /** The whole satellite could not be compared. */
        NOT_COMPARED
    }

    /** Returns whether the satellite differs from the master, or could not be compared. */
    public boolean isBad() {
        return outcome != Outcome.EQUAL && outcome != Outcome.MASTER_ONLY;
    }

    /** Returns the same finding with the number of another run. */
    public Drift inRun(int number) {
        return new Drift(number, satellite, scn, table, outcome, detail, rows);
    }
}
