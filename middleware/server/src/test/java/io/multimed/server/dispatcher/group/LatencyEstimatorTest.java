// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A statement shares transactions only while its executions are short. */
class LatencyEstimatorTest {
    private static final long SHORT = TimeUnit.MICROSECONDS.toNanos(60);
    private static final long LONG = TimeUnit.MILLISECONDS.toNanos(2);
    private static final int RUNS = 1_000;

    private static int shared(LatencyEstimator latency, long nanos) {
        return shared(latency, nanos, 0);
    }

    private static int shared(LatencyEstimator latency, long nanos, long checkNanos) {
        int shared = 0;
        for (int run = 0; run < RUNS; run++) {
            if (latency.decidesToShare()) {
                shared++;
                latency.ranShared(nanos, checkNanos, 100);
            }
        }
        return shared;
    }

    @Test
    void shortStatementsShare() {
        assertThat(shared(new LatencyEstimator(0, SharingPolicy.ADAPTIVE), SHORT))
                .isEqualTo(RUNS);
    }

    @Test
    void longStatementsRunAloneMoreAndMoreOften() {
        LatencyEstimator latency = new LatencyEstimator(0, SharingPolicy.ADAPTIVE);
        int first = shared(latency, LONG);
        assertThat(first).isBetween(1, RUNS / 10);
        assertThat(shared(latency, LONG)).isLessThan(first);
    }

    /** In a database with many tables, or with few statements in a transaction. */
    @Test
    void statementsShareOnlyIfTheCheckIsShort() {
        int withShortCheck = shared(new LatencyEstimator(0, SharingPolicy.ADAPTIVE), SHORT, SHORT);
        int withLongCheck = shared(new LatencyEstimator(0, SharingPolicy.ADAPTIVE), SHORT, LONG);
        assertThat(withShortCheck).isEqualTo(RUNS);
        assertThat(withLongCheck).isLessThan(RUNS / 2);
    }

    @Test
    void singleDelaysDoNotMatter() {
        LatencyEstimator latency = new LatencyEstimator(0, SharingPolicy.ADAPTIVE);
        for (int run = 0; run < RUNS; run++) {
            assertThat(latency.decidesToShare()).isTrue();
            latency.ranShared(run % 4 == 0 ? SHORT : LONG, 0, 100);
        }
    }

    @Test
    void statementsThatHaveBecomeShortShareAgain() {
        LatencyEstimator latency = new LatencyEstimator(0, SharingPolicy.ADAPTIVE);
        shared(latency, LONG);
        int shared = 0;
        for (int runs = 0; runs < 10; runs++) {
            shared = shared(latency, SHORT);
        }
        assertThat(shared).isEqualTo(RUNS);
    }

    @Test
    void testsCanForceSharing() {
        assertThat(shared(new LatencyEstimator(0, SharingPolicy.ALWAYS), LONG)).isEqualTo(RUNS);
    }
}
