package io.multimed.server.propagation.replication;

import io.multimed.engine.writeset.Scn;
import org.jspecify.annotations.Nullable;

/**
 * What a comparison of a satellite with its master found: how a table stands, or one row that differs.
 *
 * @param run 1, or 2 for the comparison after a repair
 * @param scn the place in the order at which both were compared
 * @param table schema and name; empty if it is about the whole satellite
 * @param detail of a row its key, or the row's beginning where the table has no key; otherwise what is wrong, or null
 * @param rows for {@link Outcome#EQUAL} the rows that were compared, for {@link Outcome#DIFFERS} those that differ, for a row 1
 */
public record Drift(
        int run,
        String satellite,
        Scn scn,
        String table,
        Outcome outcome,
        @Nullable String detail,
        long rows) {
    /** How it stands. */
    public enum Outcome {
        /** A table whose rows are the same. */
        EQUAL,
        /** A table whose rows are not; the rows follow, up to a bound. */
        DIFFERS,
        /** A row of the master that the satellite lacks. */
        MISSING,
        /** A row of the satellite that the master lacks. */
        EXTRA,
        /** A row that is another one on the satellite. */
        CHANGED,
        /**
         * A table that the satellite lacks because a schema change has not been sent to it yet: the master answers for
         * it.
         */
        ABSENT,
        /** A table that cannot be replicated: the master answers for it. */
        MASTER_ONLY,
        /** The table cannot be read alike on both. */
        NOT_COMPARABLE,
        /** The whole satellite could not be compared. */
        NOT_COMPARED
    }

    /** Whether something is not as it should be. */
    public boolean isBad() {
        return outcome != Outcome.EQUAL && outcome != Outcome.MASTER_ONLY;
    }

    /** The same, found in another run. */
    public Drift inRun(int number) {
        return new Drift(number, satellite, scn, table, outcome, detail, rows);
    }
}
