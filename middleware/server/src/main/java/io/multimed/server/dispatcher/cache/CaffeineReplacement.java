// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The library's policy, W-TinyLFU, which also remembers how often values were used that it has removed. */
final class CaffeineReplacement<K, V> implements Replacement<K, V> {
    private final Cache<K, Weighed<V>> values;

    private record Weighed<V>(V value, int weight) {}

    /**
     * @param maxWeight total weight
     * @param evicted receives each value that is removed for lack of room, on any thread; must not block
     */
    CaffeineReplacement(long maxWeight, Consumer<V> evicted) {
        values = Caffeine.newBuilder()
                .maximumWeight(maxWeight)
                .weigher((K key, Weighed<V> each) -> each.weight)
                .evictionListener((@Nullable K key, @Nullable Weighed<V> each, RemovalCause cause) -> {
                    if (each != null) {
                        evicted.accept(each.value);
                    }
                })
                .build();
    }

    @Override
    public @Nullable V get(K key) {
        Weighed<V> found = values.getIfPresent(key);
        return found == null ? null : found.value;
    }

    @Override
    public @Nullable V put(K key, V value, int weight) {
        Weighed<V> before = values.asMap().put(key, new Weighed<>(value, weight));
        return before == null ? null : before.value;
    }

    @Override
    public long size() {
        values.cleanUp(); // the library removes values with a delay
        return values.estimatedSize();
    }

    @Override
    public long weight() {
        values.cleanUp();
        return values.policy()
                .eviction()
                .map(eviction -> eviction.weightedSize().orElse(0))
                .orElse(0L);
    }
}
