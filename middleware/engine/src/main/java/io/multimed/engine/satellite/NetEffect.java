package io.multimed.engine.satellite;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What many changes of one relation come to: rows changed several times are written once. So a batch becomes at most one statement per relation and
 * operation (architecture 4.5).
 *
 * <p>Kept as a balance: each version of a row counts one when it arrives and minus one when it leaves, so that versions between cancel out. That does not depend on
 * the order of the changes, which is not quite the order in which the rows changed: what a BEFORE trigger does to a row that the same statement wrote is captured
 * before that row itself.
 */
public final class NetEffect {
    private final Function<String, String> key;
    private final Map<String, Integer> balance = new LinkedHashMap<>();
    private long characters;
    private boolean truncated;

    /**
     * A row that has the same key before and after.
     *
     * @param before as it was
     * @param after as it is
     */
    public record Update(String before, String after) {}

    /**
     * What is to be written. No two deletes, updates or inserts have the same key, except where the rows have no key: there a row that is there several times
     * is listed as often.
     *
     * @param deletes rows that were there before and are gone, as they were
     * @param updates rows that were there before and differ now
     * @param inserts rows that were not there before
     */
    public record Effect(List<String> deletes, List<Update> updates, List<String> inserts) {}

    /** @param key gives the key of a row's text; the whole text where the relation has no key */
    public NetEffect(Function<String, String> key) {
        this.key = key;
    }

    /** One change: a row as it was (null if inserted) and as it is (null if deleted). */
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

    /** All rows went: nothing before counts any more. */
    public void truncate() {
        balance.clear();
        characters = 0;
        truncated = true;
    }

    public boolean truncated() {
        return truncated;
    }

    /** The text that is held, the measure of memory. */
    public long characters() {
        return characters;
    }

    /** What the changes so far come to. */
    public Effect effect() {
        Map<String, String> arrived = new LinkedHashMap<>();
        List<String> inserts = new ArrayList<>();
        balance.forEach((row, count) -> {
            if (count > 0 && arrived.putIfAbsent(key.apply(row), row) != null) {
                inserts.add(row); // no master lets that be; the satellite's unique index tells
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
