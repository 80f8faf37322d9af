// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.writeset.Scn;
import io.multimed.protocol.response.OutcomeAnswer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Determines the outcome of earlier commits by the receipts that are sealed with the WriteSets (architecture 4.3). One
 * thread answers all waiting queries with one query on the master; while the master is away, the queries wait, up to a
 * limit. Only for sessions that have ended: a receipt that does not exist then never will, and an existing one is
 * durable, because it was published before its session was answered, or forced when this middleware started.
 */
public final class CommitOutcomes implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CommitOutcomes.class);
    private static final int MAX_WAITING = 10_000;
    private static final long RETRY_MILLIS = 200;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final BlockingQueue<Query> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
    private final Master master;
    private final Thread thread;

    /** The sealed rows for a receipt. */
    public record Finding(@Nullable Scn committed, Scn keptSince) {}

    /** A waiting query; its consumer receives null if the outcome cannot be determined, and must not block. */
    private record Query(Receipt receipt, long nanos, Consumer<@Nullable Finding> to) {}

    public CommitOutcomes(Master master) {
        this.master = master;
        this.thread = master.criticalThreads().thread("commit-outcomes", this::run);
        this.thread.start();
    }

    /**
     * Determines whether a transaction has committed.
     *
     * @param known an SCN that was published before the commit was requested
     */
    public void query(Receipt receipt, Scn known, Consumer<OutcomeAnswer> to) {
        find(receipt, finding -> to.accept(judge(finding, known)));
    }

    /** Returns whether the master keeps what tells the outcomes of earlier commits. */
    public boolean areKept() {
        return master.store().log().knowsEachOutcome();
    }

    /** Passes everything that is known of a commit to the consumer; null if it cannot be determined now. */
    public void find(Receipt receipt, Consumer<@Nullable Finding> to) {
        if (!areKept() || !waiting.offer(new Query(receipt, System.nanoTime(), to))) {
            to.accept(null);
        }
    }

    private static OutcomeAnswer judge(@Nullable Finding finding, Scn known) {
        if (finding == null) {
            return OutcomeAnswer.UNKNOWN;
        }
        Scn committed = finding.committed();
        if (committed != null) {
            return OutcomeAnswer.committed(committed.value());
        }
        return finding.keptSince().isAfter(known) ? OutcomeAnswer.UNKNOWN : OutcomeAnswer.NOT_COMMITTED;
    }

    private void run() {
        List<Query> queries = new ArrayList<>();
        try {
            while (true) {
                if (queries.isEmpty()) {
                    queries.add(waiting.take());
                }
                waiting.drainTo(queries);
                if (!answer(queries)) {
                    giveUpOn(queries);
                    TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
                }
            }
        } catch (InterruptedException e) {
            LOG.debug("the thread for commit outcomes stops", e);
        }
    }

    /** Reads the base last: receipts that were removed meanwhile are below it. */
    private boolean answer(List<Query> queries) {
        List<Receipt> receipts = queries.stream().map(Query::receipt).toList();
        Map<Receipt, Scn> found;
        Scn base;
        try (Connection connection = master.connect()) {
            found = master.store().log().sealed(connection, receipts);
            base = master.store().log().base(connection);
        } catch (SQLException | RuntimeException | VirtualMachineError e) {
            LOG.warn("the outcome of {} commits cannot be read yet: {}", receipts.size(), e.getMessage());
            return false;
        }
        for (Query query : queries) {
            query.to.accept(new Finding(found.get(query.receipt), base));
        }
        queries.clear();
        return true;
    }

    private static void giveUpOn(List<Query> queries) {
        List<Query> old = queries.stream()
                .filter(query -> System.nanoTime() - query.nanos > PATIENCE_NANOS)
                .toList();
        queries.removeAll(old);
        old.forEach(query -> query.to.accept(null));
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
