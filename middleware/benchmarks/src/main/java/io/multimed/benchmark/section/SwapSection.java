// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.benchmark.section;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A loop that computes a new state from the present one, and replaces it by a compare-and-swap. A thread that loses
 * computes again.
 */
final class SwapSection implements Section {
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(SwapSection.class, "state", State.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Work work;

    @SuppressWarnings("FieldMayBeFinal") // changed by STATE
    private volatile State state = new State(0, 0);

    private record State(long first, long second) {}

    SwapSection(Work work) {
        this.work = work;
    }

    @Override
    public long read() {
        State now = state;
        work.run();
        return now.first == now.second ? now.first : TORN;
    }

    @Override
    public void update() {
        State before;
        State after;
        do {
            before = state;
            work.run();
            after = new State(before.first + 1, before.second + 1);
        } while (!STATE.compareAndSet(this, before, after));
    }
}
