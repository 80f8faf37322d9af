// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.benchmark.section;

import java.util.concurrent.locks.Lock;

/** One lock for updates, and the same or another lock for reads. */
final class LockSection implements Section {
    private final Numbers numbers;
    private final Lock reads;
    private final Lock updates;

    /**
     * @param reads the lock of reads, which excludes updates
     * @param updates the lock of updates, which excludes reads and updates
     */
    LockSection(Work work, Lock reads, Lock updates) {
        this.numbers = new Numbers(work);
        this.reads = reads;
        this.updates = updates;
    }

    @Override
    public long read() {
        reads.lock();
        try {
            return numbers.read();
        } finally {
            reads.unlock();
        }
    }

    @Override
    public void update() {
        updates.lock();
        try {
            numbers.change();
        } finally {
            updates.unlock();
        }
    }
}
