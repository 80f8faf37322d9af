// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.log;

import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.postgresql.master.PostgresExtractor;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/** A receipt in the table {@code multimed.receipt}, by which the outcome of a commit is known after any crash. */
public final class WrittenReceipt extends CommitRecord {
    private static final String REQUIRE_SHAREABLE =
            "SELECT multimed.require_shareable(ARRAY(SELECT pg_catalog.to_regclass(t.name)::pg_catalog.oid FROM pg_catalog.unnest(?) t (name)))";

    /**
     * For a superuser, who may write the receipt. Like the function, fails if the epoch has ended, and writes nothing
     * for a transaction that has changed nothing. Fails if code has made a transaction read-only after a change.
     */
    private static final String ROWS =
            "INSERT INTO multimed.receipt SELECT CASE WHEN b.epoch OPERATOR(pg_catalog.=) ? THEN pg_catalog.pg_current_wal_insert_lsn()"
                    + " ELSE multimed.admit(?)::pg_catalog.text::pg_catalog.pg_lsn END, ?, ? FROM multimed.base b"
                    + " WHERE pg_catalog.pg_current_xact_id_if_assigned() IS NOT NULL; ";

    private final long epoch;

    /** @param epoch in which the engine accepts the receipts of this middleware; MM002 afterwards */
    public WrittenReceipt(long epoch) {
        this.epoch = epoch;
    }

    @Override
    String state(String held) {
        return "SELECT changed, ddl, " + held + " FROM multimed.write_receipt(?, ?, ?)";
    }

    @Override
    int parameters() {
        return 3;
    }

    @Override
    void bindState(PreparedStatement statement, int first, List<Receipt> receipts) throws SQLException {
        bindReceipts(statement, first, receipts);
        statement.setLong(first + 2, epoch);
    }

    private static void bindReceipts(PreparedStatement statement, int first, List<Receipt> receipts)
            throws SQLException {
        statement.setObject(
                first, receipts.stream().mapToLong(Receipt::sessionId).toArray());
        statement.setObject(
                first + 1, receipts.stream().mapToInt(Receipt::sequence).toArray());
    }

    @Override
    boolean recordsRows(Connection open) throws SQLException {
        return !PostgresExtractor.mustHide(open);
    }

    @Override
    String rows() {
        return ROWS;
    }

    @Override
    void bindRows(PreparedStatement statement, int first, List<Receipt> receipts) throws SQLException {
        statement.setLong(first, epoch);
        statement.setLong(first + 1, epoch);
        bindReceipts(statement, first + 2, receipts);
    }

    @Override
    void requireShareable(Connection open, Set<String> tables) throws SQLException {
        try (PreparedStatement check = open.prepareStatement(REQUIRE_SHAREABLE)) {
            check.setArray(1, open.createArrayOf("text", tables.toArray()));
            check.execute();
        }
    }

    @Override
    boolean prepare(Connection open) throws SQLException {
        return PostgresExtractor.prepare(open);
    }

    @Override
    boolean isWritten() {
        return true;
    }

    @Override
    String prefix(Connection open) throws SQLException {
        return PostgresExtractor.mustHide(open) ? PostgresExtractor.HIDE_PARAMETERS : "";
    }
}
