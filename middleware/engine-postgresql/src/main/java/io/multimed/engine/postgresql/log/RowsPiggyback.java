// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.log;

import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.extraction.RowsCommit;
import io.multimed.engine.extraction.SealResult;
import io.multimed.engine.extraction.SessionFate;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;

/**
 * Runs a change of rows and writes its receipt, if there are receipts, as one implicit transaction. Then asks for the
 * position of the commit.
 */
final class RowsPiggyback implements RowsCommit {
    private final CommitRecord record;

    RowsPiggyback(CommitRecord record) {
        this.record = record;
    }

    @Override
    public void prepare(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET synchronous_commit = local");
        }
    }

    @Override
    public String text(String sql) {
        String rows = record.rows();
        return rows.isEmpty() ? sql : sql + "\n; " + rows;
    }

    @Override
    public void bind(PreparedStatement statement, int parameters, Receipt receipt, boolean durable)
            throws SQLException {
        record.bindRows(statement, parameters + 1, List.of(receipt));
    }

    /** The transaction has committed: if its position cannot be read now, the publisher reads it. */
    @Override
    public SealResult result(PreparedStatement executed, SessionFate fate) {
        WriteSet writeSet = WriteSet.inLog(false);
        try {
            return ReceiptPiggyback.forced(executed.getConnection(), writeSet);
        } catch (SQLException e) {
            return new SealResult(Optional.of(writeSet), false);
        }
    }
}
