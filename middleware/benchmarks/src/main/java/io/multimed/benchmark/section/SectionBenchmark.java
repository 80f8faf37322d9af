// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.benchmark.section;

import io.multimed.benchmark.MultimedBenchmark;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;

/**
 * The primitives that can enforce a critical section, as in section 5 of R. Johnson, I. Pandis and A. Ailamaki,
 * "Critical Sections: Re-emerging Scalability Concerns for Database Storage Engines", DaMoN 2008: all threads enter one
 * section in a loop. An operation is one iteration of one thread: the work outside, the entry, and the work inside.
 * {@code -t} sets the number of threads. The paper's cost of an iteration is the number of threads divided by the
 * throughput; the mean of the threads' own times would be that of the threads that an unfair lock starves.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Threads(4)
public class SectionBenchmark extends MultimedBenchmark {
    /** Which primitive. */
    @Param
    public Primitive primitive = Primitive.REENTRANT_LOCK;

    /** Nanoseconds of work inside the section, and before each entry. */
    @Param("50")
    public int inside;

    /** Percentage of the entries that only read. */
    @Param("50")
    public int readers;

    private Work outside = Work.NONE;
    private Section section = Primitive.REENTRANT_LOCK.create(Work.NONE);

    @Setup
    public void start() {
        outside = Work.ofNanos(inside);
        section = primitive.create(outside);
    }

    @TearDown
    public void close() {
        section.close();
    }

    /** Which entries of one thread only read; chosen before the measurement. */
    @State(Scope.Thread)
    public static class Entries {
        private static final int LENGTH = 1_024;
        private final boolean[] reads = new boolean[LENGTH];
        private int next;

        @Setup
        public void choose(SectionBenchmark benchmark) {
            Random random = new Random();
            for (int i = 0; i < LENGTH; i++) {
                reads[i] = random.nextInt(100) < benchmark.readers;
            }
        }

        boolean nextReads() {
            next = (next + 1) % LENGTH;
            return reads[next];
        }
    }

    @Benchmark
    public long enter(Entries entries) {
        outside.run();
        if (entries.nextReads()) {
            return section.read();
        }
        section.update();
        return 0;
    }
}
