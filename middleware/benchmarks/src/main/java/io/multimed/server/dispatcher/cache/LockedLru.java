// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.cache;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Least recently used. */
final class LockedLru<K, V> extends LockedReplacement<K, V> {
    private final Map<K, V> values;

    LockedLru(int capacity) {
        values = new LinkedHashMap<>(capacity * 2, 0.75f, true) {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                return size() > capacity;
            }
        };
    }

    @Override
    @Nullable
    V find(K key) {
        return values.get(key);
    }

    @Override
    @Nullable
    V keep(K key, V value) {
        return values.put(key, value);
    }

    @Override
    int count() {
        return values.size();
    }
}
