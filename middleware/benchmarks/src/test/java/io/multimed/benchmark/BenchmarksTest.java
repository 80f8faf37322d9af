// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs each benchmark once, with each of its parameters. The times are of no interest. */
@Timeout(600)
@Tag("slow")
class BenchmarksTest {
    /** JMH refuses to run twice at the same time on one machine, unless this property is set. */
    private static final String IGNORE_LOCK = "jmh.ignoreLock";

    @BeforeEach
    void ignoreLock() {
        System.setProperty(IGNORE_LOCK, "true");
    }

    @AfterEach
    void respectLock() {
        System.clearProperty(IGNORE_LOCK);
    }

    @Test
    void shouldRunEveryBenchmark() throws RunnerException {
        Options once = new OptionsBuilder()
                .forks(0)
                .mode(Mode.SingleShotTime)
                .warmupIterations(0)
                .measurementIterations(1)
                .timeout(TimeValue.minutes(5))
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT)
                .build();
        assertThat(new Runner(once)
                        .run().stream()
                                .map(result -> result.getParams().getBenchmark())
                                .map(name -> name.substring(name.lastIndexOf('.', name.lastIndexOf('.') - 1) + 1))
                                .collect(Collectors.toSet()))
                .containsExactlyInAnyOrder(
                        "CodecBenchmark.encode",
                        "CodecBenchmark.decode",
                        "CommitOrderBenchmark.oneClient",
                        "CommitOrderBenchmark.eightClients",
                        "CommitOrderBenchmark.sixtyFourClients",
                        "MySqlClassificationBenchmark.cached",
                        "MySqlClassificationBenchmark.tokens",
                        "MySqlClassificationBenchmark.uncached",
                        "PostgresClassificationBenchmark.cached",
                        "PostgresClassificationBenchmark.tokens",
                        "PostgresClassificationBenchmark.uncached",
                        "ReplacementBenchmark.access",
                        "RoundTripBenchmark.roundTrip",
                        "RouterBenchmark.plan",
                        "SectionBenchmark.enter",
                        "SelectorBenchmark.fresh",
                        "SelectorBenchmark.woken");
    }
}
