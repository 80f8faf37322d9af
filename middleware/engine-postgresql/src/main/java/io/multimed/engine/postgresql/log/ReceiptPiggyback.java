// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.log;

import io.multimed.engine.extraction.PiggybackCommit;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.extraction.SealResult;
import io.multimed.engine.extraction.SessionFate;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/**
 * Runs a statement and writes its receipt as one implicit transaction. The engine commits after the answer, so that the
 * position of the commit is not known yet: the log is forced afterwards.
 */
final class ReceiptPiggyback implements PiggybackCommit {
    private static final String FINISH = "\n; " + ReceiptExtractor.COLUMNS + ReceiptExtractor.FINISH;

    private final ReceiptExtractor extractor;

    ReceiptPiggyback(ReceiptExtractor extractor) {
        this.extractor = extractor;
    }

    @Override
    public String text(String sql) {
        return sql + FINISH; // on a new line: the statement may end with a comment
    }

    @Override
    public void bind(PreparedStatement statement, int parameters, Receipt receipt, boolean durable)
            throws SQLException {
        extractor.bind(statement, parameters + 1, List.of(receipt), false);
    }

    @Override
    public SealResult result(PreparedStatement executed, SessionFate fate) throws SQLException {
        if (!executed.getMoreResults()) {
            throw new SQLException("no receipt was written for the statement", "XX000");
        }
        try (ResultSet row = executed.getResultSet()) {
            return new SealResult(ReceiptExtractor.writeSet(executed, row, fate), false);
        } catch (SQLException e) {
            throw new IllegalStateException("the answer of a commit cannot be read: " + e.getMessage(), e);
        }
    }
}
