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
 * Judges a list-append history, as Elle does: the lists that were read tell the order of each list's versions, the versions tell which transactions follow which, and a cycle of these is an anomaly
 * where the isolation forbids it ({@link Dependencies}). What a read must be by itself is checked before ({@link ReadRules}). Of several cycles that share transactions one is told.
 *
 * <p>Real time counts if the lines have it: a transaction comes after all that had ended before it began. A history without judges nothing of that kind.
 *
 * <p>Time and memory are linear in the values read and the number of transactions, as long as there are few anomalies.
 */
public final class HistoryChecker {
    private final Isolation isolation;
    private final List<Transaction> transactions;
    private final Map<Integer, KeyVersions> keys = new HashMap<>();
    private final Findings findings = new Findings();

    private HistoryChecker(List<Operation> operations, Isolation isolation) {
        this.isolation = isolation;
        this.transactions = Transaction.pair(operations);
    }

    /** All anomalies that are found, at most a bounded number; none if the history is as its isolation promises, as far as it is checked. */
    public static List<Anomaly> check(List<Operation> operations) {
        return check(operations, Map.of());
    }

    /** The same, with what each key holds at the very end; nothing if that is not known. */
    public static List<Anomaly> check(List<Operation> operations, Map<Integer, List<Integer>> finalState) {
        return check(operations, finalState, isolation(operations));
    }

    /** The same, whatever the lines say of their isolation. */
    public static List<Anomaly> check(
            List<Operation> operations, Map<Integer, List<Integer>> finalState, Isolation isolation) {
        HistoryChecker checker = new HistoryChecker(operations, isolation);
        checker.collectVersions(finalState);
        List<ExternalRead> reads = ReadRules.check(checker.transactions, checker.keys, isolation, checker.findings);
        checker.checkLost(reads);
        int lines = hasRealTime(operations) ? operations.size() : 0;
        if (isolation == Isolation.READ_COMMITTED && lines > 0) {
            Freshness.check(checker.transactions, checker.keys.values(), reads, checker.findings);
        }
        checker.checkCycles(reads, lines);
        return checker.findings.all();
    }

    /** What the weakest of the history's transactions asked for; REPEATABLE READ if no line says. */
    public static Isolation isolation(List<Operation> operations) {
        return operations.stream()
                .flatMap(operation -> java.util.stream.Stream.ofNullable(operation.isolation()))
                .min(Comparator.naturalOrder())
                .orElse(Isolation.REPEATABLE_READ);
    }

    /** Whether every line has its time; if not, nothing is known of their order. */
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

    /** @param later the keys to which the transaction appends after this step */
    private void collect(Transaction transaction, Step step, Set<Integer> later) {
        KeyVersions versions = versions(step.key());
        if (step.append() != null) {
            versions.appended(new Append(transaction, step.append(), later.add(step.key())));
        } else if (transaction.isOk()) {
            versions.seen(step.seen());
        }
    }

    private void checkLost(List<ExternalRead> reads) {
        for (KeyVersions versions : keys.values()) {
            versions.lost()
                    .forEach(append -> findings.report(
                            "lost write",
                            "operation %d appended %d to key %d and was acknowledged; it is gone",
                            append.by().index(),
                            append.value(),
                            versions.key()));
        }
        if (isolation != Isolation.READ_COMMITTED) {
            checkUnseenUpdates(reads);
        }
    }

    /** Transactions that read the same version and appended to it, where nobody saw in which order: one of them at least did not see the other. */
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
        Components components = new Components(graph);
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
