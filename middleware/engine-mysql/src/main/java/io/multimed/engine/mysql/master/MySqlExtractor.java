// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.master;

import io.multimed.engine.extraction.Certification;
import io.multimed.engine.extraction.PiggybackCommit;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.extraction.SharedCommit;
import io.multimed.engine.extraction.WriteSetExtractor;
import io.multimed.engine.mysql.connection.Connections;
import io.multimed.engine.mysql.connection.MySqlErrors;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.mysql.connection.RoleSession;
import io.multimed.engine.mysql.connection.SessionChanges;
import io.multimed.engine.writeset.Change;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.Spill;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Seals and commits in one round trip, by the procedure {@code multimed.seal} (architecture 4.2 and 4.3).
 *
 * <p>A cancel request that arrives late may meet the procedure, and the engine may obey after the commit is done. The
 * outcome is then unknown, as after a broken connection, and the error has SQLState 08007.
 */
public final class MySqlExtractor implements WriteSetExtractor {
    /** KILL QUERY; {@code max_statement_time} of MariaDB; {@code max_execution_time} of MySQL. */
    private static final Set<Integer> STOPPED = Set.of(1317, 1969, 3024);

    /** Error number: the account may not execute the procedure. */
    private static final int NO_PRIVILEGE = 1370;

    /** SQLState: the outcome of the transaction is unknown, and must be asked for by the receipt. */
    private static final String OUTCOME_UNKNOWN = "08007";

    /**
     * Reads the previous versions of the rows that a transaction has changed. Without LIMIT, the session's own limit of
     * rows would apply.
     */
    private static final String OVERWRITTEN =
            "SELECT relation, before_row FROM multimed.captured WHERE transaction_id = %s AND kind = 'R' AND before_row IS NOT NULL LIMIT "
                    + SessionChanges.NO_LIMIT;

    /** The number of the open transaction, before its seal. */
    private static final String OPEN_TRANSACTION =
            "(SELECT s.transaction_id FROM multimed.session s WHERE s.connection = CONNECTION_ID())";

    /** Number of changed rows up to which a seal returns them. */
    private static final int FEW = 100;

    /** Number of changed rows up to which they are read while all other commits wait. */
    private static final int MAX_INSIDE = 2_000;

    private final boolean certifies;

    /** Whether a transaction has changed more rows, or larger ones, than its statements have told. */
    private volatile boolean hasMetMany;

    /** @param certifies whether the engine lets a transaction overwrite changes outside its snapshot */
    public MySqlExtractor(boolean certifies) {
        this.certifies = certifies;
    }

    /** Returns an empty result if the procedure returns no row: a READ ONLY transaction has changed nothing. */
    @Override
    public Optional<WriteSet> sealAndCommit(Connection open, Receipt receipt) throws SQLException {
        return call(open, seal(open, receipt, true, true), (seal, rows) -> rows ? read(seal) : Optional.empty());
    }

    @Override
    public boolean canCommitUnread() {
        return true;
    }

    /** Does not read the changes: one query then reads the WriteSets of all members of the group. */
    @Override
    public boolean commitUnread(Connection open, Receipt receipt) throws SQLException {
        return call(open, seal(open, receipt, false, true), (seal, rows) -> !rows);
    }

    /**
     * Returns true for MySQL only, whose transactions can overwrite changes outside their snapshots. MariaDB refuses
     * this with error 1020 under {@code innodb_snapshot_isolation}.
     */
    @Override
    public boolean mustCertify() {
        return certifies;
    }

    /**
     * Seals, certifies, and commits by a second round trip. The SCN is taken before the check: no other transaction
     * can change the same rows meanwhile, because this one holds their locks.
     */
    @Override
    public Optional<WriteSet> sealCertified(Connection open, Receipt receipt, Certification certification, boolean told)
            throws SQLException {
        Optional<WriteSet> sealed;
        try (Statement seal = open.createStatement()) {
            boolean rows = execute(open, seal, seal(open, receipt, true, false));
            sealed = rows ? read(seal) : Optional.empty();
            Queries.finish(seal);
        }
        if (sealed.isPresent()) {
            if (!told) {
                reportSealed(open, sealed.get(), certification);
            }
            certify(open, certification);
        }
        return call(open, "COMMIT", (commit, rows) -> sealed);
    }

    /**
     * Checks that the transaction's snapshot includes the commits whose versions it has overwritten: their rows in
     * {@code multimed.sealed} must be visible in this snapshot.
     *
     * @throws SQLTransactionRollbackException 40001 with error number 1020, as MariaDB reports the same conflict
     */
    private static void certify(Connection open, Certification certification) throws SQLException {
        Set<Scn> suspects = certification.suspects();
        if (!suspects.isEmpty() && shown(open, suspects) < suspects.size()) {
            throw MySqlErrors.conflict("another transaction has committed a change; run this transaction again");
        }
    }

    /** Returns true for many rows, and for all transactions once few of them were found to be many. */
    @Override
    public boolean mustPrepare(long rows) {
        return certifies && (rows > FEW || hasMetMany);
    }

    @Override
    public void reportOverwritten(Connection open, Certification certification) throws SQLException {
        RoleSession role = RoleSession.of(open);
        report(open, role == null ? OVERWRITTEN.formatted(OPEN_TRANSACTION) : role.overwritten(), certification);
    }

    /**
     * Tells the rows that a sealed transaction has overwritten. All other commits wait meanwhile: many rows are told
     * before the seal.
     *
     * @throws SQLException 40001 if the rows are more than the statements have reported, or larger than usual. From now
     *     on, all transactions tell them before
     */
    private void reportSealed(Connection open, WriteSet sealed, Certification certification) throws SQLException {
        Spill spill = sealed.spill();
        if (spill != null && (spill.pieces() > MAX_INSIDE || RoleSession.of(open) != null)) {
            hasMetMany = true;
            throw MySqlErrors.conflict("the changes of this transaction are too many to check; run it again");
        }
        if (spill != null) {
            report(open, OVERWRITTEN.formatted(Long.toUnsignedString(spill.transaction())), certification);
        }
        for (Change change : sealed.changes()) {
            if (change instanceof Change.RowChange row) {
                certification.wroteOver(row.relation(), row.before());
            }
        }
    }

    /** Passes one row at a time. */
    private static void report(Connection open, String query, Certification certification) throws SQLException {
        try (Statement statement = open.createStatement()) {
            statement.setFetchSize(Integer.MIN_VALUE); // selects row-by-row transfer in the driver
            try (ResultSet rows = statement.executeQuery(query)) {
                while (rows.next()) {
                    certification.wroteOver(rows.getLong(1), WriteSetReader.text(rows, "before_row"));
                }
            }
        }
    }

    /** Returns how many of the commits the transaction's snapshot includes. */
    private static long shown(Connection open, Set<Scn> suspects) throws SQLException {
        String scns = suspects.stream().map(scn -> String.valueOf(scn.value())).collect(Collectors.joining(","));
        RoleSession role = RoleSession.of(open);
        return Queries.number(
                open,
                role == null ? "SELECT COUNT(*) FROM multimed.sealed WHERE scn IN (" + scns + ")" : role.shown(scns));
    }

    /**
     * Returns the statement that seals the transaction.
     *
     * @param told whether the procedure returns the WriteSet
     * @param ends whether the procedure commits
     */
    private static String seal(Connection open, Receipt receipt, boolean told, boolean ends) throws SQLException {
        RoleSession role = RoleSession.of(open);
        return role == null
                ? "CALL multimed.seal(%d, %d, %b, %b)".formatted(receipt.sessionId(), receipt.sequence(), told, ends)
                : role.seal(receipt.sessionId(), receipt.sequence(), told, ends);
    }

    /**
     * Executes a statement of a seal. If an administrator has revoked all privileges of the role's account, the engine
     * has not begun the statement: restores the privilege, and executes the statement again.
     */
    private static boolean execute(Connection open, Statement seal, String text) throws SQLException {
        try {
            return seal.execute(text);
        } catch (SQLException e) {
            RoleSession role = RoleSession.of(open);
            if (role == null || e.getErrorCode() != NO_PRIVILEGE) {
                throw e;
            }
            role.restore();
            return seal.execute(text);
        }
    }

    /**
     * Seals and commits a transaction whose statements have their rows in {@code multimed.sealed} already. The first
     * SCN receives all changes.
     *
     * @param members the number of statements, and of their SCNs
     */
    static WriteSet sealTogether(Connection open, long first, int members) throws SQLException {
        String text = "CALL multimed.seal_together(%d, %d)".formatted(first, members);
        return call(open, text, (seal, rows) -> read(seal)).orElseThrow();
    }

    /**
     * The same, if the rows in {@code multimed.sealed} do not exist yet: inserts them in the same message.
     *
     * @param insert the statement that inserts them
     */
    static WriteSet sealTogether(Connection open, String insert, int members) throws SQLException {
        String text = insert + ";CALL multimed.seal_together(LAST_INSERT_ID(), " + members + ")";
        return call(open, text, (seal, rows) -> seal.getMoreResults() ? read(seal) : Optional.<WriteSet>empty())
                .orElseThrow();
    }

    /** Reads the answer of the procedure. */
    private interface AnswerReader<T> {
        /** @param rows whether there are any */
        T read(Statement seal, boolean rows) throws SQLException;
    }

    /**
     * Runs a statement that ends the transaction, and reads all of its answer.
     *
     * @throws SQLException 08007 if the statement was interrupted
     */
    private static <T> T call(Connection open, String text, AnswerReader<T> reader) throws SQLException {
        try (Statement seal = open.createStatement()) {
            boolean rows = execute(open, seal, text);
            T answer = reader.read(seal, rows);
            // Reads the answer of COMMIT, which may be an error.
            Queries.finish(seal);
            Connections.noteEnd(open);
            return answer;
        } catch (SQLException e) {
            throw inDoubtIfStopped(e);
        }
    }

    /** Returns the error of a statement that ends the transaction; 08007 if the statement was interrupted. */
    static SQLException inDoubtIfStopped(SQLException failure) {
        return STOPPED.contains(failure.getErrorCode()) ? inDoubt(failure) : failure;
    }

    /**
     * Returns an error without the engine's error number: the outcome of the commit is unknown, and the statement must
     * not run again because of it.
     */
    static SQLException inDoubt(SQLException interruption) {
        return new SQLException("the commit was interrupted", OUTCOME_UNKNOWN, interruption);
    }

    /**
     * Reads the WriteSet in the procedure's answer.
     *
     * @throws IllegalStateException if the answer cannot be read: the engine may have committed, so that the caller
     *     must ask for the outcome
     */
    private static Optional<WriteSet> read(Statement seal) throws SQLException {
        return Optional.of(read(seal.getResultSet()));
    }

    /** The same, if the answer is known. Closes it. */
    static WriteSet read(ResultSet answer) {
        try (ResultSet rows = answer) {
            List<WriteSet> one = new WriteSetReader(rows).all();
            if (one.isEmpty()) {
                throw new IllegalStateException("the answer of a commit is empty: its query was interrupted");
            }
            return one.get(0);
        } catch (SQLException e) {
            throw new IllegalStateException("the answer of a commit cannot be read: " + e.getMessage(), e);
        }
    }

    @Override
    public Optional<PiggybackCommit> piggybackCommit() {
        return Optional.empty();
    }

    @Override
    public Optional<SharedCommit> sharedCommit() {
        return Optional.of(new MySqlSharedCommit(this));
    }

    /** {@link MasterSettings} checks that each commit forces the log. */
    @Override
    public boolean commitsAreDurable() {
        return true;
    }
}
