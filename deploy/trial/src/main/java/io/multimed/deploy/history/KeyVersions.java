// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The versions of one list. The longest list that any transaction read contains all others that can be ordered. */
final class KeyVersions {
    private final int key;
    private final Map<Integer, Append> appends = new HashMap<>();
    private Values order = Values.of();
    private @Nullable Values last;

    /**
     * A value in a list.
     *
     * @param last whether the transaction appends no further value to the list
     */
    record Append(Transaction by, int value, boolean last) {}

    KeyVersions(int key) {
        this.key = key;
    }

    int key() {
        return key;
    }

    Values order() {
        return order;
    }

    /** Returns whether the order is known to contain all values that were ever committed. */
    boolean isComplete() {
        return last != null;
    }

    void appended(Append append) {
        Append other = appends.put(append.value(), append);
        if (other != null) {
            throw new IllegalArgumentException(
                    "operations %d and %d: both append %d to key %d; the values of a key must be unique"
                            .formatted(other.by().index(), append.by().index(), append.value(), key));
        }
    }

    void seen(Values read) {
        if (read.size() > order.size()) {
            order = read;
        }
    }

    /** Sets the final content of the list. */
    void end(Values left) {
        last = left;
        seen(left);
    }

    /** Returns the committed values that are missing from the final content, if that is known. */
    List<Append> lost() {
        if (last == null) {
            return List.of();
        }
        Set<Integer> left = new HashSet<>(last);
        return appends.values().stream()
                .filter(append -> append.by().isOk() && !left.contains(append.value()))
                .toList();
    }

    @Nullable
    Append author(int value) {
        return appends.get(value);
    }

    /**
     * Returns the transaction that appended the value at this place; empty if that transaction failed, or if no
     * transaction appended the value.
     */
    Optional<Transaction> writer(int place) {
        Append append = appends.get(order.at(place));
        return append == null || append.by().hasFailed() ? Optional.empty() : Optional.of(append.by());
    }

    /** Returns, for each committed transaction none of whose values is in the order, its first value. */
    List<Append> unseen() {
        Map<Transaction, Append> unseen = new HashMap<>();
        appends.values().stream()
                .filter(append -> append.by().isOk())
                .forEach(append ->
                        unseen.merge(append.by(), append, (one, other) -> one.value() <= other.value() ? one : other));
        for (int value : order) {
            Append seen = appends.get(value);
            if (seen != null) {
                unseen.remove(seen.by());
            }
        }
        List<Append> sorted = new ArrayList<>(unseen.values());
        sorted.sort(java.util.Comparator.comparingInt(append -> append.by().number()));
        return sorted;
    }
}
