// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.cache;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * 2Q in its full version (T. Johnson, D. Shasha, VLDB 1994). A fifth of the values are those that were
 * used once (A1in); keys of half as many values as there is room for are remembered (A1out).
 */
final class LockedTwoQueue<K, V> extends LockedReplacement<K, V> {
    private final int capacity;
    private final int mostIn;
    private final int mostOut;
    private final Map<K, V> in = new LinkedHashMap<>();
    private final Set<K> out = new LinkedHashSet<>();
    private final Map<K, V> main = new LinkedHashMap<>(16, 0.75f, true);

    LockedTwoQueue(int capacity) {
        this.capacity = capacity;
        this.mostIn = Math.max(1, capacity / 5);
        this.mostOut = Math.max(1, capacity / 2);
    }

    @Override
    @Nullable
    V find(K key) {
        V found = main.get(key);
        return found == null ? in.get(key) : found;
    }

    @Override
    @Nullable
    V keep(K key, V value) {
        if (main.containsKey(key)) {
            return main.put(key, value);
        }
        if (in.containsKey(key)) {
            return in.put(key, value);
        }
        boolean wasUsed = out.remove(key);
        makeRoom();
        return (wasUsed ? main : in).put(key, value);
    }

    private void makeRoom() {
        if (in.size() + main.size() < capacity) {
            return;
        }
        if (in.size() > mostIn || main.isEmpty()) {
            out.add(removeFirst(in.keySet().iterator()));
            if (out.size() > mostOut) {
                removeFirst(out.iterator());
            }
        } else {
            removeFirst(main.keySet().iterator());
        }
    }

    private static <K> K removeFirst(Iterator<K> keys) {
        K first = keys.next();
        keys.remove();
        return first;
    }

    @Override
    int count() {
        return in.size() + main.size();
    }
}
