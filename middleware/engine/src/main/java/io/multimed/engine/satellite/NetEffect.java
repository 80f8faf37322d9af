// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.satellite;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Computes the net effect of many changes of one relation: rows that were changed several times are written once. A
 * batch becomes at most one statement per relation and operation (architecture 4.5). Used by one thread.
 *
 * <p>The changes are kept as a balance: each version of a row counts +1 when it is created and -1 when it is replaced
 * or deleted, so that intermediate versions cancel out. The balance does not depend on the order of the changes. This
 * order may differ from the order in which the rows changed: if a BEFORE trigger changes a row that the same statement
 * has written, the trigger's change is captured first.
 */
public final class NetEffect {
    private final Function<String, String> key;
    private final Map<String, Integer> balance = new LinkedHashMap<>();
    private long characters;
    private boolean truncated;

    /**
     * An update that keeps the key of the row.
     *
     * @param before the old version
     * @param after the new version
     */
    public record Update(String before, String after) {}

    /**
     * The rows to write. No two deletes, updates or inserts have the same key. Without a key, equal rows are listed as
     * often as they occur.
     *
     * @param deletes the old versions of rows that exist no longer
     * @param updates rows that existed before and have changed
     * @param inserts rows that are new
     */
    public record Effect(List<String> deletes, List<Update> updates, List<String> inserts) {}

    /** @param key returns the key of a row's text; the whole text if the relation has no key */
    public NetEffect(Function<String, String> key) {
        this.key = key;
    }

    /** Adds one change: the old version of a row (null if inserted) and its new version (null if deleted). */
    public void add(@Nullable String before, @Nullable String after) {
        if (before != null) {
            count(before, -1);
        }
        if (after != null) {
            count(after, 1);
        }
    }

    private void count(String row, int difference) {
        int old = balance.getOrDefault(row, 0);
        if (old + difference == 0) {
            balance.remove(row);
            characters -= row.length();
        } else {
            balance.put(row, old + difference);
            characters += old == 0 ? row.length() : 0;
        }
    }

    /** Adds a truncation: all earlier changes are discarded. */
    public void truncate() {
        balance.clear();
        characters = 0;
        truncated = true;
    }

    /** Returns whether all rows that the satellite has must be deleted first. */
    public boolean truncated() {
        return truncated;
    }

    /** Returns the number of characters that are held, as a measure of memory. */
    public long characters() {
        return characters;
    }

    /** Returns the net effect of the changes so far. */
    public Effect effect() {
        Map<String, String> arrived = new LinkedHashMap<>();
        List<String> inserts = new ArrayList<>();
        balance.forEach((row, count) -> {
            if (count > 0 && arrived.putIfAbsent(key.apply(row), row) != null) {
                inserts.add(row); // no master has two rows with one key; the satellite's unique index reports it
            }
            inserts.addAll(Collections.nCopies(Math.max(0, count - 1), row));
        });
        List<String> deletes = new ArrayList<>();
        List<Update> updates = new ArrayList<>();
        balance.forEach((row, count) -> {
            String after = count < 0 ? arrived.remove(key.apply(row)) : null;
            if (after != null) {
                updates.add(new Update(row, after));
            }
            deletes.addAll(Collections.nCopies(Math.max(0, after == null ? -count : -count - 1), row));
        });
        inserts.addAll(0, arrived.values());
        return new Effect(deletes, updates, inserts);
    }
}
