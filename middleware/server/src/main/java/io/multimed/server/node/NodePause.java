// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Pauses a node, for example while its engine is restarted: new transactions wait in the node's queue, without a thread
 * and without a connection, and those that run may end. The queue holds at most one request per client. Thread-safe.
 *
 * <p>States: open - {@link #begin} - paused - {@link #end} - open.
 */
public final class NodePause {
    /** Time between two looks at activities that are to end. */
    private static final long LOOK_MILLIS = 2;

    private final ComputationalNode node;

    /** Number of activities that run without a lease of the node, see {@link #enter}. */
    private final AtomicInteger activities = new AtomicInteger();

    private volatile boolean paused;

    NodePause(ComputationalNode node) {
        this.node = node;
    }

    /**
     * Begins an activity that uses the engine without a lease of the node: a statement inside a commit group.
     *
     * @return false if the node is paused; the statement then has to request a lease, for which it waits
     */
    public boolean enter() {
        activities.incrementAndGet();
        if (paused) { // read after the increment: either this thread sees the pause, or the pause sees the activity
            leave();
            return false;
        }
        return true;
    }

    /** Ends an activity that {@link #enter} has begun. */
    public void leave() {
        activities.decrementAndGet();
    }

    public boolean isActive() {
        return paused;
    }

    /** Makes new transactions wait. */
    public void begin() {
        paused = true;
        node.hold();
    }

    /**
     * Waits until no transaction and no activity uses the engine.
     *
     * @return false if the time, in nanoseconds, was not sufficient
     */
    public boolean awaitIdle(long nanos) throws InterruptedException {
        long begun = System.nanoTime();
        if (!node.awaitIdle(nanos)) {
            return false;
        }
        while (activities.get() > 0) {
            if (System.nanoTime() - begun > nanos) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
        return true;
    }

    /** Lets transactions begin again, in the order of their arrival. */
    public void end() {
        paused = false;
        node.release();
    }
}
