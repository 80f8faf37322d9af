// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.benchmark.section;

import org.openjdk.jmh.infra.Blackhole;

/**
 * Computation of a certain duration without access to memory.
 *
 * @param tokens as {@link Blackhole#consumeCPU} takes them; 0 for nothing
 */
record Work(long tokens) {
    static final Work NONE = new Work(0);

    private static final long SAMPLE_TOKENS = 20_000;

    /** Long enough for the compiler, also if other programs use the cores. */
    private static final long SAMPLING_NANOS = 300_000_000;

    /** The speed of this machine, measured once. */
    private static final class Speed {
        private static final long NANOS_OF_SAMPLE = fastestSample();

        private static long fastestSample() {
            long fastest = Long.MAX_VALUE;
            long first = System.nanoTime();
            long begin = first;
            while (begin - first < SAMPLING_NANOS) {
                Blackhole.consumeCPU(SAMPLE_TOKENS);
                long end = System.nanoTime();
                fastest = Math.min(fastest, end - begin);
                begin = end;
            }
            return Math.max(1, fastest);
        }
    }

    /** Returns work that takes so many nanoseconds on this machine if no other thread needs the core. */
    static Work ofNanos(long nanos) {
        return nanos == 0
                ? NONE
                : new Work(Math.max(1, Math.round(nanos * SAMPLE_TOKENS / (double) Speed.NANOS_OF_SAMPLE)));
    }

    void run() {
        if (tokens > 0) {
            Blackhole.consumeCPU(tokens);
        }
    }
}
