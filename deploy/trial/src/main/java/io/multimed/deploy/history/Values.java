// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.history;

import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.RandomAccess;

/**
 * A list as a transaction read it. Lists that are prefixes of one another share their memory: see {@link Store}.
 * Immutable.
 */
final class Values extends AbstractList<Integer> implements RandomAccess {
    private final int[] values;
    private final int size;

    private Values(int[] values, int size) {
        this.values = values;
        this.size = size;
    }

    static Values of(int... values) {
        return new Values(values, values.length);
    }

    @Override
    public Integer get(int index) {
        return at(index);
    }

    int at(int index) {
        if (index >= size) {
            throw new IndexOutOfBoundsException(index);
        }
        return values[index];
    }

    @Override
    public int size() {
        return size;
    }

    /** Returns whether this list begins with the other list. */
    boolean beginsWith(Values other) {
        return other.size <= size
                && (other.values == values || Arrays.equals(values, 0, other.size, other.values, 0, other.size));
    }

    static Values of(List<Integer> list) {
        return list instanceof Values known
                ? known
                : of(list.stream().mapToInt(Integer::intValue).toArray());
    }

    /** Lets lists of a key that are prefixes of its longest list share the memory of that list. Thread-safe. */
    static final class Store {
        private final java.util.Map<Integer, Values> longest = new java.util.concurrent.ConcurrentHashMap<>();

        Values keep(int key, int... values) {
            Values read = of(values);
            Values known = longest.merge(key, read, (old, now) -> old.beginsWith(now) ? old : now);
            return known.beginsWith(read) ? new Values(known.values, read.size) : read;
        }
    }
}
