// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.cache;

import io.multimed.benchmark.MultimedBenchmark;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * The policies of replacement with the accesses of M. Yui et al., "Nb-GCLOCK", section IV: 80 of 100 values are chosen
 * by a Zipfian distribution, and 20 belong to scans of 100 neighbours. The counter {@code hits} divided by
 * {@code hits + misses} is the hit rate; {@code -t} sets the number of threads.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class ReplacementBenchmark extends MultimedBenchmark {
    private static final int VALUES = 100_000;
    private static final int SCAN = 100;
    private static final String VALUE = "value";

    /** The share of the values that receive the share {@link #hot} of the accesses. */
    private static final double HOT_VALUES = 0.2;

    /** An access in so many begins a scan: one fifth of all accesses belong to scans. */
    private static final int SCAN_EVERY = 4 * SCAN;

    /** Which policy. */
    public enum Policy {
        LOCKED_LRU,
        LOCKED_2Q,
        LOCKED_GCLOCK,
        NB_GCLOCK,
        CAFFEINE
    }

    @Param
    private Policy policy;

    /** Number of values for which there is room, of 100,000. */
    @Param({"4096", "16384"})
    private int capacity;

    /** Of the accesses that do not belong to scans, so many percent go to 20 percent of the values. */
    @Param("80")
    private int hot;

    private Replacement<Integer, String> cache;

    @SuppressWarnings("NullAway.Init") // JMH fills the fields
    public ReplacementBenchmark() {}

    @Setup
    public void prepare() {
        cache = switch (policy) {
            case LOCKED_LRU -> new LockedLru<>(capacity);
            case LOCKED_2Q -> new LockedTwoQueue<>(capacity);
            case LOCKED_GCLOCK -> new LockedClock<>(capacity);
            case NB_GCLOCK -> new ClockReplacement<>(capacity, capacity);
            case CAFFEINE -> new CaffeineReplacement<>(capacity, evicted -> {});
        };
        for (int key = 0; key < VALUES; key++) { // a full cache, and with room for all values, no misses
            cache.put(key, VALUE, 1);
        }
    }

    /** The accesses of one thread. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class Accesses {
        public long hits;
        public long misses;
        private int scanned = SCAN;
        private int next;
        private double exponent;

        @Setup
        public void prepare(ReplacementBenchmark benchmark) {
            exponent = Math.log(HOT_VALUES) / Math.log(benchmark.hot / 100.0);
        }

        int key() {
            if (scanned < SCAN) {
                scanned++;
                next = (next + 1) % VALUES;
                return next;
            }
            ThreadLocalRandom random = ThreadLocalRandom.current();
            if (random.nextInt(SCAN_EVERY) == 0) {
                scanned = 0;
                next = random.nextInt(VALUES);
            }
            int rank = (int) (VALUES * Math.pow(random.nextDouble(), exponent));
            return (int) (rank * 2_654_435_761L % VALUES); // neighbours are not equally frequent
        }
    }

    @Benchmark
    public String access(Accesses accesses) {
        Integer key = accesses.key();
        String found = cache.get(key);
        if (found == null) {
            accesses.misses++;
            found = VALUE;
            cache.put(key, found, 1);
        } else {
            accesses.hits++;
        }
        return found;
    }
}
