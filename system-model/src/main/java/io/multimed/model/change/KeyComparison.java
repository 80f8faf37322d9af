// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model.change;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * Collects the changed keys of one part of the System Model.
 *
 * @param <T> the part
 */
final class KeyComparison<T> {
    private final PlannedChange.Part part;
    private final String name;
    private final T before;
    private final T after;
    private final List<PlannedChange> changes = new ArrayList<>();

    KeyComparison(PlannedChange.Part part, String name, T before, T after) {
        this.part = part;
        this.name = name;
        this.before = before;
        this.after = after;
    }

    /** Compares the values of a key as the model's file shows them. */
    KeyComparison<T> key(String key, Effect effect, Function<T, String> value) {
        return key(key, effect, "", value);
    }

    /**
     * Compares the values of a key as the model's file shows them.
     *
     * @param note why the change has this effect
     */
    KeyComparison<T> key(String key, Effect effect, String note, Function<T, String> value) {
        String old = value.apply(before);
        String next = value.apply(after);
        if (!old.equals(next)) {
            add(key, old, next, effect, note);
        }
        return this;
    }

    /** Compares the values of a key that are not shown. */
    KeyComparison<T> secret(String key, Effect effect, String note, Function<T, ?> value) {
        if (!Objects.equals(value.apply(before), value.apply(after))) {
            add(key, "********", "******** (another one)", effect, note);
        }
        return this;
    }

    /** Compares the entries of a section whose keys belong to the engine. */
    KeyComparison<T> entries(String key, Effect effect, String note, Function<T, Map<String, String>> section) {
        Map<String, String> old = section.apply(before);
        Map<String, String> next = section.apply(after);
        TreeSet<String> keys = new TreeSet<>(old.keySet());
        keys.addAll(next.keySet());
        for (String each : keys) {
            key(key + "." + each, effect, note, of -> section.apply(of).getOrDefault(each, ""));
        }
        return this;
    }

    private void add(String key, String old, String next, Effect effect, String note) {
        changes.add(new PlannedChange(PlannedChange.Kind.CHANGE, part, name, key, old, next, effect, note));
    }

    List<PlannedChange> changes() {
        return changes;
    }
}
