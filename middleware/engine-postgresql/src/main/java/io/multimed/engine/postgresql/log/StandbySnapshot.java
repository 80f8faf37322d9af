// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.log;

import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.postgresql.satellite.PostgresSnapshot;
import io.multimed.engine.writeset.Relation;
import io.multimed.engine.writeset.Scn;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** A snapshot of a master or a standby on which no views of Multimed describe the tables. */
public final class StandbySnapshot extends PostgresSnapshot {
    /** Selects the tables with their columns, and the positions of the columns of their keys, from 1. */
    private static final String TABLES = """
            SELECT c.oid::bigint, n.nspname::text, c.relname::text, a.names, coalesce(k.positions, '{}')
            FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            CROSS JOIN LATERAL (SELECT coalesce(array_agg(b.attname::text ORDER BY b.attnum), '{}') AS names FROM pg_catalog.pg_attribute b
                WHERE b.attrelid = c.oid AND b.attnum > 0 AND NOT b.attisdropped) a
            LEFT JOIN LATERAL (SELECT array_agg((SELECT count(*)::int FROM pg_catalog.pg_attribute b
                    WHERE b.attrelid = c.oid AND b.attnum BETWEEN 1 AND i.indkey[p] AND NOT b.attisdropped) ORDER BY p) AS positions
                FROM pg_catalog.pg_index i, pg_catalog.generate_series(0, i.indnkeyatts - 1) p
                WHERE i.indrelid = c.oid AND i.indisprimary) k ON true
            WHERE c.relkind = 'r' AND c.relpersistence = 'p' AND n.nspname NOT IN ('multimed', 'pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%' ORDER BY 1""";

    private static final String SHOWN = "SELECT pg_catalog.pg_current_snapshot()::text";

    /**
     * A snapshot of a standby does not list the transactions that had not ended, so that their states are asked, which
     * may be later. None that begins with the end of the snapshot is shown.
     */
    private static final String SHOWS_NO_MORE = """
            SELECT pg_catalog.pg_snapshot_xmax(own.shown)::text::numeric <= pg_catalog.pg_snapshot_xmax(masters.shown)::text::numeric
                AND NOT EXISTS (SELECT FROM pg_catalog.pg_snapshot_xip(masters.shown) x WHERE CASE
                    WHEN x::text::numeric < pg_catalog.pg_snapshot_xmax(own.shown)::text::numeric
                    THEN pg_catalog.pg_xact_status(x) IS DISTINCT FROM 'in progress' END)
            FROM (SELECT pg_catalog.pg_current_snapshot() AS shown) own, (SELECT CAST(? AS pg_catalog.pg_snapshot) AS shown) masters""";

    /** Maximum time until the standby has replayed the log of the master, whose commits wait. */
    private static final long MAX_DELAY_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** Maximum time for one answer of the server meanwhile. */
    private static final int MAX_ANSWER_MILLIS = 2_000;

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    public StandbySnapshot(NodeAccess access) throws SQLException {
        super(access);
    }

    /** Asks in transactions that end before the snapshot is taken. */
    @Override
    public void beginAfter(Scn position) throws SQLException {
        long begin = System.nanoTime();
        while (position.isAfter(replayed())) {
            if (System.nanoTime() - begin > MAX_DELAY_NANOS) {
                throw new SQLException(
                        "the standby has not replayed the log of the master within %d s"
                                .formatted(TimeUnit.NANOSECONDS.toSeconds(MAX_DELAY_NANOS)),
                        "57014");
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new SQLException("interrupted while the standby replays the log", "57014");
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        begin();
    }

    private Scn replayed() throws SQLException {
        limitAnswers(MAX_ANSWER_MILLIS);
        try (PreparedStatement question = connection.prepareStatement(ReplayPosition.QUESTION);
                ResultSet answer = question.executeQuery()) {
            return ReplayPosition.read(answer);
        } finally {
            connection.rollback();
            limitAnswers(0);
        }
    }

    /** Returns the identifiers of the transactions that had not ended. */
    @Override
    public String shown() throws SQLException {
        limitAnswers(MAX_ANSWER_MILLIS);
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(SHOWN)) {
            row.next();
            return row.getString(1);
        } finally {
            limitAnswers(0);
        }
    }

    /** Limits the time for each answer, in milliseconds: commits wait meanwhile. */
    private void limitAnswers(int millis) throws SQLException {
        connection.setNetworkTimeout(Runnable::run, millis);
    }

    @Override
    public boolean showsNoMoreThan(String shown) throws SQLException {
        limitAnswers(MAX_ANSWER_MILLIS);
        try (PreparedStatement question = connection.prepareStatement(SHOWS_NO_MORE)) {
            question.setString(1, shown);
            try (ResultSet answer = question.executeQuery()) {
                answer.next();
                return answer.getBoolean(1);
            }
        } finally {
            limitAnswers(0);
        }
    }

    /** Direct commits have no SCNs of their own. */
    @Override
    public Scn lastBypassing() {
        return Scn.ZERO;
    }

    @Override
    public List<Relation> relations() throws SQLException {
        List<Relation> tables = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(TABLES)) {
            while (rows.next()) {
                String[] columns = (String[]) rows.getArray(4).getArray();
                Integer[] key = (Integer[]) rows.getArray(5).getArray();
                List<Integer> positions =
                        IntStream.range(0, key.length).mapToObj(i -> key[i] - 1).toList();
                tables.add(new Relation(
                        rows.getLong(1), rows.getString(2), rows.getString(3), List.of(columns), positions));
            }
        }
        return tables;
    }
}
