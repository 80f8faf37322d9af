package io.multimed.middleware.dispatcher;

import java.util.concurrent.TimeUnit;

/**
 * How fast a statement usually runs: only what is fast may run inside a commit group, for which all other commits wait. Thread-safe; concurrent runs may overwrite
 * each other's measure, which only makes it a little older.
 */
final class UpdatePace {
    private static final long SWIFT_NANOS = TimeUnit.MILLISECONDS.toNanos(3);
    private static final int FIRST_RUNS = 3;
    private static final int RUNS_AFTER_TROUBLE = 256;

    private final int parameters;
    private volatile long averageNanos = SWIFT_NANOS;

    /** Runs outside a group before it may go into one. */
    private volatile int probation = FIRST_RUNS;

    /** @param parameters how many placeholders the statement has */
    UpdatePace(int parameters) {
        this.parameters = parameters;
    }

    int parameters() {
        return parameters;
    }

    boolean isSwift() {
        return probation <= 0 && averageNanos <= SWIFT_NANOS;
    }

    /** It ran outside a group. */
    void ran(long nanos) {
        averageNanos = (7 * averageNanos + nanos) / 8;
        int left = probation;
        if (left > 0) {
            probation = left - 1;
        }
    }

    /** It was broken off inside a group, which cost everybody time. */
    void lostPatience() {
        probation = RUNS_AFTER_TROUBLE;
    }
}
