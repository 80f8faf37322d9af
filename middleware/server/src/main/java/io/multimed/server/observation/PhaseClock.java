// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.observation;

import java.util.ArrayList;
import java.util.List;

/**
 * Records when the phases of one client's present statement begin. One object serves all statements of a client, so
 * that recording needs no memory: a phase costs one reading of the clock.
 *
 * <p>The threads that handle a statement, one after the other, call the methods; each of them hands the statement over
 * through a queue or a lock, so that the fields need no protection of their own. After a defect, a thread may record a
 * phase of a statement that has been answered already: the phases of the next statement are then wrong, and nothing
 * else is.
 */
public final class PhaseClock {
    /** Number of phases that are kept. A statement with more has been repeated several times; the rest is omitted. */
    private static final int MAX_PHASES = 24;

    /** For requests that are not observed. */
    public static final PhaseClock OFF = new PhaseClock(false);

    private final boolean on;
    private final Phase[] phases;
    private final long[] begins;
    private int count;

    /** One phase, with its times in nanoseconds since the beginning of the statement. */
    public record Segment(Phase phase, long begin, long end) {}

    private PhaseClock(boolean on) {
        this.on = on;
        this.phases = new Phase[on ? MAX_PHASES : 0];
        this.begins = new long[on ? MAX_PHASES : 0];
    }

    /** Creates the clock of one client. */
    static PhaseClock running() {
        return new PhaseClock(true);
    }

    /** Begins a statement, with its classification. */
    void begin() {
        phases[0] = Phase.CLASSIFY;
        begins[0] = System.nanoTime();
        count = 1;
    }

    /** Records that a phase begins, and the previous one ends. Has no effect while this phase lasts already. */
    public void enter(Phase next) {
        if (!on) {
            return;
        }
        int last = count; // read once, so that a late call cannot leave the bounds of the arrays
        if (last > 0 && last < MAX_PHASES && phases[last - 1] != next) {
            phases[last] = next;
            begins[last] = System.nanoTime();
            count = last + 1;
        }
    }

    /** Returns the time since the beginning of the statement, in nanoseconds. */
    long elapsed() {
        return System.nanoTime() - begins[0];
    }

    /**
     * Returns the phases of the statement in their order.
     *
     * @param end the end of the last one, in nanoseconds since the beginning of the statement
     */
    List<Segment> segments(long end) {
        int size = count;
        List<Segment> segments = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            long next = i + 1 < size ? begins[i + 1] - begins[0] : end;
            segments.add(new Segment(phases[i], begins[i] - begins[0], next));
        }
        return segments;
    }
}
