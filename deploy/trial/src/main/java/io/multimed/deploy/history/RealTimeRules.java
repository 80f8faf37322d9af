// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.history;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks real time for transactions whose statements have a snapshot each: no read is older than the state that was
 * acknowledged, or visible to a transaction that had ended, before the reading transaction began. At the other levels,
 * and for read-only transactions, cycles with real time cover this.
 */
final class RealTimeRules {
    private final AnomalyCollector findings;

    /**
     * By line of the history: the list lengths that are proved by the transaction that ended there, and the reads of
     * the transaction that began there.
     */
    private final Map<Integer, List<Seen>> shown = new HashMap<>();

    private final Map<Integer, List<ExternalRead>> reads = new HashMap<>();

    /** A proof that a list had at least this length. */
    private record Seen(KeyVersions versions, int length) {}

    private RealTimeRules(AnomalyCollector findings) {
        this.findings = findings;
    }

    static void check(
            List<Transaction> transactions,
            Collection<KeyVersions> keys,
            List<ExternalRead> reads,
            AnomalyCollector findings) {
        RealTimeRules freshness = new RealTimeRules(findings);
        keys.forEach(freshness::showAppends);
        reads.forEach(freshness::add);
        int lines = transactions.stream()
                        .mapToInt(each -> Math.max(each.began(), each.ended()))
                        .max()
                        .orElse(-1)
                + 1;
        freshness.walk(lines);
    }

    /** Records that the end of a writer acknowledges its value and all values before. */
    private void showAppends(KeyVersions versions) {
        for (int place = 0; place < versions.order().size(); place++) {
            int length = place + 1;
            versions.writer(place).ifPresent(writer -> show(writer, new Seen(versions, length)));
        }
    }

    private void add(ExternalRead read) {
        show(read.by(), new Seen(read.versions(), read.length()));
        if (!read.by().onlyReads()) {
            reads.computeIfAbsent(read.by().began(), none -> new ArrayList<>()).add(read);
        }
    }

    private void show(Transaction transaction, Seen seen) {
        if (transaction.isOk()) {
            shown.computeIfAbsent(transaction.ended(), none -> new ArrayList<>())
                    .add(seen);
        }
    }

    /** Walks through the lines in real time. Keeps, for each list, the length that is acknowledged so far. */
    private void walk(int lines) {
        Map<KeyVersions, Integer> needed = new HashMap<>();
        for (int line = 0; line < lines; line++) {
            for (ExternalRead read : reads.getOrDefault(line, List.of())) {
                check(read, needed.getOrDefault(read.versions(), 0));
            }
            for (Seen seen : shown.getOrDefault(line, List.of())) {
                needed.merge(seen.versions(), seen.length(), Math::max);
            }
        }
    }

    private void check(ExternalRead read, int needed) {
        if (read.length() < needed) {
            findings.report(
                    "stale read",
                    "operation %d read %d values of key %d, but %d were acknowledged before it began",
                    read.by().index(),
                    read.length(),
                    read.versions().key(),
                    needed);
        }
    }
}
