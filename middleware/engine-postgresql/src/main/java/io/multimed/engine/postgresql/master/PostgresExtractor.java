// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.master;

import io.multimed.engine.extraction.CapturedChanges;
import io.multimed.engine.extraction.PiggybackCommit;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.extraction.SealResult;
import io.multimed.engine.extraction.SessionFate;
import io.multimed.engine.extraction.SharedCommit;
import io.multimed.engine.extraction.WriteSetExtractor;
import io.multimed.engine.postgresql.connection.PostgresErrorFields;
import io.multimed.engine.postgresql.connection.PostgresErrors;
import io.multimed.engine.writeset.Change;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.Spill;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGStatement;

/**
 * Seals and commits in one round trip (architecture 4.2, 4.3). The text contains both statements, separated by a
 * semicolon; pgjdbc sends them in one message.
 *
 * <p>The seal fails with MM002 if another middleware has taken over, and with MM003 if SQL has modified the WriteSet.
 * Deferred constraints and triggers that have not run before run inside the seal, so that their errors occur here, too.
 * In all these cases nothing is committed. Thread-safe.
 */
public final class PostgresExtractor implements WriteSetExtractor {
    private static final String PREPARE = "SET CONSTRAINTS ALL IMMEDIATE; SELECT multimed.before_commit()";

    private static final String SEAL_AND_COMMIT =
            "SELECT scn, rows, spill, pieces, xid, ddl, held, multimed.few_pieces(spill, pieces, xid, ?) AS earlier"
                    + " FROM multimed.seal(?, ?, ?, ?, ?); COMMIT";

    /**
     * Lets the COMMIT wait for the disk, and returns a value; NULL if synchronous standbys are configured: {@link
     * LogForce} then waits for them.
     */
    public static final String WAIT_FOR_DISK =
            "CASE WHEN pg_catalog.current_setting('synchronous_standby_names') OPERATOR(pg_catalog.=) ''"
                    + " THEN pg_catalog.set_config('synchronous_commit', 'local', true) END";

    private static final String SEAL_AND_COMMIT_DURABLY = "SELECT scn, rows, spill, pieces, xid, ddl, held, "
            + "multimed.few_pieces(spill, pieces, xid, ?) AS earlier, "
            + WAIT_FOR_DISK + " AS durable FROM multimed.seal(?, ?, ?, ?, ?); COMMIT";

    /**
     * Precedes the seal in the session of a user without all rights. Otherwise that user could make the engine report
     * the parameters of the seal, and thereby the epoch, in the context of an error of a deferred trigger.
     */
    public static final String HIDE_PARAMETERS = "SET LOCAL log_parameter_max_length_on_error = 0; ";

    private static final PostgresErrors ERRORS = new PostgresErrors();

    private final boolean durable;
    private final long epoch;

    /**
     * The highest SCN that this middleware has received. The seal assigns a higher one even if SQL has set the sequence
     * back.
     */
    private final AtomicLong highest = new AtomicLong();

    /**
     * @param durable whether commits on the connections wait for the disk
     * @param epoch in which the engine accepts the seals of this middleware
     */
    public PostgresExtractor(boolean durable, long epoch) {
        this.durable = durable;
        this.epoch = epoch;
    }

    @Override
    public boolean mayRunCode() {
        return true;
    }

    /**
     * Sets all constraints to IMMEDIATE, as the seal does again: no statement runs in between. A trigger that defers
     * its own constraint again leaves work for the seal, whose waits are limited.
     */
    @Override
    public boolean prepareCommit(Connection open) throws SQLException {
        return prepare(open);
    }

    /** As {@link #prepareCommit}. */
    public static boolean prepare(Connection open) throws SQLException {
        try (PreparedStatement prepare = open.prepareStatement(PREPARE)) {
            parseAgain(prepare);
            prepare.execute();
            boolean unused = prepare.getMoreResults();
            try (ResultSet row = prepare.getResultSet()) {
                row.next();
                return row.getBoolean(1);
            }
        }
    }

    @Override
    public Optional<WriteSet> sealAndCommit(Connection open, Receipt receipt) throws SQLException {
        return sealAndCommit(open, receipt, new SessionFate(true));
    }

    /**
     * If the client does not keep the session, the seal also resets all settings except for the time zone, releases
     * session locks and ends LISTEN. It reports a changed role or temporary objects, which {@link SessionFate#hold}
     * records.
     */
    @Override
    public Optional<WriteSet> sealAndCommit(Connection open, Receipt receipt, SessionFate fate) throws SQLException {
        boolean hides = mustHide(open);
        try (PreparedStatement seal =
                open.prepareStatement(hides ? HIDE_PARAMETERS + SEAL_AND_COMMIT : SEAL_AND_COMMIT)) {
            seal.setLong(1, epoch);
            bind(seal, 2, receipt, fate.isKept());
            execute(seal, hides);
            return writeSet(seal, fate);
        }
    }

    @Override
    public SealResult sealAndCommitDurably(Connection open, Receipt receipt, SessionFate fate) throws SQLException {
        boolean hides = mustHide(open);
        try (PreparedStatement seal =
                open.prepareStatement(hides ? HIDE_PARAMETERS + SEAL_AND_COMMIT_DURABLY : SEAL_AND_COMMIT_DURABLY)) {
            seal.setLong(1, epoch);
            bind(seal, 2, receipt, fate.isKept());
            execute(seal, hides);
            return completeResult(seal, fate);
        }
    }

    /**
     * Lets the engine parse the texts of a statement at each execution, instead of preparing them under a name. SQL can
     * replace a prepared statement, also one of the driver, by DEALLOCATE and PREPARE: the statement that the user of
     * the session has put in its place would receive the epoch, or would not commit.
     */
    static void parseAgain(PreparedStatement statement) throws SQLException {
        statement.unwrap(PGStatement.class).setPrepareThreshold(0);
    }

    /** Returns whether the session's user must not learn the epoch. A superuser can read it anyway: no round trip. */
    public static boolean mustHide(Connection open) throws SQLException {
        return !"on".equals(open.unwrap(PGConnection.class).getParameterStatus("is_superuser"));
    }

    /**
     * As {@link #execute(PreparedStatement)}.
     *
     * @param hides whether the result of the seal is the second one
     */
    public static void execute(PreparedStatement seal, boolean hides) throws SQLException {
        if (hides) {
            parseAgain(seal);
        }
        execute(seal);
        if (hides) {
            boolean unused = seal.getMoreResults(); // has been read already
        }
    }

    /**
     * Runs the seal and the COMMIT.
     *
     * @throws IllegalStateException if pgjdbc, and not the server, has reported an error, such as no memory for the
     *     seal's row. pgjdbc then skips the row and continues to read: the transaction may have committed, and the
     *     caller must read the outcome from the master
     */
    static void execute(PreparedStatement seal) throws SQLException {
        try {
            seal.execute();
        } catch (SQLException e) {
            if (PostgresErrorFields.isServers(e) || ERRORS.isConnectionFailure(e)) {
                throw e;
            }
            throw new IllegalStateException("the answer of a commit cannot be read: " + e.getMessage(), e);
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

    /**
     * Empty with durable commits: the connections of {@link io.multimed.engine.Engine#groupPool} do not wait for the
     * disk.
     */
    @Override
    public Optional<PiggybackCommit> piggybackCommit() {
        return durable ? Optional.empty() : Optional.of(new PostgresPiggybackCommit(this));
    }

    /** Empty with durable commits, for the same reason. */
    @Override
    public Optional<SharedCommit> sharedCommit() {
        return durable ? Optional.empty() : Optional.of(new PostgresSharedCommit(this));
    }

    /**
     * Reads the row that multimed.seal has returned, with the column earlier. The SCN is null if the transaction
     * changed nothing.
     *
     * @throws IllegalStateException if the row cannot be read: by then the transaction has committed, and the caller
     *     must ask the master for the outcome
     */
    private Optional<WriteSet> writeSet(PreparedStatement seal, SessionFate fate) {
        try (ResultSet sealed = seal.getResultSet()) {
            Optional<WriteSet> found = writeSet(seal, sealed, fate);
            return found.isPresent() ? Optional.of(complete(found.get(), sealed)) : found;
        } catch (SQLException e) {
            throw new IllegalStateException("the answer of a commit cannot be read: " + e.getMessage(), e);
        }
    }

    /** As {@link #writeSet(PreparedStatement, SessionFate)}; the row also has the column durable. */
    private SealResult completeResult(PreparedStatement seal, SessionFate fate) {
        try (ResultSet sealed = seal.getResultSet()) {
            Optional<WriteSet> found = writeSet(seal, sealed, fate);
            return new SealResult(
                    found.isPresent() ? Optional.of(complete(found.get(), sealed)) : found,
                    sealed.getString("durable") != null);
        } catch (SQLException e) {
            throw new IllegalStateException("the answer of a commit cannot be read: " + e.getMessage(), e);
        }
    }

    /**
     * Returns a WriteSet whose earlier part is not on the master, if the seal has returned this part: it is small. The
     * pieces on the master remain for satellites that catch up.
     */
    private static WriteSet complete(WriteSet sealed, ResultSet row) throws SQLException {
        byte[] earlier = row.getBytes("earlier");
        if (sealed.spill() == null || earlier == null || sealed.trouble().isPresent()) {
            return sealed;
        }
        try {
            List<Change> changes = new ArrayList<>(CapturedChanges.parse(earlier));
            if (changes.stream().anyMatch(change -> change instanceof Change.LargeRowChange)) {
                return sealed;
            }
            changes.addAll(sealed.changes());
            return new WriteSet(sealed.scn(), List.copyOf(changes), null, earlier.length + sealed.bytes());
        } catch (RuntimeException e) {
            return sealed; // satellites read the pieces, and report them
        }
    }

    /** As {@link #writeSet(PreparedStatement, SessionFate)}; the row has the column durable instead of earlier. */
    SealResult result(PreparedStatement seal, SessionFate fate) {
        try (ResultSet sealed = seal.getResultSet()) {
            Optional<WriteSet> writeSet = writeSet(seal, sealed, fate);
            return new SealResult(writeSet, sealed.getString("durable") != null);
        } catch (SQLException e) {
            throw new IllegalStateException("the answer of a commit cannot be read: " + e.getMessage(), e);
        }
    }

    /** Moves to the row of the seal and reads it; as {@link #writeSet(PreparedStatement, SessionFate)}. */
    Optional<WriteSet> writeSet(PreparedStatement seal, ResultSet sealed, SessionFate fate) throws SQLException {
        sealed.next();
        if (!fate.isKept() && (sealed.getString("held") != null || isAnotherUsers(seal.getConnection()))) {
            fate.hold();
        }
        long scn = sealed.getLong("scn");
        if (sealed.wasNull()) {
            return Optional.empty();
        }
        assigned(scn);
        return Optional.of(read(sealed));
    }

    /** Records an SCN that a seal has assigned. */
    void assigned(long scn) {
        highest.accumulateAndGet(scn, Math::max);
    }

    long highest() {
        return highest.get();
    }

    long epoch() {
        return epoch;
    }

    /** Detects SET SESSION AUTHORIZATION. The engine reports the parameter to the driver: no round trip. */
    public static boolean isAnotherUsers(Connection connection) throws SQLException {
        String user = connection.unwrap(PGConnection.class).getParameterStatus("session_authorization");
        return user != null && !user.equals(connection.getMetaData().getUserName());
    }

    /**
     * Returns the WriteSet of a row with the columns scn, rows, spill, pieces, xid and ddl. A text that cannot be
     * parsed yields an unreadable WriteSet.
     */
    static WriteSet read(ResultSet row) throws SQLException {
        Scn scn = new Scn(row.getLong("scn"));
        byte[] text = row.getBytes("rows");
        try {
            return new WriteSet(scn, CapturedChanges.parse(text), spill(row), text.length);
        } catch (RuntimeException e) {
            // The transaction has committed: the commit order continues, and satellites that need the WriteSet are
            // seeded again.
            return WriteSet.unreadable(scn, e.toString());
        }
    }

    /**
     * Returns the place of the spilled pieces: number of the table multimed.spilled_*, transaction id and number of
     * pieces; null if the WriteSet is complete in its row.
     */
    private static @Nullable Spill spill(ResultSet row) throws SQLException {
        int place = row.getInt("spill");
        return row.wasNull() ? null : new Spill(place, row.getLong("xid"), row.getInt("pieces"), row.getBoolean("ddl"));
    }

    @Override
    public boolean commitsAreDurable() {
        return durable;
    }
}
