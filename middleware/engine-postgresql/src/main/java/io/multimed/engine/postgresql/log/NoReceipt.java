// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.log;

import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.postgresql.connection.ShareableTables;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

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

    /**
     * Finds the tables by the search path of the session; then counts, by names that are the engine's own, those whose
     * changes must not share a transaction.
     */
    private static final String NOT_SHAREABLE =
            "SELECT pg_catalog.set_config('multimed.tables', pg_catalog.array_agg(COALESCE(pg_catalog.to_regclass(t.name)::pg_catalog.oid, 0::pg_catalog.oid))::pg_catalog.text, true)"
                    + " FROM pg_catalog.unnest(?) t (name); SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);"
                    + " SELECT count(*) AS others FROM unnest(current_setting('multimed.tables')::oid[]) t (id)"
                    + " WHERE NOT EXISTS (SELECT FROM (" + ShareableTables.QUERY + ") s WHERE s.oid = t.id)";

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
    boolean recordsRows(Connection open) {
        return true;
    }

    @Override
    String rows() {
        return "";
    }

    @Override
    void bindRows(PreparedStatement statement, int first, List<Receipt> receipts) {}

    @Override
    void requireShareable(Connection open, Set<String> tables) throws SQLException {
        try (PreparedStatement check = open.prepareStatement(NOT_SHAREABLE)) {
            check.setArray(1, open.createArrayOf("text", tables.toArray()));
            check.execute();
            try (ResultSet row = row(check, "others")) {
                if (row.getInt(1) > 0) {
                    throw new SQLException(
                            "a table has triggers, rules or constraints because of which its changes are not shared",
                            "0A000");
                }
            }
        }
    }

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
