// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.satellite;

import io.multimed.engine.sql.ViewKeys;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * A view of the master whose rows a satellite stores as a table, so that reads of the view do not compute them (paper
 * §3.4). The applier changes the table in the same transactions as the tables on which the view depends: at each
 * applied SCN, the table has the rows that the view would have.
 *
 * @param name of the view, as the application created it; schema.view if several schemas have a view of this name
 * @param indexes of the stored rows, each as in parentheses behind the table in CREATE INDEX
 */
public record MaterializedView(String name, List<String> indexes) {
    /** The first characters of the names of all objects that store or maintain rows of views. */
    public static final String PREFIX = "multimed_mv_";

    private static final int DIGITS = 16;

    public MaterializedView {
        indexes = List.copyOf(indexes);
    }

    /** Returns the name of the table that stores the rows. */
    public String storage() {
        String hash = UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8))
                .toString()
                .replace("-", "");
        return PREFIX + hash.substring(0, DIGITS);
    }

    /** Returns the name of the table that collects the keys of rows to compute again, for one output column. */
    public String keys(int output) {
        return storage() + "_keys_" + output;
    }

    /** How a satellite keeps the rows of a view current, and what that costs. Thread-safe. */
    public static final class Maintenance {
        private final String view;
        private final List<ViewKeys.Key> keys;
        private final LongAdder refreshes = new LongAdder();
        private final LongAdder nanos = new LongAdder();

        /**
         * @param view the name of the view
         * @param keys by which rows are computed again; without any, all rows are
         */
        public Maintenance(String view, List<ViewKeys.Key> keys) {
            this.view = view;
            this.keys = List.copyOf(keys);
        }

        public String view() {
            return view;
        }

        public List<ViewKeys.Key> keys() {
            return keys;
        }

        /** Returns whether only rows with changed keys are computed again. */
        public boolean isIncremental() {
            return !keys.isEmpty();
        }

        /** Records that a transaction of the applier has computed rows again. */
        public void refreshed(long nanosTaken) {
            refreshes.increment();
            nanos.add(nanosTaken);
        }

        /** Returns the number of transactions that have computed rows again. */
        public long refreshes() {
            return refreshes.sum();
        }

        /** Returns the average time for which such a transaction has computed rows, in milliseconds. */
        public double averageMillis() {
            long count = refreshes.sum();
            return count == 0 ? 0 : nanos.sum() / (double) TimeUnit.MILLISECONDS.toNanos(1) / count;
        }
    }
}
