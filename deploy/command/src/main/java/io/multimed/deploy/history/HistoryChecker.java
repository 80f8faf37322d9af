package io.multimed.deploy.history;

import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import io.multimed.deploy.history.Operation.Step;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Judges a list-append history. Checked are:
 * <ul>
 *   <li>dirty read: no value of a failed transaction, or that nobody appended, is ever read, none twice in a list;
 *   <li>incompatible orders: all reads of a key are prefixes of one list;
 *   <li>stale read: a transaction sees all that was acknowledged before it began (strong, that is real-time, freshness);
 *   <li>lost update: whatever was acknowledged is in the key's final list;
 *   <li>partial commit: of a transaction that appended to several keys, a reader of these keys sees all or nothing;
 *   <li>Long Fork: the snapshots of all transactions that only read are totally ordered: no two disagree on the order of two commits.
 * </ul>
 * The longest list that anybody saw of a key stands for its order. Time is linear in the values read, and n log n in the number of transactions for Long Fork; the
 * snapshots are compared key by key along the order of one key at a time, with others that read at least two of the same keys.
 */
public final class HistoryChecker {
    private static final int MOST_ANOMALIES = 50;

    private final List<Anomaly> anomalies = new ArrayList<>();
    private final Map<Integer, List<Integer>> order = new HashMap<>();
    private final Map<Integer, Integer> place = new HashMap<>();
    private final Map<Integer, Transaction> writer = new HashMap<>();
    private final List<Transaction> transactions = new ArrayList<>();

    /** Both lines of one transaction; a transaction without an end may have happened or not. */
    private record Transaction(Operation invoke, @Nullable Operation end) {
        boolean isOk() {
            return end != null && end.type() == Operation.Type.OK;
        }

        boolean hasFailed() {
            return end != null && end.type() == Operation.Type.FAIL;
        }

        List<Step> steps() {
            return end == null ? invoke.steps() : end.steps();
        }

        boolean onlyReads() {
            return invoke.steps().stream().noneMatch(Step::isAppend);
        }
    }

    private HistoryChecker() {}

    /** All anomalies that are found, at most a bounded number; empty if the history is strongly snapshot isolated as far as it is checked. */
    public static List<Anomaly> check(List<Operation> operations) {
        return check(operations, Map.of());
    }

    /** The same, with what each key holds at the very end. */
    public static List<Anomaly> check(List<Operation> operations, Map<Integer, List<Integer>> finalState) {
        HistoryChecker checker = new HistoryChecker();
        checker.pair(operations);
        checker.findOrders(finalState);
        checker.checkReads();
        checker.checkFreshness(operations);
        checker.checkLost(finalState);
        checker.checkPartialCommits();
        checker.checkLongForks();
        return List.copyOf(checker.anomalies);
    }

    @FormatMethod
    private void report(String name, @FormatString String sentence, Object... values) {
        if (anomalies.size() < MOST_ANOMALIES) {
            anomalies.add(new Anomaly(name, sentence.formatted(values)));
        }
    }

    private void pair(List<Operation> operations) {
        Map<Integer, Operation> open = new HashMap<>();
        for (Operation operation : operations) {
            if (operation.type() == Operation.Type.INVOKE) {
                open.put(operation.process(), operation);
            } else {
                Operation invoke = open.remove(operation.process());
                if (invoke != null) {
                    add(new Transaction(invoke, operation));
                }
            }
        }
        open.values().forEach(invoke -> add(new Transaction(invoke, null)));
    }

    private void add(Transaction transaction) {
        transactions.add(transaction);
        for (Step step : transaction.invoke.steps()) {
            if (step.append() != null) {
                writer.put(step.append(), transaction);
            }
        }
    }

    private void findOrders(Map<Integer, List<Integer>> finalState) {
        order.putAll(finalState);
        for (Transaction transaction : transactions) {
            for (Step step : transaction.steps()) {
                List<Integer> seen = step.read();
                if (transaction.isOk()
                        && seen != null
                        && seen.size() > orderOf(step.key()).size()) {
                    order.put(step.key(), seen);
                }
            }
        }
        order.values().forEach(values -> {
            for (int i = 0; i < values.size(); i++) {
                place.put(values.get(i), i);
            }
        });
    }

    private List<Integer> orderOf(int key) {
        return order.getOrDefault(key, List.of());
    }

    private void checkReads() {
        for (Transaction transaction : transactions) {
            for (Step step : transaction.steps()) {
                if (transaction.isOk() && step.read() != null) {
                    checkRead(transaction, step.key(), withoutOwn(transaction, step.read()), step.read());
                }
            }
        }
        order.forEach((key, values) -> checkValues(key, values));
    }

    /** Own appends come at the end of what a transaction sees. */
    private List<Integer> withoutOwn(Transaction transaction, List<Integer> seen) {
        int end = seen.size();
        while (end > 0 && transaction.equals(writer.get(seen.get(end - 1)))) {
            end--;
        }
        return seen.subList(0, end);
    }

    private void checkRead(Transaction transaction, int key, List<Integer> others, List<Integer> seen) {
        if (!others.equals(prefix(key, others.size()))) {
            report(
                    "incompatible orders",
                    "operation %d read %s of key %d, others read %s",
                    transaction.invoke.index(),
                    seen,
                    key,
                    orderOf(key));
        }
    }

    private List<Integer> prefix(int key, int length) {
        List<Integer> values = orderOf(key);
        return values.subList(0, Math.min(length, values.size()));
    }

    private void checkValues(int key, List<Integer> values) {
        Set<Integer> once = new HashSet<>();
        for (Integer value : values) {
            Transaction author = writer.get(value);
            if (author == null) {
                report("dirty read", "key %d holds %d, which nobody appended", key, value);
            } else if (author.hasFailed()) {
                report(
                        "dirty read",
                        "key %d holds %d of operation %d, which failed",
                        key,
                        value,
                        author.invoke.index());
            }
            if (!once.add(value)) {
                report("duplicate", "key %d holds %d twice", key, value);
            }
        }
    }

    /** Walks through real time and keeps, for each key, how much of its list had been acknowledged. */
    private void checkFreshness(List<Operation> operations) {
        Map<Integer, Transaction> byInvoke = new HashMap<>();
        Map<Integer, Transaction> byEnd = new HashMap<>();
        transactions.forEach(transaction -> {
            byInvoke.put(transaction.invoke.index(), transaction);
            if (transaction.isOk() && transaction.end != null) {
                byEnd.put(transaction.end.index(), transaction);
            }
        });
        Map<Integer, Integer> acknowledged = new HashMap<>();
        for (Operation operation : operations) {
            Transaction begun = byInvoke.get(operation.index());
            if (begun != null && begun.isOk()) {
                checkFresh(begun, acknowledged);
            }
            Transaction ended = byEnd.get(operation.index());
            if (ended != null) {
                acknowledge(ended, acknowledged);
            }
        }
    }

    private void checkFresh(Transaction transaction, Map<Integer, Integer> acknowledged) {
        for (Step step : transaction.steps()) {
            int needed = acknowledged.getOrDefault(step.key(), 0);
            if (step.read() != null && step.read().size() < needed) {
                report(
                        "stale read",
                        "operation %d read %d values of key %d, %d were acknowledged before it began",
                        transaction.invoke.index(),
                        step.read().size(),
                        step.key(),
                        needed);
            }
        }
    }

    private void acknowledge(Transaction transaction, Map<Integer, Integer> acknowledged) {
        for (Step step : transaction.steps()) {
            int known =
                    step.append() != null ? place.getOrDefault(step.append(), -1) + 1 : sizeOfOthers(transaction, step);
            acknowledged.merge(step.key(), known, Math::max);
        }
    }

    /** What somebody has read and been told counts as acknowledged as well: time must not go back. */
    private int sizeOfOthers(Transaction transaction, Step step) {
        return step.read() == null ? 0 : withoutOwn(transaction, step.read()).size();
    }

    private void checkLost(Map<Integer, List<Integer>> finalState) {
        for (Transaction transaction : transactions) {
            for (Step step : transaction.steps()) {
                boolean visible =
                        !finalState.isEmpty() || place.containsKey(step.append() == null ? -1 : step.append());
                if (transaction.isOk() && step.append() != null && visible && !place.containsKey(step.append())) {
                    report(
                            "lost update",
                            "operation %d appended %d to key %d and was acknowledged; it is gone",
                            transaction.invoke.index(),
                            step.append(),
                            step.key());
                }
            }
        }
    }

    /** For every reader of several keys: if it sees one append of a transaction, it sees those to the other keys that it read. */
    private void checkPartialCommits() {
        for (Transaction reader : transactions) {
            Map<Integer, Integer> sizes = snapshot(reader);
            if (reader.isOk() && reader.onlyReads() && sizes.size() > 1) {
                sizes.forEach((key, size) -> newest(key, size).ifPresent(value -> checkWhole(reader, sizes, value)));
            }
        }
    }

    private Optional<Integer> newest(int key, int size) {
        return size == 0 || size > orderOf(key).size()
                ? Optional.empty()
                : Optional.of(orderOf(key).get(size - 1));
    }

    private void checkWhole(Transaction reader, Map<Integer, Integer> sizes, int value) {
        Transaction author = writer.get(value);
        if (author == null || author.equals(reader)) {
            return;
        }
        for (Step step : author.invoke.steps()) {
            Integer size = sizes.get(step.key());
            Integer at = step.append() == null ? null : place.get(step.append());
            if (size != null && step.append() != null && (at == null || at >= size)) {
                report(
                        "partial commit",
                        "operation %d saw %d of operation %d, but not its %d",
                        reader.invoke.index(),
                        value,
                        author.invoke.index(),
                        step.append());
            }
        }
    }

    private static Map<Integer, Integer> snapshot(Transaction reader) {
        Map<Integer, Integer> sizes = new TreeMap<>();
        for (Step step : reader.steps()) {
            if (step.read() != null) {
                sizes.merge(step.key(), step.read().size(), Math::min);
            }
        }
        return sizes;
    }

    /** For each pair of keys: the snapshots sorted by the one must be sorted by the other, too. */
    private void checkLongForks() {
        Map<Long, List<int[]>> pairs = new HashMap<>();
        for (Transaction reader : transactions) {
            if (reader.isOk() && reader.onlyReads()) {
                collectPairs(reader, pairs);
            }
        }
        pairs.forEach((keys, snapshots) -> checkPair((int) (keys >>> 32), (int) (long) keys, snapshots));
    }

    private static void collectPairs(Transaction reader, Map<Long, List<int[]>> pairs) {
        List<Map.Entry<Integer, Integer>> sizes =
                new ArrayList<>(snapshot(reader).entrySet());
        for (int i = 0; i < sizes.size(); i++) {
            for (int j = i + 1; j < sizes.size(); j++) {
                long keys = (long) sizes.get(i).getKey() << 32 | sizes.get(j).getKey();
                pairs.computeIfAbsent(keys, none -> new ArrayList<>())
                        .add(new int[] {sizes.get(i).getValue(), sizes.get(j).getValue(), reader.invoke.index()});
            }
        }
    }

    private void checkPair(int left, int right, List<int[]> snapshots) {
        Collections.sort(snapshots, (a, b) -> a[0] != b[0] ? Integer.compare(a[0], b[0]) : Integer.compare(a[1], b[1]));
        int[] most = snapshots.get(0);
        for (int[] next : snapshots) {
            if (next[0] > most[0] && next[1] < most[1]) {
                report(
                        "long fork",
                        "operations %d and %d disagree on the order of commits to keys %d and %d",
                        most[2],
                        next[2],
                        left,
                        right);
            }
            if (next[1] >= most[1]) {
                most = next;
            }
        }
    }
}
