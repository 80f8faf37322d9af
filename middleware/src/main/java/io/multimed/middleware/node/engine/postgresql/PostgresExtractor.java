package io.multimed.middleware.node.engine.postgresql;

import io.multimed.middleware.extraction.CapturedChanges;
import io.multimed.middleware.extraction.Receipt;
import io.multimed.middleware.extraction.WriteSetExtractor;
import io.multimed.middleware.writeset.Change;
import io.multimed.middleware.writeset.Scn;
import io.multimed.middleware.writeset.Spill;
import io.multimed.middleware.writeset.WriteSet;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Seals and commits in one round trip: both statements travel in one message, which the driver sends because of the semicolon. */
final class PostgresExtractor implements WriteSetExtractor {
    private static final String SEAL_AND_COMMIT = "SELECT rows, spill, xid FROM multimed.seal(?, ?, ?); COMMIT";

    private final boolean durable;

    PostgresExtractor(boolean durable) {
        this.durable = durable;
    }

    @Override
    public WriteSet sealAndCommit(Connection open, Scn scn, Receipt receipt) throws SQLException {
        try (PreparedStatement seal = open.prepareStatement(SEAL_AND_COMMIT)) {
            seal.setLong(1, scn.value());
            seal.setLong(2, receipt.sessionId());
            seal.setInt(3, receipt.sequence());
            seal.execute();
            return writeSet(seal, scn);
        }
    }

    private static WriteSet writeSet(PreparedStatement seal, Scn scn) throws SQLException {
        try (ResultSet sealed = seal.getResultSet()) {
            sealed.next();
            return read(sealed, scn);
        }
    }

    /** A WriteSet from a row with rows, spill and xid. */
    static WriteSet read(ResultSet row, Scn scn) throws SQLException {
        byte[] text = row.getBytes("rows");
        List<Change> changes = CapturedChanges.parse(text);
        return new WriteSet(scn, text.length > 0 || isSealed(row), changes, spill(row), text.length);
    }

    private static boolean isSealed(ResultSet row) throws SQLException {
        return row.getObject("xid") != null;
    }

    private static @Nullable Spill spill(ResultSet row) throws SQLException {
        int place = row.getInt("spill");
        return row.wasNull() ? null : new Spill(place, row.getLong("xid"));
    }

    @Override
    public boolean commitsAreDurable() {
        return durable;
    }
}
