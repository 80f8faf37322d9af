// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.history;

import io.multimed.deploy.history.DependencyGraph.Kind;
import io.multimed.deploy.history.KeyVersions.Append;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Builds the graph in which every cycle is an anomaly. At snapshot isolation a transaction has two points, its snapshot
 * and its commit: if a transaction follows another by ww, wr or real time, its snapshot comes after the other's commit;
 * if it reads a key without a value that another transaction appends, its snapshot comes before the other's commit. A
 * cycle of points is therefore a cycle of transactions without two consecutive rw edges, and vice versa. At the other
 * levels a transaction has one point. At READ COMMITTED only a read-only transaction can be the start of an rw edge.
 *
 * <p>The number of edges is linear in the lines of the history: real time is represented by a chain of points, one for
 * each moment at which a transaction began after others had ended.
 */
final class Dependencies {
    private final List<Transaction> transactions;
    private final Isolation isolation;
    private final boolean twoPoints;
    private final DependencyGraph graph;

    private Dependencies(List<Transaction> transactions, Isolation isolation) {
        this.transactions = transactions;
        this.isolation = isolation;
        this.twoPoints = isolation == Isolation.REPEATABLE_READ;
        this.graph = new DependencyGraph(twoPoints ? 2 * transactions.size() : transactions.size());
    }

    /**
     * Builds the graph.
     *
     * @param lines of the history; 0 if their order is not that of real time
     */
    static DependencyGraph of(
            List<Transaction> transactions,
            Collection<KeyVersions> keys,
            List<ExternalRead> reads,
            Isolation isolation,
            int lines) {
        Dependencies dependencies = new Dependencies(transactions, isolation);
        dependencies.commitsFollowSnapshots();
        keys.forEach(dependencies::appends);
        reads.forEach(dependencies::read);
        dependencies.readsOfAll(reads);
        dependencies.realTime(lines);
        dependencies.graph.close();
        return dependencies.graph;
    }

    /**
     * Returns the number of the transaction that a point belongs to. A number beyond the list means that the point
     * belongs to no transaction.
     */
    static int transaction(int point, Isolation isolation) {
        return isolation == Isolation.REPEATABLE_READ ? point / 2 : point;
    }

    /** Returns the point at which a transaction reads. */
    private int snapshot(Transaction transaction) {
        return twoPoints ? 2 * transaction.number() : transaction.number();
    }

    /** Returns the point at which a transaction's appends take effect. */
    private int commit(Transaction transaction) {
        return twoPoints ? 2 * transaction.number() + 1 : transaction.number();
    }

    private void commitsFollowSnapshots() {
        if (twoPoints) {
            transactions.forEach(each -> graph.edge(snapshot(each), commit(each), Kind.ON));
        }
    }

    /**
     * Orders the writers of a list by the order of their values (ww). Values that no read returned follow the last
     * known one.
     */
    private void appends(KeyVersions versions) {
        Optional<Transaction> before = Optional.empty();
        for (int place = 0; place < versions.order().size(); place++) {
            Optional<Transaction> writer = versions.writer(place);
            int value = versions.order().at(place);
            before.ifPresent(one -> writer.ifPresent(other -> follow(one, other, Kind.WW, versions, value)));
            before = writer;
        }
        if (!versions.isComplete() && before.isPresent()) {
            Transaction last = before.get();
            versions.unseen().forEach(append -> follow(last, append.by(), Kind.WW, versions, append.value()));
        }
    }

    private void follow(Transaction one, Transaction other, Kind kind, KeyVersions versions, int value) {
        if (!one.equals(other)) {
            graph.edge(commit(one), snapshot(other), kind, versions.key(), value);
        }
    }

    /** Orders a reader after the writer of its newest value (wr), and before the writer of the next value (rw). */
    private void read(ExternalRead read) {
        KeyVersions versions = read.versions();
        if (read.length() > 0) {
            int newest = read.length() - 1;
            versions.writer(newest)
                    .ifPresent(writer -> follow(
                            writer,
                            read.by(),
                            Kind.WR,
                            versions,
                            versions.order().at(newest)));
        }
        if (read.length() < versions.order().size() && isSnapshot(read)) {
            versions.writer(read.length())
                    .ifPresent(writer -> precede(
                            read.by(), writer, versions, versions.order().at(read.length())));
        }
    }

    private void precede(Transaction reader, Transaction writer, KeyVersions versions, int value) {
        if (!reader.equals(writer)) {
            graph.edge(snapshot(reader), commit(writer), Kind.RW, versions.key(), value);
        }
    }

    /**
     * Returns whether a read shows the transaction's snapshot, so that the values missing from the read are later ones.
     */
    private boolean isSnapshot(ExternalRead read) {
        return read.first()
                && (isolation != Isolation.READ_COMMITTED || read.by().onlyReads());
    }

    /** Orders transactions that read a complete list before transactions whose values no read returned. */
    private void readsOfAll(List<ExternalRead> reads) {
        Map<KeyVersions, List<Transaction>> readers = new HashMap<>();
        for (ExternalRead read : reads) {
            if (read.length() == read.versions().order().size()
                    && !read.versions().isComplete()
                    && isSnapshot(read)) {
                readers.computeIfAbsent(read.versions(), none -> new ArrayList<>())
                        .add(read.by());
            }
        }
        readers.forEach(this::readsOfAll);
    }

    /**
     * Connects readers and writers by one common point, so that the number of edges is the sum, not the product, of
     * their numbers.
     */
    private void readsOfAll(KeyVersions versions, List<Transaction> readers) {
        List<Append> unseen = versions.unseen();
        if (unseen.isEmpty()) {
            return;
        }
        int end = graph.point();
        unseen.forEach(append -> graph.edge(end, commit(append.by()), Kind.ON, versions.key(), append.value()));
        Set<Transaction> writers = unseen.stream().map(Append::by).collect(Collectors.toSet());
        boolean alone = true;
        for (Transaction reader : readers) {
            if (!writers.contains(reader)) {
                graph.edge(snapshot(reader), end, Kind.RW);
            } else if (alone) { // HistoryChecker reports several of them as a lost update
                unseen.forEach(append -> precede(reader, append.by(), versions, append.value()));
                alone = false;
            }
        }
    }

    /**
     * Builds the chain of real time: an end leads to the chain, and the chain leads to all later begins. Transactions
     * of unknown outcome have no end.
     */
    private void realTime(int lines) {
        Transaction[] began = new Transaction[lines];
        Transaction[] ended = new Transaction[lines];
        if (lines > 0) {
            transactions.forEach(each -> note(each, began, ended));
        }
        int chain = graph.point();
        boolean used = false;
        for (int line = 0; line < lines; line++) {
            if (began[line] != null) {
                graph.edge(chain, snapshot(began[line]), Kind.ON);
                used = true;
            } else if (ended[line] != null) {
                if (used) {
                    int next = graph.point();
                    graph.edge(chain, next, Kind.ON);
                    chain = next;
                    used = false;
                }
                graph.edge(commit(ended[line]), chain, Kind.REAL_TIME);
            }
        }
    }

    private static void note(Transaction transaction, Transaction[] began, Transaction[] ended) {
        if (!transaction.hasFailed() && transaction.began() != Transaction.UNKNOWN) {
            began[transaction.began()] = transaction;
        }
        if (transaction.isOk() && transaction.ended() != Transaction.UNKNOWN) {
            ended[transaction.ended()] = transaction;
        }
    }
}
