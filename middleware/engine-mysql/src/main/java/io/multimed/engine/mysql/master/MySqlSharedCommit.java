// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.master;

import com.mysql.cj.jdbc.JdbcConnection;
import io.multimed.engine.extraction.JoinedStatements;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.extraction.SessionFate;
import io.multimed.engine.extraction.SharedCommit;
import io.multimed.engine.mysql.connection.RoundTrip;
import io.multimed.engine.mysql.result.MySqlLastKeys;
import io.multimed.engine.mysql.result.MySqlStreaming;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Seals statements of several clients that share one transaction (architecture 4.6). Each statement has a row, and
 * thus an SCN, in {@code multimed.sealed}; the first row has all changes, the others have none.
 */
final class MySqlSharedCommit implements SharedCommit {
    private static final String RECEIPTS =
            "INSERT INTO multimed.sealed (session_id, sequence, transaction_id, spilled) VALUES ";

    /**
     * Reads the number under which the changes of the open transaction are captured. The query finds no row if it is
     * interrupted; the function then fails with the error of the interruption.
     */
    private static final String OURS =
            "COALESCE((SELECT s.transaction_id FROM multimed.session s WHERE s.connection = CONNECTION_ID()), multimed.refuse_direct_write())";

    private final MySqlExtractor extractor;

    MySqlSharedCommit(MySqlExtractor extractor) {
        this.extractor = extractor;
    }

    /** Uses one round trip, or two for several statements if the connection takes statements one by one. */
    @Override
    public List<WriteSet> sealAndCommit(Connection open, List<Receipt> receipts, Set<String> tables, SessionFate fate)
            throws SQLException {
        if (receipts.size() == 1) {
            return List.of(extractor.sealAndCommit(open, receipts.get(0)).orElseThrow());
        }
        String insert = insert(receipts);
        WriteSet all = RoundTrip.permitsSeveral(open)
                ? MySqlExtractor.sealTogether(open, insert, receipts.size())
                : MySqlExtractor.sealTogether(open, enter(open, insert, receipts.size()), receipts.size());
        int increment = open.unwrap(JdbcConnection.class).getAutoIncrementIncrement();
        List<WriteSet> writeSets = new ArrayList<>(receipts.size());
        writeSets.add(all);
        for (int i = 1; i < receipts.size(); i++) {
            Scn scn = new Scn(all.scn().value() + (long) i * increment);
            writeSets.add(new WriteSet(scn, List.of(), null, 0));
        }
        return writeSets;
    }

    /** Returns the statement that inserts a row for each receipt. The engine gives them consecutive keys. */
    private static String insert(List<Receipt> receipts) {
        StringBuilder text = new StringBuilder(RECEIPTS);
        String transaction = OURS;
        for (Receipt receipt : receipts) {
            text.append("(%d, %d, %s, 0),".formatted(receipt.sessionId(), receipt.sequence(), transaction));
            transaction = "0";
        }
        text.setLength(text.length() - 1);
        return text.toString();
    }

    /**
     * Inserts the rows.
     *
     * @return the first SCN
     * @throws SQLException XX000 if the engine did not report all generated keys; nothing is committed then
     */
    private static long enter(Connection open, String text, int members) throws SQLException {
        try (Statement insert = open.createStatement()) {
            insert.executeUpdate(text, Statement.RETURN_GENERATED_KEYS);
            List<Long> scns = new ArrayList<>(members);
            try (ResultSet keys = insert.getGeneratedKeys()) {
                while (keys.next()) {
                    scns.add(keys.getLong(1));
                }
            }
            if (scns.size() != members) {
                throw new SQLException("%d commits got %d SCNs".formatted(members, scns.size()), "XX000");
            }
            return scns.get(0);
        }
    }

    @Override
    public Optional<JoinedStatements> join(Connection open) throws SQLException {
        return Optional.of(new MySqlJoinedStatements(open));
    }

    @Override
    public void forgetKey(Connection open) throws SQLException {
        MySqlLastKeys.forget(open);
    }

    @Override
    public void separate(Connection open) throws SQLException {
        RoundTrip.refuseSeveral(open);
    }

    @Override
    public boolean awaitsRequest(Connection open) throws SQLException {
        return MySqlStreaming.isIdle(open);
    }

    @Override
    public boolean survivesErrors() {
        return true;
    }
}
