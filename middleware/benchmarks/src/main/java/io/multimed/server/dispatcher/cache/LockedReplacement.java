// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.cache;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A policy under one lock, as the textbooks describe them. All weights are 1. */
abstract class LockedReplacement<K, V> implements Replacement<K, V> {
    /** Protects the fields of the subclass; held for one access. */
    private final ReentrantLock lock = new ReentrantLock();

    /** As {@link #get}; called with the lock. */
    abstract @Nullable V find(K key);

    /** As {@link #put}; called with the lock. */
    abstract @Nullable V keep(K key, V value);

    /** As {@link #size}; called with the lock. */
    abstract int count();

    @Override
    public final @Nullable V get(K key) {
        lock.lock();
        try {
            return find(key);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public final @Nullable V put(K key, V value, int weight) {
        lock.lock();
        try {
            return keep(key, value);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public final long size() {
        lock.lock();
        try {
            return count();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public final long weight() {
        return size();
    }
}
