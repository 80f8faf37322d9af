// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.benchmark.section;

/** A {@link QueueLock}. */
final class QueueLockSection implements Section {
    private final QueueLock lock = new QueueLock();
    private final Numbers numbers;

    QueueLockSection(Work work) {
        numbers = new Numbers(work);
    }

    @Override
    public long read() {
        lock.lock();
        try {
            return numbers.read();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void update() {
        lock.lock();
        try {
            numbers.change();
        } finally {
            lock.unlock();
        }
    }
}
