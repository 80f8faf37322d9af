// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.log;

import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.extraction.SessionFate;
import io.multimed.engine.extraction.SharedCommit;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Commits statements of several clients at once. Their tables must run no code of users (0A000). */
final class ReceiptSharedCommit implements SharedCommit {
    private final ReceiptExtractor extractor;
    private final CommitRecord record;

    ReceiptSharedCommit(ReceiptExtractor extractor, CommitRecord record) {
        this.extractor = extractor;
        this.record = record;
    }

    @Override
    public void check(Connection open, int statements, Set<String> tables) throws SQLException {
        if (statements > 1) {
            record.requireShareable(open, tables);
        }
    }

    @Override
    public List<WriteSet> sealAndCommit(Connection open, List<Receipt> receipts, Set<String> tables, SessionFate fate)
            throws SQLException {
        Optional<WriteSet> committed = extractor.commit(open, receipts, fate);
        return committed.isEmpty() ? List.of() : Collections.nCopies(receipts.size(), committed.get());
    }

    @Override
    public boolean survivesErrors() {
        return false;
    }
}
