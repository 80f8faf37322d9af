package io.multimed.engine.postgresql.master;

import io.multimed.engine.extraction.CapturedChanges;
import io.multimed.engine.extraction.PiggybackCommit;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.extraction.SessionFate;
import io.multimed.engine.extraction.WriteSetExtractor;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.Spill;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/** Seals and commits in one round trip: both statements travel in one message, which the driver sends because of the semicolon. */
public final class PostgresExtractor implements WriteSetExtractor {
    private static final String SEAL_AND_COMMIT =
            "SELECT scn, rows, spill, pieces, xid, ddl, held FROM multimed.seal(?, ?, ?, ?, ?); COMMIT";

    private final boolean durable;
    private final long epoch;

    /** The highest known SCN: later transactions get higher ones, even if the sequence is set back. */
    private final AtomicLong highest = new AtomicLong();

    /** @param epoch in which the engine accepts this middleware's seals */
    public PostgresExtractor(boolean durable, long epoch) {
        this.durable = durable;
        this.epoch = epoch;
    }

    @Override
    public Optional<WriteSet> sealAndCommit(Connection open, Receipt receipt) throws SQLException {
        return sealAndCommit(open, receipt, new SessionFate(true));
    }

    @Override
    public Optional<WriteSet> sealAndCommit(Connection open, Receipt receipt, SessionFate fate) throws SQLException {
        try (PreparedStatement seal = open.prepareStatement(SEAL_AND_COMMIT)) {
            bind(seal, 1, receipt, fate.isKept());
            seal.execute();
            return writeSet(seal, fate);
        }
    }

    /** Binds the parameters of multimed.seal, which begin at the parameter {@code first} of the statement. */
    void bind(PreparedStatement statement, int first, Receipt receipt, boolean keep) throws SQLException {
        statement.setLong(first, receipt.sessionId());
        statement.setInt(first + 1, receipt.sequence());
        statement.setLong(first + 2, highest.get());
        statement.setBoolean(first + 3, keep);
        statement.setLong(first + 4, epoch);
    }

    @Override
    public Optional<PiggybackCommit> piggybackCommit() {
        return durable ? Optional.empty() : Optional.of(new PostgresPiggybackCommit(this));
    }

    /** @throws IllegalStateException if it cannot be read: the engine has committed by then, and must be asked what */
    Optional<WriteSet> writeSet(PreparedStatement seal, SessionFate fate) {
        try (ResultSet sealed = seal.getResultSet()) {
            sealed.next();
            if (!fate.isKept() && (sealed.getString("held") != null || isAnotherUsers(seal.getConnection()))) {
                fate.hold();
            }
            long scn = sealed.getLong("scn");
            if (sealed.wasNull()) {
                return Optional.empty();
            }
            highest.accumulateAndGet(scn, Math::max);
            return Optional.of(read(sealed));
        } catch (SQLException e) {
            throw new IllegalStateException("the answer of a commit cannot be read: " + e.getMessage(), e);
        }
    }

    /** Detects SET SESSION AUTHORIZATION, which the engine reports to its driver. */
    private static boolean isAnotherUsers(Connection connection) throws SQLException {
        String user = connection.unwrap(PGConnection.class).getParameterStatus("session_authorization");
        return user != null && !user.equals(connection.getMetaData().getUserName());
    }

    /** Returns the WriteSet of a row with scn, rows, spill, pieces, xid and ddl. */
    static WriteSet read(ResultSet row) throws SQLException {
        Scn scn = new Scn(row.getLong("scn"));
        byte[] text = row.getBytes("rows");
        try {
            return new WriteSet(scn, CapturedChanges.parse(text), spill(row), text.length);
        } catch (RuntimeException e) {
            return WriteSet.unreadable(
                    scn, e.toString()); // it is committed: the commit order continues, and the satellites must be
            // copied again
        }
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
