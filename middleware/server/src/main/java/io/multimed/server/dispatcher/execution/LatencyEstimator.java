package io.multimed.server.dispatcher.execution;

import java.util.concurrent.TimeUnit;

/**
 * How fast a statement usually runs: only what is fast may run inside a commit group, for which all other commits wait. Thread-safe; concurrent runs may overwrite
 * each other's measure, which only makes it a little older.
 */
final class LatencyEstimator {
    private static final long FAST_NANOS = TimeUnit.MILLISECONDS.toNanos(3);

    /** Inside a group a busy machine makes it slower; beyond this it holds up the others too much. */
    private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final int FIRST_RUNS = 3;
    private static final int RUNS_AFTER_TROUBLE = 256;

    /** Times that {@link #RUNS_AFTER_TROUBLE} doubles at most. */
    private static final int MOST_TROUBLES = 6;

    private final int parameters;
    /** Of the last few runs, outside groups and inside. */
    private volatile long averageNanos = FAST_NANOS;

    /** Runs outside a group before it may go into one. */
    private volatile int probation = FIRST_RUNS;

    /** How often it was broken off lately: each time it stays outside twice as long. */
    private volatile int troubles;

    /** Runs inside a group since one of these was forgotten. */
    private volatile int good;

    /** @param parameters how many placeholders the statement has */
    LatencyEstimator(int parameters) {
        this.parameters = parameters;
    }

    int parameters() {
        return parameters;
    }

    boolean isFast() {
        return probation <= 0;
    }

    /** It ran outside a group. */
    void ran(long nanos) {
        measure(nanos);
        int left = probation;
        if (left > 1 || (left == 1 && averageNanos <= FAST_NANOS)) {
            probation = left - 1;
        }
    }

    /** It ran inside a group. */
    void ranInGroup(long nanos) {
        measure(nanos);
        int runs = good + 1;
        good = runs % RUNS_AFTER_TROUBLE;
        if (runs == RUNS_AFTER_TROUBLE) {
            troubles = Math.max(0, troubles - 1);
        }
        if (averageNanos > SLOW_NANOS) {
            probation = FIRST_RUNS;
        }
    }

    private void measure(long nanos) {
        averageNanos = (7 * averageNanos + nanos) / 8;
    }

    /** It was broken off inside a group, which cost everybody time. */
    void lostPatience() {
        probation = RUNS_AFTER_TROUBLE << troubles;
        troubles = Math.min(MOST_TROUBLES, troubles + 1);
        good = 0;
    }
}
