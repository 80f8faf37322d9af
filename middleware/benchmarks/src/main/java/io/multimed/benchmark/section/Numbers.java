// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.benchmark.section;

/** The two numbers that a critical section protects. Not thread-safe. */
final class Numbers {
    private final Work work;
    private long first;
    private long second;

    /** @param work what a read or an update does in the section */
    Numbers(Work work) {
        this.work = work;
    }

    void change() {
        first++;
        work.run();
        second++;
    }

    /** Returns the number of changes, or {@link Section#TORN} if a change happens meanwhile. */
    long read() {
        long before = first;
        work.run();
        return before == second ? before : Section.TORN;
    }
}
