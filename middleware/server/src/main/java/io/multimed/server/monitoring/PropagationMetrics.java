// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.monitoring;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.concurrent.TimeUnit;

/** Measures commit groups, flushes of the master's log, and how long reads wait for fresh satellites. Thread-safe. */
public final class PropagationMetrics {
    private final Timer freshness;
    private final Timer flush;
    private final DistributionSummary groupSize;

    PropagationMetrics(MeterRegistry registry) {
        freshness = Timer.builder("multimed.freshness.wait")
                .description("Time that reads have waited until a satellite was fresh enough; 0 for most of them")
                .serviceLevelObjectives(RequestMetrics.BUCKETS)
                .register(registry);
        flush = Timer.builder("multimed.commit.flush")
                .description("Time of a flush of the master's log, which serves all waiting commit groups")
                .serviceLevelObjectives(RequestMetrics.BUCKETS)
                .register(registry);
        groupSize = DistributionSummary.builder("multimed.commit.group.size")
                .description("Transactions of a commit group")
                .serviceLevelObjectives(1, 2, 4, 8, 16, 32, 64, 128)
                .register(registry);
    }

    /** @param nanos time that a read has waited */
    public void freshnessWait(long nanos) {
        freshness.record(nanos, TimeUnit.NANOSECONDS);
    }

    /** @param nanos time of a flush */
    public void flushed(long nanos) {
        flush.record(nanos, TimeUnit.NANOSECONDS);
    }

    /** @param members number of transactions of a published commit group */
    public void published(int members) {
        groupSize.record(members);
    }
}
