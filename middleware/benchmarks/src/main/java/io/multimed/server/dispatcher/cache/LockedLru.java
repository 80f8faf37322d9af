package io.multimed.server.dispatcher.cache;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Least recently used, under one lock. All weights are 1. */
final class LockedLru<K, V> implements Replacement<K, V> {
    private final ReentrantLock lock = new ReentrantLock();
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
    public @Nullable V get(K key) {
        lock.lock();
        try {
            return values.get(key);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void put(K key, V value, int weight) {
        lock.lock();
        try {
            values.put(key, value);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long size() {
        lock.lock();
        try {
            return values.size();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long weight() {
        return size();
    }
}
