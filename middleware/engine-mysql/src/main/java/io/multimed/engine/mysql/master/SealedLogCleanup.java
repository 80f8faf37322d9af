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
 * Drops sealed WriteSets that all satellites have applied. A first transaction moves the base, so that the WriteSets are
 * no longer read; small transactions then delete the rows, and lock only these. Rows deleted at the beginning of a growing
 * key leave whole pages, which the engine uses again. TRUNCATE would be cheaper, but waits for every transaction that has
 * written to the table, and blocks all others meanwhile.
 */
final class SealedLogCleanup {
    /** The size as the engine estimates it from time to time. */
    private static final String BYTES = """
            SELECT COALESCE(SUM(stat_value), 0) * @@innodb_page_size FROM mysql.innodb_index_stats
            WHERE database_name = 'multimed' AND table_name IN ('sealed', 'captured') AND index_name = 'PRIMARY' AND stat_name = 'size'""";

    private static final int STEP = 2_000;
    private static final int ROWS = 10_000;
    private static final long LONGEST_MILLIS = 500;

    private final Connection master;
    private final Scn base;
    private final Scn applied;
    private final Retention retention;
    private final long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LONGEST_MILLIS);

    SealedLogCleanup(Connection master, Scn base, Scn applied, Retention retention) {
        this.master = master;
        this.base = base;
        this.applied = applied;
        this.retention = retention;
    }

    /** Returns the new base. What is left over is dropped the next time. */
    Scn run() throws SQLException {
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

    /** Returns the first SCN such that the rest fits into the limit, if all WriteSets have the same size. */
    private long firstThatFits() throws SQLException {
        long bytes = Queries.number(master, BYTES);
        Queries.end(master);
        if (bytes <= retention.bytes()) {
            return 0;
        }
        double kept = (double) retention.bytes() / bytes;
        return applied.value() - (long) ((applied.value() - base.value()) * kept);
    }

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

    /** In a transaction of its own that locks only what it finds. */
    private int change(String sql) throws SQLException {
        try (Statement statement = master.createStatement()) {
            statement.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
            int changed = statement.executeUpdate(sql);
            Queries.end(master);
            return changed;
        }
    }
}
