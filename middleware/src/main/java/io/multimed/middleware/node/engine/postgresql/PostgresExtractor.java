package io.multimed.middleware.node.engine.postgresql;

import io.multimed.middleware.extraction.CapturedChanges;
import io.multimed.middleware.extraction.Receipt;
import io.multimed.middleware.extraction.SingleFlight;
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
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Seals and commits in one round trip: both statements travel in one message, which the driver sends because of the semicolon. */
final class PostgresExtractor implements WriteSetExtractor {
    private static final String SEAL_AND_COMMIT =
            "SELECT scn, rows, spill, pieces, xid, ddl FROM multimed.seal(?, ?); COMMIT";

    private final boolean durable;

    PostgresExtractor(boolean durable) {
        this.durable = durable;
    }

    @Override
    public Optional<WriteSet> sealAndCommit(Connection open, Receipt receipt) throws SQLException {
        try (PreparedStatement seal = open.prepareStatement(SEAL_AND_COMMIT)) {
            seal.setLong(1, receipt.sessionId());
            seal.setInt(2, receipt.sequence());
            seal.execute();
            return writeSet(seal);
        }
    }

    @Override
    public Optional<SingleFlight> singleFlight() {
        return durable ? Optional.empty() : Optional.of(new PostgresSingleFlight());
    }

    /** @throws IllegalStateException if it cannot be read: the engine has committed by then, and must be asked what */
    static Optional<WriteSet> writeSet(PreparedStatement seal) {
        try (ResultSet sealed = seal.getResultSet()) {
            sealed.next();
            sealed.getLong("scn");
            return sealed.wasNull() ? Optional.empty() : Optional.of(read(sealed));
        } catch (SQLException e) {
            throw new IllegalStateException("the answer of a commit cannot be read: " + e.getMessage(), e);
        }
    }

    /** A WriteSet from a row with scn, rows, spill, pieces, xid and ddl. */
    static WriteSet read(ResultSet row) throws SQLException {
        Scn scn = new Scn(row.getLong("scn"));
        byte[] text = row.getBytes("rows");
        List<Change> changes = CapturedChanges.parse(text);
        return new WriteSet(scn, changes, spill(row), text.length);
    }

    private static @Nullable Spill spill(ResultSet row) throws SQLException {
        int place = row.getInt("spill");
        return row.wasNull() ? null : new Spill(place, row.getLong("xid"), row.getInt("pieces"), row.getBoolean("ddl"));
    }

    @Override
    public boolean commitsAreDurable() {
        return durable;
    }
}
