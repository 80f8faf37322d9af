package io.multimed.deploy.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The versions of one list: the longest one that anybody saw holds all others that can be placed. */
final class KeyVersions {
    private final int key;
    private final Map<Integer, Append> appends = new HashMap<>();
    private Values order = Values.of();
    private @Nullable Values last;

    /**
     * A value in a list.
     *
     * @param last whether its transaction appends nothing more to the list
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

    /** Whether the order is known to hold all that was ever committed. */
    boolean isComplete() {
        return last != null;
    }

    void appended(Append append) {
        Append other = appends.put(append.value(), append);
        if (other != null) {
            throw new IllegalArgumentException(
                    "operations %d and %d: both append %d to key %d; the values appended to a key must differ"
                            .formatted(other.by().index(), append.by().index(), append.value(), key));
        }
    }

    void seen(Values read) {
        if (read.size() > order.size()) {
            order = read;
        }
    }

    /** What the list holds when all is over. */
    void end(Values left) {
        last = left;
        seen(left);
    }

    /** What was committed and is gone when all is over, if that is known. */
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

    /** The transaction that appended the value at this place, unless it failed or nobody did. */
    Optional<Transaction> writer(int place) {
        Append append = appends.get(order.at(place));
        return append == null || append.by().hasFailed() ? Optional.empty() : Optional.of(append.by());
    }

    /** Of the transactions that are known to have committed, and no value of which is in the order: the first value of each. */
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
