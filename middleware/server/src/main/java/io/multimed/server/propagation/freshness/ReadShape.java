// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.freshness;

import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * What one reference to a table reads, with the last SCNs of changes that may matter to it: some columns of the rows,
 * or of the rows in which the key column has a certain value. Key values share slots by their hash: two values in one
 * slot cause a needless miss, and never a stale result.
 *
 * <p>Written by one thread at a time, before the change is published. Read without a lock.
 */
final class ReadShape {
    /** Stands for all values of the key column. */
    static final int ANY = -1;

    private static final int SLOTS = 1 << 14;

    private final Form form;

    /** The last SCN of a change that may matter for any value. */
    private volatile long latest;

    /** The last SCN of a change that may matter for every value. */
    private volatile long latestOfAll;

    /** By the hash of the key; null if there is no key, or the shape is discarded. */
    private volatile @Nullable AtomicLongArray slots;

    /**
     * The parts of rows that are read.
     *
     * @param columns positions of the columns; null if all columns are read
     * @param key position of the key column; -1 if there is none
     */
    record Form(@Nullable BitSet columns, int key) {
        static final Form WHOLE = new Form(null, -1);

        Form withoutKey() {
            return new Form(columns, -1);
        }

        boolean hasKey() {
            return key >= 0;
        }
    }

    /** @param since the last SCN that was recorded: earlier changes are unknown */
    ReadShape(Form form, long since) {
        this.form = form;
        this.latest = since;
        this.latestOfAll = since;
        this.slots = form.hasKey() ? new AtomicLongArray(SLOTS) : null;
    }

    Form form() {
        return form;
    }

    /** Returns the slot of a value of the key column, in the text of a captured row. */
    static int slot(String value) {
        int hash = value.hashCode();
        return ((hash ^ (hash >>> 16)) * 0x9E3779B9) >>> 18;
    }

    /** Returns the last SCN of a change that may matter for the values of a slot, or for {@link #ANY} value. */
    long latest(int slot) {
        AtomicLongArray current = slots;
        return current == null || slot == ANY ? latest : Math.max(latestOfAll, current.get(slot));
    }

    /** Releases the memory: from now on, everything has changed. */
    void discard() {
        latest = Long.MAX_VALUE;
        slots = null;
    }

    /** Records a change of unknown rows. */
    void changedAll(long scn) {
        latestOfAll = scn;
        latest = scn;
    }

    /**
     * Records the change of a row.
     *
     * @param before the old values; null if the row is inserted
     * @param after the new values; null if the row is deleted
     */
    void changed(@Nullable List<@Nullable String> before, @Nullable List<@Nullable String> after, long scn) {
        if (before != null && after != null && !differ(before, after)) {
            return;
        }
        AtomicLongArray current = slots;
        if (current != null) {
            stamp(current, before, scn);
            stamp(current, after, scn);
        }
        latest = scn;
    }

    private boolean differ(List<@Nullable String> before, List<@Nullable String> after) {
        BitSet columns = form.columns;
        if (columns == null || before.size() != after.size()) {
            return true;
        }
        for (int i = columns.nextSetBit(0); i >= 0; i = columns.nextSetBit(i + 1)) {
            if (i >= before.size() || !Objects.equals(before.get(i), after.get(i))) {
                return true;
            }
        }
        return false;
    }

    /** A row with NULL in the key column meets no equality. */
    private void stamp(AtomicLongArray to, @Nullable List<@Nullable String> row, long scn) {
        String value = row == null ? null : row.get(form.key);
        if (value != null) {
            to.set(slot(value), scn);
        }
    }
}
