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

/** Empties the tables of spilled WriteSets and of unsealed changes. */
final class SpillTables {
    private static final long SPILL_KEPT = 16 << 20;

    /** Size limit of the tables that contain a row for each open transaction with changes. */
    private static final int UNSEALED_KEPT = 4 << 20;

    private final Connection master;

    SpillTables(Connection master) {
        this.master = master;
    }

    /** Drops what all satellites have applied, as far as retention permits; never waits for locks. */
    void drop(Scn applied, Retention retention) throws SQLException {
        Scn old = applied.isAfter(retention.old()) ? retention.old() : applied;
        for (int place : dispensableSpills(areSpillsTooLarge(retention) ? applied : old)) {
            dropSpill(place, applied);
        }
        dropUnsealed();
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

    private boolean areSpillsTooLarge(Retention retention) throws SQLException {
        String size = "SELECT sum(pg_table_size('multimed.spilled_' || place)) FROM generate_series(0, 2) place";
        return Queries.single(master, size, row -> row.getLong(1)) > retention.bytes();
    }

    /** Places of many pieces, all of which every satellite has applied; some may yet be filled by running transactions. */
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

    /** Asks again under the lock, which no transaction that fills the place lets us have. */
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
