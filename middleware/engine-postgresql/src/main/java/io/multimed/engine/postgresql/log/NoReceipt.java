// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.log;

import io.multimed.engine.extraction.Receipt;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/**
 * Writes nothing on the master ({@code receipts: off}): the outcome of a commit is unknown if the connection breaks
 * before the commit is on disk. The engine's own transaction identifiers do not tell it: after a crash, the engine
 * gives those of lost transactions to others.
 */
public final class NoReceipt extends CommitRecord {
    private static final String PREPARE =
            "SET CONSTRAINTS ALL IMMEDIATE; SELECT pg_catalog.pg_current_xact_id_if_assigned() IS NOT NULL";

    private static final String CHANGES = "SELECT pg_catalog.pg_current_xact_id_if_assigned() IS NOT NULL AS changed, ("
            + CatalogStatistics.OF_TRANSACTION + ") OPERATOR(pg_catalog.>) 0 AS ddl, ";

    @Override
    String state(String held) {
        return CHANGES + held;
    }

    @Override
    int parameters() {
        return 0;
    }

    @Override
    void bindState(PreparedStatement statement, int first, List<Receipt> receipts) {}

    @Override
    boolean prepare(Connection open) throws SQLException {
        try (PreparedStatement prepare = open.prepareStatement(PREPARE)) {
            prepare.execute();
            boolean unused = prepare.getMoreResults();
            try (ResultSet row = prepare.getResultSet()) {
                row.next();
                return row.getBoolean(1);
            }
        }
    }

    @Override
    boolean isWritten() {
        return false;
    }

    @Override
    String prefix(Connection open) {
        return "";
    }
}
