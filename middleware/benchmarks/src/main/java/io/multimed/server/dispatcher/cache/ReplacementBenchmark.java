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
 * by a Zipfian distribution of 80/20, and 20 belong to scans of 100 neighbours. The counter {@code hits} divided by
 * {@code hits + misses} is the hit rate; {@code -t} sets the number of threads.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class ReplacementBenchmark extends MultimedBenchmark {
    private static final int VALUES = 100_000;
    private static final int SCAN = 100;

    /** Of the accesses that do not belong to scans, so many percent go to so many percent of the values. */
    private static final double SKEW = Math.log(0.8) / Math.log(0.2);

    /** An access in so many begins a scan: one fifth of all accesses belong to scans. */
    private static final int SCAN_EVERY = 4 * SCAN;

    /** Which policy. */
    public enum Policy {
        LOCKED_LRU,
        LOCKED_2Q,
        NB_GCLOCK,
        CAFFEINE
    }

    @Param({"LOCKED_LRU", "LOCKED_2Q", "NB_GCLOCK", "CAFFEINE"})
    private Policy policy;

    /** Percentage of the values for which there is room. */
    @Param({"5", "20"})
    private int room;

    private Replacement<Integer, String> cache;

    @SuppressWarnings("NullAway.Init") // JMH fills the fields
    public ReplacementBenchmark() {}

    @Setup
    public void prepare() {
        int capacity = VALUES / 100 * room;
        cache = switch (policy) {
            case LOCKED_LRU -> new LockedLru<>(capacity);
            case LOCKED_2Q -> new LockedTwoQueue<>(capacity);
            case NB_GCLOCK -> new ClockReplacement<>(capacity, capacity);
            case CAFFEINE -> new CaffeineReplacement<>(capacity, evicted -> {});
        };
    }

    /** The accesses of one thread. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class Accesses {
        public long hits;
        public long misses;
        private int scanned = SCAN;
        private int next;

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
            int rank = (int) (VALUES * Math.pow(random.nextDouble(), 1 / SKEW));
            return (int) (rank * 2_654_435_761L % VALUES); // neighbours are not equally frequent
        }
    }

    @Benchmark
    public String access(Accesses accesses) {
        Integer key = accesses.key();
        String found = cache.get(key);
        if (found == null) {
            accesses.misses++;
            found = "value";
            cache.put(key, found, 1);
        } else {
            accesses.hits++;
        }
        return found;
    }
}
