package io.multimed.middleware.node.engine;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What many changes of one relation with a key come to: rows changed several times are written once, the last writer wins. So a batch becomes at
 * most one statement per relation and operation (design 4.5).
 *
 * <p>A key may hold two rows for a moment: when one statement swaps keys, a row arrives before the old one has left. Rows are told apart
 * by their text.
 */
public final class NetEffect {
    private final Function<String, String> key;
    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private boolean truncated;

    /** @param key gives the key of a row's text */
    public NetEffect(Function<String, String> key) {
        this.key = key;
    }

    /** One change: a row as it was (null if inserted) and as it is (null if deleted). */
    public void add(@Nullable String before, @Nullable String after) {
        if (before != null) {
            entry(before).leave(before);
        }
        if (after != null) {
            entry(after).arrive(after);
        }
    }

    /** All rows went: nothing before counts any more. */
    public void truncate() {
        entries.clear();
        truncated = true;
    }

    public boolean truncated() {
        return truncated;
    }

    /** Distinct keys, the measure of memory. */
    public int size() {
        return entries.size();
    }

    /** Rows that were there before and are gone, as they were. */
    public List<String> deletes() {
        return collect(entry -> entry.original != null && entry.current == null ? entry.original : null);
    }

    /** Rows that were there before and differ now, as they are. Their keys are the same. */
    public List<String> updates() {
        return collect(entry -> entry.original != null && entry.current != null && !entry.original.equals(entry.current)
                ? entry.current
                : null);
    }

    /** Rows that were not there before. */
    public List<String> inserts() {
        return collect(entry -> entry.original == null ? entry.current : null);
    }

    private List<String> collect(Function<Entry, @Nullable String> choice) {
        List<String> rows = new ArrayList<>();
        for (Entry entry : entries.values()) {
            String row = choice.apply(entry);
            if (row != null) {
                rows.add(row);
            }
        }
        return rows;
    }

    private Entry entry(String row) {
        return entries.computeIfAbsent(key.apply(row), fresh -> new Entry());
    }

    /** One key: the row that was there before all changes, and the row that is there now. */
    private static final class Entry {
        @Nullable
        String original;

        @Nullable
        String current;

        /** A second row that arrived on this key before the first left. */
        @Nullable
        String arriving;

        void leave(String row) {
            if (row.equals(current)) {
                current = arriving;
                arriving = null;
            } else if (row.equals(arriving)) {
                arriving = null;
            } else {
                original = row;
            }
        }

        void arrive(String row) {
            if (current == null) {
                current = row;
            } else {
                arriving = row;
            }
        }
    }
}
