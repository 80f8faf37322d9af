package io.multimed.benchmark.section;

import org.openjdk.jmh.infra.Blackhole;

/**
 * Computation of a certain duration without access to memory.
 *
 * @param tokens as {@link Blackhole#consumeCPU} takes them; 0 for nothing
 */
record Work(long tokens) {
    static final Work NONE = new Work(0);

    private static final int SAMPLES = 50;
    private static final long SAMPLE_TOKENS = 20_000;

    /** Returns work that takes so many nanoseconds on this machine if no other thread needs the core. */
    static Work ofNanos(long nanos) {
        return nanos == 0 ? NONE : new Work(Math.max(1, Math.round(nanos * SAMPLE_TOKENS / (double) fastestSample())));
    }

    private static long fastestSample() {
        long fastest = Long.MAX_VALUE;
        for (int i = 0; i < SAMPLES; i++) {
            long begin = System.nanoTime();
            Blackhole.consumeCPU(SAMPLE_TOKENS);
            fastest = Math.min(fastest, System.nanoTime() - begin);
        }
        return Math.max(1, fastest);
    }

    void run() {
        if (tokens > 0) {
            Blackhole.consumeCPU(tokens);
        }
    }
}
