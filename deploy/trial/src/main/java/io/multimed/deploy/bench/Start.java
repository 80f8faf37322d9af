// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench;

import io.multimed.tpcw.run.Target;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The common start of a round's clients: all connect, then all begin. Each client reports one attempt to connect.
 * Thread-safe.
 */
final class Start {
    private final int clients;
    private final CountDownLatch attempts;
    private final CountDownLatch begin = new CountDownLatch(1);
    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicReference<@Nullable SQLException> firstRefusal = new AtomicReference<>();

    Start(int clients) {
        this.clients = clients;
        this.attempts = new CountDownLatch(clients);
    }

    /** @param refusal why the client could not connect; null if it has connected */
    void attempted(@Nullable SQLException refusal) {
        if (refusal != null) {
            refused.incrementAndGet();
            firstRefusal.compareAndSet(null, refusal);
        }
        attempts.countDown();
    }

    /** Waits until each client has attempted to connect. */
    void awaitAttempts() throws InterruptedException {
        attempts.await();
    }

    /** Returns the error for the user if a client was refused; null if all have connected. */
    @Nullable
    SQLException refusal(Target target) {
        SQLException first = firstRefusal.get();
        return first == null
                ? null
                : new SQLException(
                        "%s: %d of %d clients could not connect, the first one because: %s"
                                .formatted(target.name(), refused.get(), clients, first.getMessage()),
                        first.getSQLState(),
                        first);
    }

    void begin() {
        begin.countDown();
    }

    void awaitBegin() throws InterruptedException {
        begin.await();
    }
}
