// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.master;

import io.multimed.engine.master.Retention;
import io.multimed.engine.postgresql.connection.Queries;
import io.multimed.engine.writeset.Scn;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The tables of sealed WriteSets, multimed.sealed_0 to multimed.sealed_3. Seals write into one of them, which the value
 * of the sequence multimed.turn selects. The next table follows when the oldest WriteSet of the current one exceeds the
 * retention time, or when the table reaches half of the retention size. A table that is no longer written is emptied as
 * a whole. If no table is empty, because a satellite is far behind, the current one continues to grow. Used by one
 * thread.
 */
final class SealedTables {
    private static final int TABLES = 4;

    private final Connection master;

    /**
     * @param place number of the table
     * @param first the lowest SCN in the table; 0 if the table is empty, as is {@code last}
     * @param bytes size of the table on disk
     */
    private record Table(int place, long first, long last, long bytes) {
        boolean isEmpty() {
            return last == 0;
        }
    }

    SealedTables(Connection master) {
        this.master = master;
    }

    /**
     * Empties tables that are not needed, the oldest first, and switches to the next table when that is due.
     *
     * @param applied nothing after it is removed
     */
    void drop(Scn applied, Retention retention) throws SQLException {
        List<Table> tables = read();
        int current = current();
        long bytes = tables.stream().mapToLong(Table::bytes).sum();
        for (Table table : tables) {
            boolean due = table.last <= retention.old().value() || bytes > retention.bytes();
            if (table.isEmpty() || table.place == current) {
                continue;
            }
            if (!due || table.last > applied.value() || !empty(table)) {
                break;
            }
            bytes -= table.bytes;
        }
        turn(tables.stream().filter(table -> table.place == current).findFirst().orElseThrow(), tables, retention);
    }

    /** Returns the tables; those that are not empty are in the order of their last SCNs. */
    private List<Table> read() throws SQLException {
        List<Table> tables = new ArrayList<>();
        for (int place = 0; place < TABLES; place++) {
            String query =
                    "SELECT coalesce(min(scn), 0), coalesce(max(scn), 0), pg_table_size('multimed.sealed_%1$d') FROM multimed.sealed_%1$d"
                            .formatted(place);
            try (Statement statement = master.createStatement();
                    ResultSet row = statement.executeQuery(query)) {
                row.next();
                tables.add(new Table(place, row.getLong(1), row.getLong(2), row.getLong(3)));
            }
        }
        Queries.end(master);
        tables.sort(Comparator.comparingLong(Table::last));
        return tables;
    }

    /** Returns the number of the table that new seals use. */
    private int current() throws SQLException {
        try (Statement statement = master.createStatement();
                ResultSet row = statement.executeQuery("SELECT last_value FROM multimed.turn")) {
            row.next();
            int current = (int) (row.getLong(1) % TABLES);
            Queries.end(master);
            return current;
        }
    }

    /**
     * Switches to the next empty table if the current one is due. A sequence is not transactional: seals of running
     * transactions use the new table immediately, and some may still write into the old one.
     */
    private void turn(Table current, List<Table> tables, Retention retention) throws SQLException {
        boolean isDue = !current.isEmpty()
                && (current.first <= retention.old().value() || current.bytes > retention.bytes() / 2);
        for (int ahead = 1; isDue && ahead < TABLES; ahead++) {
            int next = (current.place + ahead) % TABLES;
            if (tables.stream().anyMatch(table -> table.place == next && table.isEmpty())) {
                try (Statement statement = master.createStatement()) {
                    statement.execute("SELECT setval('multimed.turn', " + next + ")");
                }
                Queries.end(master);
                return;
            }
        }
    }

    /**
     * Empties a table and raises the base in one transaction, so that a reader never misses WriteSets above the base
     * that it sees. Returns false if the lock is not available within 50 ms, or if a seal has written to the table
     * since {@link #read}.
     */
    private boolean empty(Table table) throws SQLException {
        String name = "multimed.sealed_" + table.place;
        try (Statement statement = master.createStatement()) {
            statement.execute("SET LOCAL lock_timeout = '50ms'");
            statement.execute("LOCK " + name + " IN ACCESS EXCLUSIVE MODE");
            boolean same;
            try (ResultSet row = statement.executeQuery("SELECT max(scn) = %d FROM %s".formatted(table.last, name))) {
                row.next();
                same = row.getBoolean(1);
            }
            if (same) {
                statement.execute("TRUNCATE " + name);
                statement.execute("UPDATE multimed.base SET scn = greatest(scn, %d)".formatted(table.last));
            }
            Queries.end(master);
            return same;
        } catch (SQLException e) {
            master.rollback();
            if (Queries.isLockNotAvailable(e)) {
                return false;
            }
            throw e;
        }
    }
}
