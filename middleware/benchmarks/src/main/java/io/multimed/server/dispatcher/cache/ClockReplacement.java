// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.cache;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Nb-GCLOCK, a generalized CLOCK without locks (M. Yui et al., "Nb-GCLOCK: a non-blocking buffer management based on
 * the generalized CLOCK", figures 3 to 5). A hand sweeps over the slots: a value that was used loses one point of its
 * count, and a value without points is removed.
 *
 * <p>Differences from the paper: values have weights, so that an insertion may remove several values or none. Values
 * are immutable, so that there are no pins, and only the evicted state remains of the paper's pinning value. Counts
 * have an upper limit, so that the most frequent values are read without a write.
 */
final class ClockReplacement<K, V> implements Replacement<K, V> {
    /** The count of a value that is removed. */
    private static final int EVICTED = -1;

    /** A value that is used often survives so many sweeps. */
    private static final int MAX_POINTS = 4;

    private final ConcurrentHashMap<K, Frame<K, V>> frames = new ConcurrentHashMap<>();
    private final AtomicReferenceArray<@Nullable Frame<K, V>> slots;
    private final long maxWeight;

    /** The place of the hand; threads advance it by the number of slots that they have passed. */
    private final AtomicLong hand = new AtomicLong();

    /** Changed with each insertion and removal; read before each removal. */
    private final AtomicLong weight = new AtomicLong();

    private final LongAdder size = new LongAdder();

    /** A value with its count of points. */
    private static final class Frame<K, V> {
        private final K key;
        private final V value;
        private final int weight;
        private final AtomicInteger points = new AtomicInteger(1);

        Frame(K key, V value, int weight) {
            this.key = key;
            this.value = value;
            this.weight = weight;
        }

        void use() {
            int now = points.get();
            if (now >= 0 && now < MAX_POINTS) {
                points.compareAndSet(now, now + 1); // a failure means that another thread has used the value
            }
        }

        boolean isEvicted() {
            return points.get() == EVICTED;
        }

        /** Takes one point, or removes the value if there is none. Returns whether this call has removed the value. */
        boolean sweep() {
            int now = points.get();
            if (now > 0) {
                points.compareAndSet(now, now - 1);
                return false;
            }
            return now == 0 && points.compareAndSet(0, EVICTED);
        }

        /** Removes the value regardless of its points. Returns whether this call has removed the value. */
        boolean evict() {
            return points.getAndSet(EVICTED) != EVICTED;
        }
    }

    /**
     * @param maxWeight total weight
     * @param maxSize maximum number of values
     */
    ClockReplacement(long maxWeight, int maxSize) {
        this.maxWeight = maxWeight;
        this.slots = new AtomicReferenceArray<>(maxSize);
    }

    @Override
    public @Nullable V get(K key) {
        Frame<K, V> frame = frames.get(key);
        if (frame == null) {
            return null;
        }
        frame.use();
        return frame.value;
    }

    @Override
    public @Nullable V put(K key, V value, int heavy) {
        Frame<K, V> added = new Frame<>(key, value, heavy);
        weight.addAndGet(heavy);
        size.increment();
        Frame<K, V> before = frames.put(key, added);
        if (before != null && before.evict()) {
            removed(before);
        }
        place(added);
        while (weight.get() > maxWeight) {
            sweep(null);
        }
        return before == null ? null : before.value;
    }

    /** Gives the value a slot: an empty one, or that of a value that is removed. */
    private void place(Frame<K, V> added) {
        while (!added.isEvicted() && !sweep(added)) {
            Thread.onSpinWait();
        }
    }

    /**
     * Moves the hand by one slot.
     *
     * @param added takes the slot if the slot is empty, or becomes empty; null if none is to be placed
     * @return whether the value has taken the slot
     */
    private boolean sweep(@Nullable Frame<K, V> added) {
        int slot = (int) (hand.getAndIncrement() % slots.length());
        Frame<K, V> frame = slots.get(slot);
        if (frame != null && !frame.isEvicted()) {
            if (!frame.sweep()) {
                return false;
            }
            frames.remove(frame.key, frame);
            removed(frame);
        }
        return (frame != null || added != null) && slots.compareAndSet(slot, frame, added) && added != null;
    }

    private void removed(Frame<K, V> frame) {
        weight.addAndGet(-frame.weight);
        size.decrement();
    }

    @Override
    public long size() {
        return size.sum();
    }

    @Override
    public long weight() {
        return weight.get();
    }
}
