// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication.foreign;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Greets a client that sends nothing: it may wait for the greeting of another protocol, which is then a refusal. A
 * client of the middleware speaks first; if it was only slow, its driver skips the greeting, and the connection remains
 * open for it. Thread-safe.
 */
public final class SilentClient {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final long since = System.nanoTime();

    /** Keeps the greeting ahead of all answers, which the client's bytes may cause; held while the greeting is sent. */
    private final ReentrantLock lock = new ReentrantLock();

    /** Whether the client has sent a byte, or was greeted. Written under the lock. */
    private volatile boolean isOver;

    /** Called before bytes of the client are handled. */
    public void speaks() {
        if (isOver) {
            return;
        }
        lock.lock();
        try {
            isOver = true;
        } finally {
            lock.unlock();
        }
    }

    /** Called periodically: sends the greeting once, if the client has been silent for a second. Does not block. */
    public void greetIfSilent(Consumer<byte[]> sender) {
        byte[] greeting = ForeignProtocols.greeting();
        if (isOver || greeting.length == 0 || System.nanoTime() - since < PATIENCE_NANOS) {
            return;
        }
        lock.lock();
        try {
            if (!isOver) {
                isOver = true;
                sender.accept(greeting);
            }
        } finally {
            lock.unlock();
        }
    }
}
