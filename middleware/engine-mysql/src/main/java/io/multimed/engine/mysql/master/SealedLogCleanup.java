// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.master;

import io.multimed.engine.master.Retention;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.writeset.Scn;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Drops sealed WriteSets that all satellites have applied (architecture 4.3). A first transaction moves the base, so
 * that the WriteSets are no longer read. Small transactions then delete the rows, and lock only these.
 *
 * <p>Rows deleted at the beginning of a growing key leave whole pages, which the engine uses again. TRUNCATE would be
 * cheaper, but it waits for every transaction that has written to the table, and blocks all others meanwhile.
 */
final class SealedLogCleanup {
    /** The size of both tables in bytes, which the engine estimates from time to time. */
    private static final String BYTES = """
            SELECT COALESCE(SUM(stat_value), 0) * @@innodb_page_size FROM mysql.innodb_index_stats
            WHERE database_name = 'multimed' AND table_name IN ('sealed', 'captured') AND index_name = 'PRIMARY' AND stat_name = 'size'""";

    /** Number of SCNs by which the base moves at least, and of WriteSets that one transaction deletes at most. */
    private static final int STEP = 2_000;

    /** Maximum number of captured rows that one transaction deletes. */
    private static final int ROWS = 10_000;

    /** Time after which a run ends; the next run continues. */
    private static final long MAX_MILLIS = 500;

    private final Connection master;
    private final Scn base;
    private final Scn applied;
    private final Retention retention;
    private final long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MAX_MILLIS);

    SealedLogCleanup(Connection master, Scn base, Scn applied, Retention retention) {
        this.master = master;
        this.base = base;
        this.applied = applied;
        this.retention = retention;
    }

    /** Returns the new base. Rows that remain are deleted by the next run. */
    Scn clean() throws SQLException {
        long last = Math.min(applied.value(), Math.max(retention.old().value(), firstThatFits()));
        Scn end = last - base.value() < STEP ? base : new Scn(last);
        if (end.isAfter(base)) {
            change("UPDATE multimed.base SET scn = " + end.value());
        }
        String next = "SELECT transaction_id FROM multimed.sealed WHERE scn <= %d ORDER BY scn LIMIT %d"
                .formatted(end.value(), STEP);
        while (System.nanoTime() < deadline) {
            List<String> transactions = Queries.texts(master, next);
            Queries.end(master);
            if (transactions.isEmpty()) {
                break;
            }
            delete(transactions, end);
        }
        return end;
    }

    /**
     * Returns the first SCN such that the rest fits into the limit, under the assumption that all WriteSets have the
     * same size.
     */
    private long firstThatFits() throws SQLException {
        long bytes = Queries.number(master, BYTES);
        Queries.end(master);
        if (bytes <= retention.bytes()) {
            return 0;
        }
        double kept = (double) retention.bytes() / bytes;
        return applied.value() - (long) ((applied.value() - base.value()) * kept);
    }

    /**
     * Deletes the captured rows of these transactions, then their rows in {@code multimed.sealed}. The order matters:
     * the next run finds rows that remain by {@code multimed.sealed}.
     */
    private void delete(List<String> transactions, Scn end) throws SQLException {
        String these = String.join(",", transactions);
        String changes = "DELETE FROM multimed.captured WHERE transaction_id IN (%s) LIMIT %d".formatted(these, ROWS);
        while (change(changes) == ROWS) {
            if (System.nanoTime() > deadline) {
                return;
            }
        }
        change("DELETE FROM multimed.sealed WHERE scn <= %d ORDER BY scn LIMIT %d"
                .formatted(end.value(), transactions.size()));
    }

    /** Runs a statement in a transaction of its own. READ COMMITTED locks only the rows that it finds, and no gaps. */
    private int change(String sql) throws SQLException {
        try (Statement statement = master.createStatement()) {
            statement.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
            int changed = statement.executeUpdate(sql);
            Queries.end(master);
            return changed;
        }
    }
}
