// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.observation;

import io.multimed.server.observation.PhaseClock.Segment;
import java.time.Instant;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * A statement that has been answered, as operators see it.
 *
 * @param begun when its request was handled
 * @param request the kind of the request: execute, execute_batch, execute_script, commit or rollback
 * @param statement the text without literals and comments
 * @param node the name of the node; cache for the result cache; empty if no node has run the statement
 * @param route why this node; empty without a node
 * @param sqlState of the error; empty after a success
 * @param nanos time until the answer
 */
public record StatementReport(
        Instant begun,
        String user,
        String address,
        String request,
        String statement,
        String node,
        String route,
        String sqlState,
        long nanos,
        Map<Phase, Long> phases) {
    public StatementReport {
        phases = Map.copyOf(phases);
    }

    static Map<Phase, Long> sums(List<Segment> segments) {
        Map<Phase, Long> sums = new EnumMap<>(Phase.class);
        segments.forEach(each -> sums.merge(each.phase(), each.end() - each.begin(), Long::sum));
        return sums;
    }

    /** Returns the time until the answer, in milliseconds. */
    public double millis() {
        return millis(nanos);
    }

    /** Returns the time that one phase took, in milliseconds; 0 if the statement did not enter the phase. */
    public double millis(Phase phase) {
        return millis(phases.getOrDefault(phase, 0L));
    }

    Phase longest() {
        return phases.entrySet().stream()
                .max(Comparator.comparingLong(Map.Entry::getValue))
                .map(Map.Entry::getKey)
                .orElse(Phase.ENGINE);
    }

    private static double millis(long nanos) {
        return Math.round(nanos / 1e4) / 1e2;
    }
}
