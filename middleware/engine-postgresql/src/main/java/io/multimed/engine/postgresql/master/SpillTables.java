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
import java.util.List;

/**
 * Empties the tables of spilled WriteSets (multimed.spilled_*) and of unsealed changes (multimed.unsealed_*). Each kind
 * has three tables, which transactions use in turn, by the minute in which they began. Also removes old entries of
 * multimed.ddl_mark. Used by one thread.
 */
final class SpillTables {
    private static final String DROP_MARKS = """
            DELETE FROM multimed.ddl_mark m WHERE m.at < clock_timestamp() - interval '1 hour' AND NOT EXISTS (
                SELECT FROM multimed.checked c
                WHERE c.at > clock_timestamp() - interval '2 minutes' AND NOT pg_visible_in_snapshot(m.xid, c.seen))""";

    /** Size in bytes up to which a table of spilled pieces is not emptied. */
    private static final long SPILL_KEPT = 16 << 20;

    /** Size limit of the tables that contain a row for each open transaction with changes. */
    private static final int UNSEALED_KEPT = 4 << 20;

    private final Connection master;

    SpillTables(Connection master) {
        this.master = master;
    }

    /**
     * Empties tables of pieces that all satellites have applied, as far as retention permits; never waits for locks.
     */
    void drop(Scn applied, Retention retention) throws SQLException {
        Scn old = applied.isAfter(retention.old()) ? retention.old() : applied;
        for (int place : dispensableSpills(areSpillsTooLarge(retention) ? applied : old)) {
            dropSpill(place, applied);
        }
        dropUnsealed();
        dropMarks();
    }

    /** Removes the marks of DDL that no entry of multimed.checked can depend on. */
    private void dropMarks() throws SQLException {
        try (Statement statement = master.createStatement()) {
            statement.execute(DROP_MARKS);
            Queries.end(master);
        }
    }

    /** Empties the tables that contain only rows of ended transactions; open transactions hold a lock on theirs. */
    private void dropUnsealed() throws SQLException {
        for (int place = 0; place < 3; place++) {
            String table = "multimed.unsealed_" + place;
            if (Queries.single(master, "SELECT pg_relation_size('" + table + "')", row -> row.getLong(1))
                    > UNSEALED_KEPT) {
                truncate(table);
            }
        }
    }

    /** Empties a table, unless another transaction has a lock on it. */
    private void truncate(String table) throws SQLException {
        try (Statement statement = master.createStatement()) {
            statement.execute("LOCK " + table + " IN ACCESS EXCLUSIVE MODE NOWAIT");
            statement.execute("TRUNCATE " + table);
            Queries.end(master);
        } catch (SQLException e) {
            master.rollback();
            if (!Queries.isLockNotAvailable(e)) {
                throw e;
            }
        }
    }

    /** Returns whether the pieces exceed the retention size: then the retention time does not count. */
    private boolean areSpillsTooLarge(Retention retention) throws SQLException {
        String size = "SELECT sum(pg_table_size('multimed.spilled_' || place)) FROM generate_series(0, 2) place";
        return Queries.single(master, size, row -> row.getLong(1)) > retention.bytes();
    }

    /**
     * Returns the tables that are large, and of which every satellite has applied all sealed WriteSets. Running
     * transactions may still write to these tables.
     */
    private List<Integer> dispensableSpills(Scn applied) throws SQLException {
        String query = """
                SELECT place FROM generate_series(0, 2) place WHERE pg_table_size('multimed.spilled_' || place) > %d
                AND NOT EXISTS (SELECT FROM multimed.spilling s WHERE s.place = place.place AND s.scn > %d)""".formatted(SPILL_KEPT, applied.value());
        List<Integer> places = new ArrayList<>();
        try (Statement statement = master.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                places.add(rows.getInt(1));
            }
        }
        Queries.end(master);
        return places;
    }

    /**
     * Empties a table of pieces. Checks again under the exclusive lock that no piece is needed: the lock is not
     * available while an open transaction has written pieces.
     */
    private void dropSpill(int place, Scn applied) throws SQLException {
        try (Statement statement = master.createStatement()) {
            statement.execute("LOCK multimed.spilled_" + place + " IN ACCESS EXCLUSIVE MODE NOWAIT");
            String needed =
                    "SELECT count(*) FROM multimed.spilling WHERE place = " + place + " AND scn > " + applied.value();
            if (Queries.number(statement, needed) == 0) {
                statement.execute("TRUNCATE multimed.spilled_" + place);
                statement.execute("DELETE FROM multimed.spilling WHERE place = " + place);
            }
            Queries.end(master);
        } catch (SQLException e) {
            master.rollback();
            if (!Queries.isLockNotAvailable(e)) {
                throw e;
            }
        }
    }
}
