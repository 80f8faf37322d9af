// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.master;

import io.multimed.engine.master.DdlCapture;
import io.multimed.engine.master.Fencing;
import io.multimed.engine.master.UnrecordedDdl;
import io.multimed.engine.postgresql.sql.AnalyzeStatement;
import io.multimed.engine.sql.SchemaChange;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Complements the event triggers of {@code postgresql/ddl.sql}, which record DDL in the transaction that runs it
 * (architecture 6.3): this class covers statements that PostgreSQL runs outside of transactions only, such as {@code
 * CREATE INDEX CONCURRENTLY}.
 */
public final class PostgresDdlCapture implements DdlCapture {
    private static final Fencing FENCING = new PostgresFencing();

    /**
     * Limits, in seconds, the wait for transactions that change the schema. Meanwhile the client waits; after it, the
     * change stays pending.
     */
    private static final int RECORD_SECONDS = 10;

    /** Limits the same wait when pending DDL is tried again. */
    private static final int PENDING_SECONDS = 2;

    /** The connection is in auto-commit mode. */
    private static final String BEGIN_LATER =
            "BEGIN READ WRITE; " + PostgresExtractor.HIDE_PARAMETERS + "SELECT multimed.begin_later(?); COMMIT";

    /**
     * The search path of the client resolves the names; null stands for all tables. In a read-only transaction, which
     * cannot write its WriteSet, the engine collects statistics nevertheless: those of the satellites remain.
     */
    private static final String SHARE_ANALYZE = "SELECT CASE pg_catalog.current_setting('transaction_read_only')"
            + " WHEN 'off' THEN multimed.share_analyze((SELECT pg_catalog.array_agg(pg_catalog.to_regclass(t.name)::pg_catalog.oid)"
            + " FROM pg_catalog.unnest(?) t (name))) END";

    /**
     * Shares ANALYZE. Satellites run a statement of Multimed's own, which names those of the tables that they have, and
     * cannot fail there: statistics are no part of the copy.
     */
    @Override
    public void shareStatement(Connection openTransaction, String sql) throws SQLException {
        Optional<List<String>> tables = AnalyzeStatement.tables(sql);
        if (tables.isPresent()) {
            try (PreparedStatement share = openTransaction.prepareStatement(SHARE_ANALYZE)) {
                share.setArray(
                        1, openTransaction.createArrayOf("text", tables.get().toArray()));
                share.execute();
            }
        }
    }

    /** Returns the change: the event triggers report none of temporary tables. */
    @Override
    public SchemaChange withoutTemporary(Connection session, SchemaChange change) {
        return change;
    }

    /** Announces nothing: on PostgreSQL the event triggers report each change in the transaction that makes it. */
    @Override
    public boolean announceDdl(Connection openTransaction, SchemaChange change, long number) {
        return false;
    }

    /**
     * Sets or clears a session setting that the event triggers consult. Its value is a token that depends on the epoch,
     * so that clients cannot set it; MM002 if the epoch is over. The epoch is a parameter: other sessions of the same
     * role see the text.
     */
    @Override
    public void deferDdl(Connection master, boolean later, long epoch) throws SQLException {
        if (!later) {
            try (Statement statement = master.createStatement()) {
                statement.execute("SET multimed.later = ''");
            }
            return;
        }
        try (PreparedStatement begin = master.prepareStatement(BEGIN_LATER)) {
            PostgresExtractor.parseAgain(begin);
            begin.setLong(1, epoch);
            begin.execute();
        }
    }

    /**
     * Ignores {@code change} and {@code number}: the difference between the catalog and multimed.told shows what
     * satellites lack.
     */
    @Override
    public void recordDdl(Connection openTransaction, @Nullable SchemaChange change, long number) throws SQLException {
        recordAll(openTransaction, RECORD_SECONDS);
    }

    /**
     * Ends the sessions whose connections were lost: their statements may still run, and would change the schema after
     * it is recorded. Announces nothing.
     */
    @Override
    public boolean announcePendingDdl(Connection openTransaction, UnrecordedDdl untold) throws SQLException {
        FENCING.endSessions(openTransaction, untold.lost());
        return false;
    }

    @Override
    public void recordPendingDdl(Connection openTransaction, UnrecordedDdl untold) throws SQLException {
        recordAll(openTransaction, PENDING_SECONDS);
    }

    /**
     * Records all differences between the catalog and multimed.told, which contains what the satellites have been sent.
     * The lock on multimed.told waits for transactions that have changed the schema, and blocks others until the end of
     * this transaction: the recorded state of the catalog must not be older than theirs. Fails with 55P03 if a lock is
     * not available in time.
     */
    private static void recordAll(Connection openTransaction, int seconds) throws SQLException {
        try (Statement statement = openTransaction.createStatement()) {
            statement.execute("SET LOCAL lock_timeout = '%ds'".formatted(seconds));
            statement.execute("LOCK TABLE multimed.told IN SHARE ROW EXCLUSIVE MODE");
            // Shorter than the default of deadlock_timeout (1 s): where a client's statement and this one wait for each
            // other, this one fails, not the client's.
            statement.execute("SET LOCAL lock_timeout = '300ms'");
            statement.execute("SELECT multimed.tell_all()");
        }
    }
}
