package io.multimed.engine.mysql.master;

import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.extraction.SessionFate;
import io.multimed.engine.extraction.SharedCommit;
import io.multimed.engine.mysql.result.MySqlStreaming;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
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

    /** Uses one round trip for a single statement, and two for several. */
    @Override
    public List<WriteSet> sealAndCommit(Connection open, List<Receipt> receipts, Set<String> tables, SessionFate fate)
            throws SQLException {
        if (receipts.size() == 1) {
            return List.of(extractor.sealAndCommit(open, receipts.get(0)).orElseThrow());
        }
        List<Long> scns = enter(open, receipts);
        List<WriteSet> writeSets = new ArrayList<>(receipts.size());
        writeSets.add(MySqlExtractor.sealTogether(open, scns.get(0), receipts.size()));
        for (long scn : scns.subList(1, scns.size())) {
            writeSets.add(new WriteSet(new Scn(scn), List.of(), null, 0));
        }
        return writeSets;
    }

    /**
     * Inserts a row for each receipt.
     *
     * @return the SCNs, in the order of the receipts
     * @throws SQLException XX000 if the engine did not report all generated keys; nothing is committed then
     */
    private static List<Long> enter(Connection open, List<Receipt> receipts) throws SQLException {
        StringBuilder text = new StringBuilder(RECEIPTS);
        String transaction = OURS;
        for (Receipt receipt : receipts) {
            text.append("(%d, %d, %s, 0),".formatted(receipt.sessionId(), receipt.sequence(), transaction));
            transaction = "0";
        }
        text.setLength(text.length() - 1);
        try (Statement insert = open.createStatement()) {
            insert.executeUpdate(text.toString(), Statement.RETURN_GENERATED_KEYS);
            List<Long> scns = new ArrayList<>(receipts.size());
            try (ResultSet keys = insert.getGeneratedKeys()) {
                while (keys.next()) {
                    scns.add(keys.getLong(1));
                }
            }
            if (scns.size() != receipts.size()) {
                throw new SQLException("%d commits got %d SCNs".formatted(receipts.size(), scns.size()), "XX000");
            }
            return scns;
        }
    }

    @Override
    public boolean survivesErrors() {
        return true;
    }

    @Override
    public void takeLateCancel(Connection connection) throws SQLException {
        MySqlStreaming.takeLateCancel(connection);
    }
}
