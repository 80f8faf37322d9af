// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.log;

import io.multimed.engine.master.DdlCapture;
import io.multimed.engine.master.Fencing;
import io.multimed.engine.master.UnrecordedDdl;
import io.multimed.engine.sql.SchemaChange;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * Marks transactions with DDL, so that the middleware renews what it knows of the schema. Standbys replay DDL from the
 * log: nothing is announced, shared or recorded for them.
 */
public final class SchemaMarks implements DdlCapture {
    private static final String MARK =
            "INSERT INTO multimed.ddl_mark VALUES (pg_current_xact_id()) ON CONFLICT DO NOTHING";

    private final boolean marks;
    private final Fencing fencing;

    /** @param marks whether the master has the table of marks; otherwise the engine's statistics show DDL */
    public SchemaMarks(boolean marks, Fencing fencing) {
        this.marks = marks;
        this.fencing = fencing;
    }

    @Override
    public void shareStatement(Connection openTransaction, String sql) {}

    @Override
    public SchemaChange withoutTemporary(Connection session, SchemaChange change) {
        return change;
    }

    @Override
    public boolean announceDdl(Connection openTransaction, SchemaChange change, long statement) {
        return false;
    }

    @Override
    public void deferDdl(Connection master, boolean deferred, long epoch) {}

    @Override
    public void recordDdl(Connection openTransaction, @Nullable SchemaChange change, long statement)
            throws SQLException {
        mark(openTransaction);
    }

    private void mark(Connection openTransaction) throws SQLException {
        if (!marks) {
            return;
        }
        try (Statement statement = openTransaction.createStatement()) {
            statement.execute(MARK);
        }
    }

    @Override
    public boolean announcePendingDdl(Connection openTransaction, UnrecordedDdl pending) throws SQLException {
        fencing.endSessions(openTransaction, pending.lost());
        return false;
    }

    @Override
    public void recordPendingDdl(Connection openTransaction, UnrecordedDdl pending) throws SQLException {
        mark(openTransaction);
    }
}
