// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.log;

import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.extraction.SessionFate;
import io.multimed.engine.extraction.SharedCommit;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Commits statements of several clients with a receipt for each. The tables must have no code of users (0A000). */
final class ReceiptSharedCommit implements SharedCommit {
    private static final String REQUIRE_SHAREABLE =
            "SELECT multimed.require_shareable(ARRAY(SELECT pg_catalog.to_regclass(t.name)::pg_catalog.oid FROM pg_catalog.unnest(?) t (name)))";

    private final ReceiptExtractor extractor;

    ReceiptSharedCommit(ReceiptExtractor extractor) {
        this.extractor = extractor;
    }

    @Override
    public List<WriteSet> sealAndCommit(Connection open, List<Receipt> receipts, Set<String> tables, SessionFate fate)
            throws SQLException {
        if (receipts.size() > 1) {
            requireShareable(open, tables);
        }
        Optional<WriteSet> committed = extractor.commit(open, receipts, fate);
        return committed.isEmpty() ? List.of() : Collections.nCopies(receipts.size(), committed.get());
    }

    private static void requireShareable(Connection open, Set<String> tables) throws SQLException {
        try (PreparedStatement check = open.prepareStatement(REQUIRE_SHAREABLE)) {
            check.setArray(1, open.createArrayOf("text", tables.toArray()));
            check.execute();
        }
    }

    @Override
    public boolean survivesErrors() {
        return false;
    }
}
