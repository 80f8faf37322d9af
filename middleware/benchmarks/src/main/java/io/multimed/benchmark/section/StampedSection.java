// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.benchmark.section;

import java.util.concurrent.locks.StampedLock;

/** Optimistic reads, which take the lock after an update has disturbed them. */
final class StampedSection implements Section {
    private final StampedLock lock = new StampedLock();
    private final Numbers numbers;

    StampedSection(Work work) {
        numbers = new Numbers(work);
    }

    @Override
    public long read() {
        long stamp = lock.tryOptimisticRead();
        long found = stamp == 0 ? TORN : numbers.read();
        return stamp != 0 && lock.validate(stamp) ? found : readWithLock();
    }

    private long readWithLock() {
        long stamp = lock.readLock();
        try {
            return numbers.read();
        } finally {
            lock.unlockRead(stamp);
        }
    }

    @Override
    public void update() {
        long stamp = lock.writeLock();
        try {
            numbers.change();
        } finally {
            lock.unlockWrite(stamp);
        }
    }
}
