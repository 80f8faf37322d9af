// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.memory;

import java.io.IOException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Measures the memory that a node's thread holds for a result while it works for a client: the bytes received from the
 * engine, which the engine's driver keeps until the result is sent, and the objects created from them. Beyond a free
 * amount, the memory is reserved in the budget that all clients share. If there is no room, the thread waits for a
 * bounded time, and then the statement fails. Threads that do not work for a client are not measured. Belongs to one
 * thread; its reservation ends with the thread's current task.
 */
public final class ResultMeter {
    private static final ThreadLocal<@Nullable ResultMeter> CURRENT = new ThreadLocal<>();

    /** Number of bytes that are free; beyond it, memory is reserved in steps of at least this size. */
    private static final long STEP = 1 << 20;

    /** Limits the wait for memory. */
    private static final long PATIENCE_MILLIS = 10_000;

    /** SQLState of statements for which there is no memory. */
    private static final String OUT_OF_MEMORY = "53200";

    private final MemoryBudget budget;
    private long used;
    private long reserved;
    private boolean refused;

    private ResultMeter(MemoryBudget budget) {
        this.budget = budget;
    }

    /** There is no memory for the engine's answer, so that its connection is closed. */
    public static final class NoRoomException extends IOException {
        private static final long serialVersionUID = 1;

        NoRoomException() {
            super("no memory is free for the engine's answer");
        }
    }

    /** Runs a task whose memory is measured. */
    public static void during(MemoryBudget budget, Runnable work) {
        if (CURRENT.get() != null) {
            work.run(); // a nested task is already measured
            return;
        }
        ResultMeter meter = new ResultMeter(budget);
        CURRENT.set(meter);
        try {
            work.run();
        } finally {
            CURRENT.remove();
            meter.begin();
        }
    }

    /**
     * Counts bytes that were received from an engine, or are about to be stored.
     *
     * @throws NoRoomException if there was no room for them in time
     */
    public static void took(long bytes) throws NoRoomException {
        ResultMeter meter = CURRENT.get();
        if (meter != null && bytes > 0 && !meter.add(bytes)) {
            throw new NoRoomException();
        }
    }

    /**
     * Counts bytes that are not received from an engine.
     *
     * @throws SQLException 53200 if there was no room for them in time
     */
    public static void take(long bytes) throws SQLException {
        ResultMeter meter = CURRENT.get();
        if (meter != null && bytes > 0 && !meter.add(bytes)) {
            throw refusal(null);
        }
    }

    /** Restarts the measurement: the previous portion has been sent or discarded. */
    public static void beginPortion() {
        ResultMeter meter = CURRENT.get();
        if (meter != null) {
            meter.begin();
        }
    }

    /**
     * Returns whether a statement failed because there was no room for its result, which an engine's driver reports as
     * a broken connection.
     */
    public static boolean isRefusal(SQLException failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root instanceof NoRoomException;
    }

    /** Returns the error for the client in this case. */
    public static SQLException refusal(@Nullable SQLException cause) {
        return new SQLException(
                "no memory was free for the parameters or results of this statement, because other clients use it or the heap is too small (-Xmx); an open transaction is rolled back. Run the statement again later, read rows piece by piece (Statement.setFetchSize), or give the middleware more memory",
                OUT_OF_MEMORY,
                cause);
    }

    private boolean add(long bytes) {
        used += bytes;
        long wanted = used - STEP - reserved;
        if (wanted <= 0) {
            return true;
        }
        long more = Math.max(wanted, STEP);
        if (refused || !reserve(more)) {
            refused = true;
            return false;
        }
        reserved += more;
        return true;
    }

    /** Keeps an earlier interrupt of the thread for later: the budget would refuse free memory because of it. */
    private boolean reserve(long more) {
        boolean interrupted = Thread.interrupted();
        try {
            return budget.take(more, reserved, PATIENCE_MILLIS);
        } catch (InterruptedException e) {
            interrupted = true;
            return false;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void begin() {
        long given = reserved;
        reserved = 0;
        used = 0;
        if (given > 0) {
            budget.give(given);
        }
    }
}
