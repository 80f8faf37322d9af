// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.cache;

import org.jspecify.annotations.Nullable;

/**
 * Keeps values up to a total weight, and chooses which of them to remove when there is no room. Thread-safe.
 *
 * @param <K> keys, compared by {@code equals}
 * @param <V> immutable values
 */
interface Replacement<K, V> {
    /** Returns the value of a key, and notes its use; null if there is none. */
    @Nullable
    V get(K key);

    /**
     * Keeps a value in place of an earlier one with the same key.
     *
     * @param weight above 0, and much smaller than the total weight
     * @return the earlier value; null if there is none
     */
    @Nullable
    V put(K key, V value, int weight);

    long size();

    long weight();
}
