// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.capacity;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Lets a known number of clients work, or makes them wait between two interactions. It is closed in the beginning. */
final class Gate {
    private final int clients;

    /** Protects all fields below. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition changed = lock.newCondition();
    private int waiting;
    private boolean isOpen;
    private boolean isEnded;

    Gate(int clients) {
        this.clients = clients;
    }

    /** Waits while the gate is closed, and returns false if the client has to end. */
    boolean pass() throws InterruptedException {
        lock.lock();
        try {
            if (isOpen || isEnded) {
                return !isEnded;
            }
            waiting++;
            changed.signalAll();
            try {
                while (!isOpen && !isEnded) {
                    changed.await();
                }
            } finally {
                waiting--;
            }
            return !isEnded;
        } finally {
            lock.unlock();
        }
    }

    void open() {
        lock.lock();
        try {
            isOpen = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Closes the gate, and returns whether all clients wait there within some seconds. */
    boolean close(int seconds) throws InterruptedException {
        lock.lock();
        try {
            isOpen = false;
            long left = TimeUnit.SECONDS.toNanos(seconds);
            while (waiting < clients) {
                if (left <= 0) {
                    return false;
                }
                left = changed.awaitNanos(left);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Lets all clients end. */
    void end() {
        lock.lock();
        try {
            isEnded = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    boolean isEnded() {
        lock.lock();
        try {
            return isEnded;
        } finally {
            lock.unlock();
        }
    }

    /** Waits some milliseconds, or until the clients have to end. */
    void pause(long millis) throws InterruptedException {
        lock.lock();
        try {
            long left = TimeUnit.MILLISECONDS.toNanos(millis);
            while (!isEnded && left > 0) {
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }
}
