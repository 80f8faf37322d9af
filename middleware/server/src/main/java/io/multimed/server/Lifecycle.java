// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The components of a middleware that have started. They are stopped once, in reverse order, by any thread, also while
 * others start. States: starting or running - {@link #announceStop} - stopping - {@link #stop} - stopped. Thread-safe.
 */
final class Lifecycle {
    private static final Logger LOG = LoggerFactory.getLogger(Lifecycle.class);

    /** Protects the two fields below; held for a few instructions. */
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Deque<AutoCloseable> started = new ArrayDeque<>();

    @GuardedBy("lock")
    private boolean stopped;

    /** Held by the thread that stops the components; further callers of {@link #stop} wait for its end. */
    private final ReentrantLock stop = new ReentrantLock();

    private volatile boolean stopping;

    /** Starts a component. */
    @FunctionalInterface
    interface Start<E extends Exception> {
        void run() throws E;
    }

    /**
     * Starts a component, and registers it. A component whose start fails is closed.
     *
     * @throws IllegalStateException if the middleware has been stopped meanwhile; the component is closed then
     */
    <T extends AutoCloseable, E extends Exception> T start(T component, Start<E> start) throws E {
        boolean done = false;
        try {
            start.run();
            done = true;
        } finally {
            if (!done) {
                close(component);
            }
        }
        return add(component);
    }

    /** Registers a component that has started. Otherwise as {@link #start}. */
    <T extends AutoCloseable> T add(T component) {
        boolean late;
        lock.lock();
        try {
            late = stopped;
            if (!late) {
                started.push(component);
            }
        } finally {
            lock.unlock();
        }
        if (late) {
            close(component);
            throw new IllegalStateException("the middleware was stopped while it started");
        }
        return component;
    }

    /** Records that {@link #stop} will follow when the clients' transactions have ended. */
    void announceStop() {
        stopping = true;
    }

    boolean isStopping() {
        return stopping;
    }

    /** Stops the components in reverse order of their start, and returns when they are stopped. May be repeated. */
    void stop() {
        stopping = true;
        stop.lock();
        try {
            for (AutoCloseable next = last(); next != null; next = last()) {
                close(next);
            }
        } finally {
            stop.unlock();
        }
    }

    /** Removes the component that has started last; null if there is none. No further one is accepted. */
    private @Nullable AutoCloseable last() {
        lock.lock();
        try {
            stopped = true;
            return started.poll();
        } finally {
            lock.unlock();
        }
    }

    private static void close(AutoCloseable component) {
        try {
            component.close();
        } catch (Exception e) {
            LOG.warn("a component did not stop cleanly", e);
        }
    }
}
