// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.master;

import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.extraction.SessionFate;
import io.multimed.engine.extraction.SharedCommit;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Seals statements of several clients that share one transaction (architecture 4.6). Each statement has a row, and thus
 * an SCN, in {@code multimed.sealed}; the first row has all changes, the others have none. The seal and the COMMIT are
 * one message. The seal checks that the tables have no code of users (0A000). Stateless.
 */
final class PostgresSharedCommit implements SharedCommit {
    private static final String SEAL_AND_COMMIT =
            "SELECT scn, rows, spill, pieces, xid, ddl, held, others FROM multimed.seal_shared(?, ?, ?, ?, ?); COMMIT";

    private final PostgresExtractor extractor;

    PostgresSharedCommit(PostgresExtractor extractor) {
        this.extractor = extractor;
    }

    @Override
    public List<WriteSet> sealAndCommit(Connection open, List<Receipt> receipts, Set<String> tables, SessionFate fate)
            throws SQLException {
        if (receipts.size() == 1) {
            return extractor
                    .sealAndCommit(open, receipts.get(0), fate)
                    .map(List::of)
                    .orElseGet(List::of);
        }
        Array sessions = open.createArrayOf(
                "int8", receipts.stream().map(Receipt::sessionId).toArray());
        Array sequences = open.createArrayOf(
                "int4", receipts.stream().map(Receipt::sequence).toArray());
        boolean hides = PostgresExtractor.mustHide(open);
        try (PreparedStatement seal =
                open.prepareStatement(hides ? PostgresExtractor.HIDE_PARAMETERS + SEAL_AND_COMMIT : SEAL_AND_COMMIT)) {
            seal.setArray(1, sessions);
            seal.setArray(2, sequences);
            seal.setArray(3, open.createArrayOf("text", tables.toArray()));
            seal.setLong(4, extractor.highest());
            seal.setLong(5, extractor.epoch());
            PostgresExtractor.execute(seal, hides);
            return read(seal, fate, receipts.size());
        }
    }

    /** @throws IllegalStateException if the answer cannot be read: the transaction has committed by then */
    private List<WriteSet> read(PreparedStatement seal, SessionFate fate, int count) {
        try (ResultSet row = seal.getResultSet()) {
            Optional<WriteSet> first = extractor.writeSet(seal, row, fate);
            if (first.isEmpty()) {
                return List.of();
            }
            List<WriteSet> writeSets = new ArrayList<>(count);
            writeSets.add(first.get());
            for (Long scn : (Long[]) row.getArray("others").getArray()) {
                extractor.assigned(scn);
                writeSets.add(new WriteSet(new Scn(scn), List.of(), null, 0));
            }
            if (writeSets.size() != count) {
                throw new IllegalStateException("%d commits got %d SCNs".formatted(count, writeSets.size()));
            }
            return writeSets;
        } catch (SQLException e) {
            throw new IllegalStateException("the answer of a shared commit cannot be read: " + e.getMessage(), e);
        }
    }

    @Override
    public boolean survivesErrors() {
        return false;
    }
}
