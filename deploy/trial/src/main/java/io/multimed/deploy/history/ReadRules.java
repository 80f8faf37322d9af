// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.history;

import io.multimed.deploy.history.KeyVersions.Append;
import io.multimed.deploy.history.Operation.Step;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks each read by itself. A read must be a prefix of its list's order (otherwise <i>incompatible order</i>). It
 * must contain no value of a failed transaction (G1a), no value that no transaction appended, and no value twice; it
 * must not end at a value after which its transaction appended another one (G1b); and it must agree with the reads and
 * appends of its own transaction (otherwise <i>internal</i>). A read that violates a rule is reported and not used any
 * further.
 */
final class ReadRules {
    private final Map<Integer, KeyVersions> keys;
    private final Isolation isolation;
    private final AnomalyCollector findings;
    private final List<ExternalRead> reads = new ArrayList<>();

    /** The reads and appends of the current transaction, by list. */
    private final Map<Integer, Own> own = new HashMap<>();

    private ReadRules(Map<Integer, KeyVersions> keys, Isolation isolation, AnomalyCollector findings) {
        this.keys = keys;
        this.isolation = isolation;
        this.findings = findings;
    }

    /**
     * The appends of the current transaction to one list, and the length of its last read without these appends; -1
     * before the first read.
     */
    private static final class Own {
        private final List<Integer> appended = new ArrayList<>();
        private int length = -1;

        boolean isRead() {
            return length >= 0;
        }
    }

    /** Reports all violations and returns the reads without one. */
    static List<ExternalRead> check(
            List<Transaction> transactions,
            Map<Integer, KeyVersions> keys,
            Isolation isolation,
            AnomalyCollector findings) {
        ReadRules rules = new ReadRules(keys, isolation, findings);
        keys.values().forEach(rules::checkOrder);
        transactions.stream().filter(Transaction::isOk).forEach(rules::check);
        return rules.reads;
    }

    /** Checks the longest list of a key: its values exist once, and none is of a failed transaction. */
    private void checkOrder(KeyVersions versions) {
        Set<Integer> once = new HashSet<>();
        for (int value : versions.order()) {
            Append append = versions.author(value);
            if (append == null) {
                findings.report(
                        "garbage read", "key %d contains %d, which no transaction appended", versions.key(), value);
            } else if (append.by().hasFailed()) {
                findings.report(
                        "G1a",
                        "aborted read: key %d contains %d of operation %d, which failed",
                        versions.key(),
                        value,
                        append.by().index());
            }
            if (!once.add(value)) {
                findings.report("duplicate", "key %d contains %d twice", versions.key(), value);
            }
        }
    }

    private void check(Transaction transaction) {
        own.clear();
        for (Step step : transaction.steps()) {
            Own mine = own.computeIfAbsent(step.key(), none -> new Own());
            if (step.append() != null) {
                mine.appended.add(step.append());
            } else {
                check(transaction, version(step.key()), step.seen(), mine);
            }
        }
    }

    private KeyVersions version(int key) {
        KeyVersions versions = keys.get(key);
        return versions == null ? new KeyVersions(key) : versions;
    }

    /**
     * Splits a read into the part of other transactions and the transaction's own appends at its end, and checks both.
     */
    private void check(Transaction by, KeyVersions versions, Values seen, Own mine) {
        int length = seen.size() - mine.appended.size();
        boolean ends = length >= 0 && seen.subList(length, seen.size()).equals(mine.appended);
        if (!ends || (mine.isRead() && mine.length != length && mustRepeat(by))) {
            findings.report(
                    "internal",
                    "operation %d read %s of key %d, %s",
                    by.index(),
                    brief(seen),
                    versions.key(),
                    mine.isRead()
                            ? "after it had read %d values of others and appended %s"
                                    .formatted(mine.length, mine.appended)
                            : "after it had appended " + mine.appended);
        } else if (isWhole(by, versions, seen, length)) {
            reads.add(new ExternalRead(by, versions, length, !mine.isRead()));
            mine.length = length;
        }
    }

    /** Returns whether all reads of the transaction use one snapshot. */
    private boolean mustRepeat(Transaction transaction) {
        return isolation != Isolation.READ_COMMITTED || transaction.onlyReads();
    }

    /**
     * Returns whether a read is a prefix of the list that ends at the last value of its writer; reports a read that is
     * not.
     */
    private boolean isWhole(Transaction by, KeyVersions versions, Values seen, int length) {
        if (!versions.order().beginsWith(seen)) {
            findings.report(
                    "incompatible order",
                    "operation %d read %s of key %d, others read %s",
                    by.index(),
                    brief(seen),
                    versions.key(),
                    brief(versions.order()));
            return false;
        }
        Append newest = length == 0 ? null : versions.author(seen.at(length - 1));
        if (newest == null || newest.last() || newest.by().hasFailed()) {
            return true;
        }
        findings.report(
                "G1b",
                "intermediate read: operation %d read key %d after operation %d had appended %d and before that operation appended more",
                by.index(),
                versions.key(),
                newest.by().index(),
                newest.value());
        return false;
    }

    /** Abbreviates a list to its end. */
    private static String brief(Values values) {
        int size = values.size();
        return size <= 8
                ? values.toString()
                : "[.. %d more, %s"
                        .formatted(
                                size - 8,
                                values.subList(size - 8, size).toString().substring(1));
    }
}
