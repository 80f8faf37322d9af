// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.history;

import io.multimed.deploy.history.KeyVersions.Append;
import io.multimed.deploy.history.Operation.Step;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Checks a list-append history, as Elle does. The lists that were read determine the order of each list's versions; the
 * versions determine the dependencies between transactions; a cycle of dependencies that the isolation level forbids is
 * an anomaly ({@link Dependencies}). Rules for single reads are checked first ({@link ReadRules}). Of several cycles
 * that share transactions, one is reported.
 *
 * <p>If the lines have times, real time is a dependency: a transaction follows all transactions that ended before it
 * began. Without times, real time is not checked.
 *
 * <p>Time and memory are linear in the number of values read and of transactions, as long as there are few anomalies.
 */
public final class HistoryChecker {
    private final Isolation isolation;
    private final List<Transaction> transactions;
    private final Map<Integer, KeyVersions> keys = new HashMap<>();
    private final AnomalyCollector findings = new AnomalyCollector();

    private HistoryChecker(List<Operation> operations, Isolation isolation) {
        this.isolation = isolation;
        this.transactions = Transaction.pair(operations);
    }

    /**
     * Returns the anomalies found, up to a maximum number; none if the history is consistent with its isolation level.
     */
    public static List<Anomaly> check(List<Operation> operations) {
        return check(operations, Map.of());
    }

    /** Checks a history with the final content of each key; empty if the content is not known. */
    public static List<Anomaly> check(List<Operation> operations, Map<Integer, List<Integer>> finalState) {
        return check(operations, finalState, isolation(operations));
    }

    /** Checks a history at an isolation level, in place of the level that the lines contain. */
    public static List<Anomaly> check(
            List<Operation> operations, Map<Integer, List<Integer>> finalState, Isolation isolation) {
        HistoryChecker checker = new HistoryChecker(operations, isolation);
        checker.collectVersions(finalState);
        List<ExternalRead> reads = ReadRules.check(checker.transactions, checker.keys, isolation, checker.findings);
        checker.checkLost(reads);
        int lines = hasRealTime(operations) ? operations.size() : 0;
        if (isolation == Isolation.READ_COMMITTED && lines > 0) {
            RealTimeRules.check(checker.transactions, checker.keys.values(), reads, checker.findings);
        }
        checker.checkCycles(reads, lines);
        return checker.findings.all();
    }

    /**
     * Returns the weakest isolation level that the history's transactions requested; REPEATABLE READ if no line
     * contains one.
     */
    public static Isolation isolation(List<Operation> operations) {
        return operations.stream()
                .flatMap(operation -> java.util.stream.Stream.ofNullable(operation.isolation()))
                .min(Comparator.naturalOrder())
                .orElse(Isolation.REPEATABLE_READ);
    }

    /** Returns whether every line has a time; otherwise the order of the lines has no meaning. */
    public static boolean hasRealTime(List<Operation> operations) {
        return operations.stream().noneMatch(operation -> operation.nanos() == Operation.NO_TIME);
    }

    private KeyVersions versions(int key) {
        return keys.computeIfAbsent(key, KeyVersions::new);
    }

    private void collectVersions(Map<Integer, List<Integer>> finalState) {
        for (Transaction transaction : transactions) {
            Set<Integer> later = new HashSet<>();
            for (int i = transaction.steps().size() - 1; i >= 0; i--) {
                collect(transaction, transaction.steps().get(i), later);
            }
        }
        if (!finalState.isEmpty()) {
            keys.values()
                    .forEach(versions -> versions.end(Values.of(finalState.getOrDefault(versions.key(), List.of()))));
        }
    }

    /**
     * Collects the reads and appends of one step.
     *
     * @param later the keys to which the transaction appends after this step
     */
    private void collect(Transaction transaction, Step step, Set<Integer> later) {
        KeyVersions versions = versions(step.key());
        if (step.append() != null) {
            versions.appended(new Append(transaction, step.append(), later.add(step.key())));
        } else if (transaction.isOk()) {
            versions.seen(step.seen());
        }
    }

    /**
     * Reports committed values that are missing from the final content although they were acknowledged, and, above READ
     * COMMITTED, updates that did not see each other.
     */
    private void checkLost(List<ExternalRead> reads) {
        for (KeyVersions versions : keys.values()) {
            versions.lost()
                    .forEach(append -> findings.report(
                            "lost write",
                            "operation %d appended %d to key %d and was acknowledged, but the value is missing at the end",
                            append.by().index(),
                            append.value(),
                            versions.key()));
        }
        if (isolation != Isolation.READ_COMMITTED) {
            checkUnseenUpdates(reads);
        }
    }

    /**
     * Reports transactions that read the same version of a list and appended to the list, if no read shows the order of
     * their values: at least one of these transactions did not see another one.
     */
    private void checkUnseenUpdates(List<ExternalRead> reads) {
        Map<KeyVersions, List<Transaction>> updaters = new HashMap<>();
        for (ExternalRead read : reads) {
            if (read.first()
                    && read.length() == read.versions().order().size()
                    && !read.versions().isComplete()
                    && !read.by().onlyReads()) {
                updaters.computeIfAbsent(read.versions(), none -> new ArrayList<>())
                        .add(read.by());
            }
        }
        updaters.forEach((versions, readers) -> {
            Set<Transaction> unseen = versions.unseen().stream().map(Append::by).collect(Collectors.toSet());
            List<Transaction> lost = readers.stream().filter(unseen::contains).toList();
            if (lost.size() > 1) {
                findings.report(
                        "lost update",
                        "operations %s all read key %d as %s and then appended to it",
                        lost.stream().map(each -> String.valueOf(each.index())).collect(Collectors.joining(", ")),
                        versions.key(),
                        versions.order());
            }
        });
    }

    private void checkCycles(List<ExternalRead> reads, int lines) {
        DependencyGraph graph = Dependencies.of(transactions, keys.values(), reads, isolation, lines);
        StronglyConnectedComponents components = new StronglyConnectedComponents(graph);
        CycleSearch search = new CycleSearch(graph, components, isolation, transactions.size());
        Deque<int[]> due = new ArrayDeque<>(components.all());
        while (!due.isEmpty() && !findings.isFull()) {
            int[] component = due.remove();
            Cycle cycle = Cycle.of(search.best(component), graph, transactions, isolation);
            findings.report(cycle.name(), "%s", cycle);
            Set<Transaction> told = cycle.transactions().collect(Collectors.toSet());
            for (int point : component) {
                int number = Dependencies.transaction(point, isolation);
                if (number < transactions.size() && told.contains(transactions.get(number))) {
                    components.remove(point);
                }
            }
            due.addAll(components.within(component));
        }
    }
}
