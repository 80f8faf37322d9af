package io.multimed.middleware.node.engine.mysql;

import io.multimed.middleware.writeset.Scn;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Drops sealed WriteSets that all satellites have applied. First the base moves, in a transaction of its own, so that nobody reads them any more; then the rows go, in small
 * transactions that lock nothing but them. Deleted rows at the begin of a growing key leave whole pages, which the engine uses again. TRUNCATE would be cheaper,
 * but waits for every transaction that has written anything, and all others behind it.
 */
final class Dropping {
    /** The receipts of so many commits stay. */
    private static final int KEPT = 1 << 16;

    private static final int STEP = 2_000;
    private static final int ROWS = 10_000;
    private static final long LONGEST_MILLIS = 500;

    private final Connection master;
    private final Scn base;
    private final Scn keptFrom;
    private final long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LONGEST_MILLIS);

    Dropping(Connection master, Scn base, Scn applied) {
        this.master = master;
        this.base = base;
        this.keptFrom = new Scn(applied.value() - KEPT);
    }

    /** Returns the new base. What is left over is dropped the next time. */
    Scn run() throws SQLException {
        Scn end = keptFrom.value() - base.value() < STEP ? base : keptFrom;
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
