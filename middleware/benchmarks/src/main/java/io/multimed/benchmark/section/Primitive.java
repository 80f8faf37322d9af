// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.benchmark.section;

import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** The primitives that can enforce a critical section. */
public enum Primitive {
    SYNCHRONIZED {
        @Override
        Section create(Work work) {
            return new MonitorSection(work);
        }
    },
    REENTRANT_LOCK {
        @Override
        Section create(Work work) {
            ReentrantLock lock = new ReentrantLock();
            return new LockSection(work, lock, lock);
        }
    },
    READ_WRITE_LOCK {
        @Override
        Section create(Work work) {
            ReadWriteLock lock = new ReentrantReadWriteLock();
            return new LockSection(work, lock.readLock(), lock.writeLock());
        }
    },
    STAMPED_LOCK {
        @Override
        Section create(Work work) {
            return new StampedSection(work);
        }
    },
    CAS_LOOP {
        @Override
        Section create(Work work) {
            return new SwapSection(work);
        }
    },
    MCS_LOCK {
        @Override
        Section create(Work work) {
            return new QueueLockSection(work);
        }
    },
    STRIPED_COUNTER {
        @Override
        Section create(Work work) {
            return new StripedSection(work);
        }
    },
    SINGLE_WRITER {
        @Override
        Section create(Work work) {
            return new SingleWriterSection(work);
        }
    };

    /**
     * Returns a new section.
     *
     * @param work what each read and each update does in the section
     */
    abstract Section create(Work work);
}
