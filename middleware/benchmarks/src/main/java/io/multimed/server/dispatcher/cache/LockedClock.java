// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.cache;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A generalized CLOCK: a hand takes one use from each value that it passes, and removes one without uses. */
final class LockedClock<K, V> extends LockedReplacement<K, V> {
    private final int capacity;
    private final Map<K, Frame<K, V>> frames = new HashMap<>();
    private final List<Frame<K, V>> slots = new ArrayList<>();
    private int hand;

    private static final class Frame<K, V> {
        private final K key;
        private V value;
        private int uses = 1;

        Frame(K key, V value) {
            this.key = key;
            this.value = value;
        }
    }

    LockedClock(int capacity) {
        this.capacity = capacity;
    }

    @Override
    @Nullable
    V find(K key) {
        Frame<K, V> frame = frames.get(key);
        if (frame == null) {
            return null;
        }
        frame.uses++;
        return frame.value;
    }

    @Override
    @Nullable
    V keep(K key, V value) {
        Frame<K, V> present = frames.get(key);
        if (present != null) {
            V before = present.value;
            present.value = value;
            return before;
        }
        Frame<K, V> added = new Frame<>(key, value);
        frames.put(key, added);
        if (slots.size() < capacity) {
            slots.add(added);
        } else {
            replaceUnused(added);
        }
        return null;
    }

    private void replaceUnused(Frame<K, V> added) {
        while (slots.get(hand).uses > 0) {
            slots.get(hand).uses--;
            hand = (hand + 1) % capacity;
        }
        frames.remove(slots.get(hand).key);
        slots.set(hand, added);
        hand = (hand + 1) % capacity;
    }

    @Override
    int count() {
        return slots.size();
    }
}
