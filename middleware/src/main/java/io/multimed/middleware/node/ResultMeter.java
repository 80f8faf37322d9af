package io.multimed.middleware.node;

import java.io.IOException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * What a node's thread holds of a result while it works for a client: the bytes that come from the engine, which the engine's driver keeps until they are answered, and what is made of them. Beyond
 * a little they are reserved in the budget that all clients share; without room the thread waits for a bounded time, and then the statement fails. Threads that work for nobody's client are not
 * counted. Belongs to one thread; what it has reserved is given back when its work ends.
 */
public final class ResultMeter {
    private static final ThreadLocal<@Nullable ResultMeter> CURRENT = new ThreadLocal<>();

    /** So much is not counted, and beyond it is reserved in pieces of this size at least. */
    private static final long STEP = 1 << 20;

    private static final long PATIENCE_MILLIS = 10_000;

    /** The SQLState for what finds no memory. */
    private static final String OUT_OF_MEMORY = "53200";

    private final MemoryBudget budget;
    private long used;
    private long reserved;
    private boolean refused;

    private ResultMeter(MemoryBudget budget) {
        this.budget = budget;
    }

    /** An engine's answer is not read on, for want of memory: its connection is broken off. */
    public static final class NoRoomException extends IOException {
        private static final long serialVersionUID = 1;

        NoRoomException() {
            super("no memory is free for the engine's answer");
        }
    }

    /** Does a work that is counted. */
    static void during(MemoryBudget budget, Runnable work) {
        if (CURRENT.get() != null) {
            work.run(); // a part of what is counted already
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
     * Bytes came from an engine, or are about to be kept.
     *
     * @throws NoRoomException if there was no room for them in time
     */
    public static void took(long bytes) throws NoRoomException {
        ResultMeter meter = CURRENT.get();
        if (meter != null && bytes > 0 && !meter.add(bytes)) {
            throw new NoRoomException();
        }
    }

    /** The same for what is not read from an engine. */
    public static void take(long bytes) throws SQLException {
        ResultMeter meter = CURRENT.get();
        if (meter != null && bytes > 0 && !meter.add(bytes)) {
            throw refusal(null);
        }
    }

    /** What came before is handed on, or gone. */
    public static void beginPortion() {
        ResultMeter meter = CURRENT.get();
        if (meter != null) {
            meter.begin();
        }
    }

    /** Whether a statement failed because there was no room for its result: an engine's driver takes that for a broken connection. */
    public static boolean isRefusal(SQLException failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root instanceof NoRoomException;
    }

    /** What a client is told then. */
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

    private boolean reserve(long more) {
        try {
            return budget.take(more, reserved, PATIENCE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
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
