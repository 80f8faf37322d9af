// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.testing;

import java.util.concurrent.atomic.AtomicReference;
import org.jetbrains.lincheck.Lincheck;
import org.jspecify.annotations.Nullable;

/**
 * Executes a test in many of the orders in which its threads can take turns, chosen by the model checker Lincheck. If
 * an assertion fails, threads wait for one another for ever, or an exception leaves a thread, the order in which this
 * happened is printed. Orders that only a weak memory model permits are not among them.
 */
public final class Interleavings {
    /** The number of orders per test; small tests have fewer. */
    private static final int ORDERS = Integer.getInteger("multimed.test.interleavings", 200);

    /** Number of repetitions in place of one order of the model checker. */
    private static final int REPETITIONS = 100;

    private Interleavings() {}

    /** @param test creates all objects that its threads share */
    public static void check(Runnable test) {
        test.run(); // initializes the classes: the time of one order is limited
        Lincheck.runConcurrentTest(ORDERS, test);
    }

    /**
     * Executes a test many times with the orders in which the processors happen to execute the threads: for classes
     * that are too large for the model checker.
     */
    public static void repeat(Runnable test) {
        for (int i = 0; i < ORDERS * REPETITIONS; i++) {
            test.run();
        }
    }

    /** Executes actions at the same time, and waits for their ends. */
    public static void run(Runnable... actions) {
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        Thread[] threads = new Thread[actions.length]; // in a plain loop: the model checker must see each call
        for (int i = 0; i < actions.length; i++) {
            Runnable action = actions[i];
            threads[i] = new Thread(() -> {
                try {
                    action.run();
                } catch (RuntimeException | AssertionError e) {
                    failure.compareAndSet(null, e);
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        Throwable first = failure.get();
        if (first != null) {
            throw new AssertionError(first);
        }
    }

    /** Fails unless two values are equal. The model checker cannot execute the assertions of AssertJ. */
    public static void requireEqual(long actual, long expected, String what) {
        require(actual == expected, what, actual);
    }

    /** @param actual the value that is wrong */
    public static void require(boolean holds, String what, long actual) {
        if (!holds) {
            throw new AssertionError(what + ": " + actual);
        }
    }
}
