// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.benchmark.section;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The queue lock of J. Mellor-Crummey and M. Scott (ACM TOCS 9(1), 1991): each thread that waits spins on a node of its
 * own, and the owner passes the lock to the next node. Not reentrant.
 *
 * <p>Difference from the paper: a thread that has spun for some time yields its core with each further look. Without
 * this, a thread that the system has suspended while it is next stops all others for its whole time slice.
 */
final class QueueLock {
    /** Looks at the own node before a thread yields; about 10 microseconds. */
    private static final int SPINS = 1_000;

    private final ThreadLocal<Node> nodes = ThreadLocal.withInitial(Node::new);
    private final AtomicReference<@Nullable Node> tail = new AtomicReference<>();

    private static final class Node {
        private volatile boolean waits;
        private volatile @Nullable Node next;
    }

    void lock() {
        Node own = nodes.get();
        own.next = null;
        own.waits = true;
        Node before = tail.getAndSet(own);
        if (before != null) {
            before.next = own;
            for (int spins = 0; own.waits; spins++) {
                pause(spins);
            }
        }
    }

    void unlock() {
        Node own = nodes.get();
        if (own.next == null && tail.compareAndSet(own, null)) {
            return;
        }
        Node next = own.next;
        for (int spins = 0; next == null; spins++) { // the next thread has not linked its node yet
            pause(spins);
            next = own.next;
        }
        next.waits = false;
    }

    @SuppressWarnings("ThreadPriorityCheck") // only the speed depends on the scheduler
    private static void pause(int spins) {
        if (spins < SPINS) {
            Thread.onSpinWait();
        } else {
            Thread.yield();
        }
    }
}
