package io.multimed.engine.mysql.master;

import io.multimed.engine.extraction.Certification;
import io.multimed.engine.extraction.PiggybackCommit;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.extraction.SharedCommit;
import io.multimed.engine.extraction.WriteSetExtractor;
import io.multimed.engine.mysql.connection.Connections;
import io.multimed.engine.mysql.connection.MySqlErrors;
import io.multimed.engine.mysql.connection.Queries;
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
 * Seals and commits in one round trip: a procedure does both. An order to stop a statement that comes late may meet it, and the engine may obey when the commit is done already:
 * then it must be found out, as after a broken connection.
 */
public final class MySqlExtractor implements WriteSetExtractor {
    /** Stopped by somebody, or because of a limit in MariaDB, in MySQL. */
    private static final Set<Integer> STOPPED = Set.of(1317, 1969, 3024);

    private static final String OUTCOME_UNKNOWN = "08007";

    private static final String OVERWRITTEN =
            "SELECT relation, before_row FROM multimed.captured WHERE transaction_id = %s AND kind = 'R' AND before_row IS NOT NULL LIMIT "
                    + SessionChanges.NO_LIMIT; // or the session's own limit applies

    private final boolean certifies;

    /** @param certifies whether the engine lets a transaction overwrite changes outside its snapshot */
    public MySqlExtractor(boolean certifies) {
        this.certifies = certifies;
    }

    @Override
    public Optional<WriteSet> sealAndCommit(Connection open, Receipt receipt) throws SQLException {
        return call(open, seal(receipt, true), (seal, rows) -> rows ? read(seal) : Optional.empty());
    }

    @Override
    public boolean canCommitUnread() {
        return true;
    }

    @Override
    public boolean commitUnread(Connection open, Receipt receipt) throws SQLException {
        return call(open, seal(receipt, false), (seal, rows) -> !rows);
    }

    @Override
    public boolean mustCertify() {
        return certifies;
    }

    @Override
    public Optional<WriteSet> sealCertified(Connection open, Receipt receipt, Certification certification)
            throws SQLException {
        Optional<WriteSet> sealed;
        try (Statement seal = open.createStatement()) {
            boolean rows = seal.execute(
                    "CALL multimed.seal(%d, %d, TRUE, FALSE)".formatted(receipt.sessionId(), receipt.sequence()));
            sealed = rows ? read(seal) : Optional.empty();
            Queries.finish(seal);
        }
        if (sealed.isPresent()) {
            certify(open, sealed.get(), certification);
        }
        return call(open, "COMMIT", (commit, rows) -> sealed);
    }

    /** Checks in the transaction's own snapshot which commits it includes: those whose receipts are visible. */
    private static void certify(Connection open, WriteSet sealed, Certification certification) throws SQLException {
        if (sealed.spill() != null) {
            tell(open, sealed.spill(), certification);
        }
        for (Change change : sealed.changes()) {
            if (change instanceof Change.RowChange row) {
                certification.wroteOver(row.relation(), row.before());
            }
        }
        Set<Scn> suspects = certification.suspects();
        if (!suspects.isEmpty() && shown(open, suspects) < suspects.size()) {
            throw new SQLTransactionRollbackException(
                    "Record has changed since last read: another transaction has committed a change; run this transaction again",
                    "40001",
                    MySqlErrors.RECORD_CHANGED);
        }
    }

    private static void tell(Connection open, Spill spill, Certification certification) throws SQLException {
        try (Statement statement = open.createStatement()) {
            statement.setFetchSize(Integer.MIN_VALUE); // selects row-by-row transfer in the driver
            String query = OVERWRITTEN.formatted(Long.toUnsignedString(spill.transaction()));
            try (ResultSet rows = statement.executeQuery(query)) {
                while (rows.next()) {
                    certification.wroteOver(rows.getLong(1), WriteSetReader.text(rows, "before_row"));
                }
            }
        }
    }

    private static long shown(Connection open, Set<Scn> suspects) throws SQLException {
        String scns = suspects.stream().map(scn -> String.valueOf(scn.value())).collect(Collectors.joining(","));
        return Queries.number(open, "SELECT COUNT(*) FROM multimed.sealed WHERE scn IN (" + scns + ")");
    }

    private static String seal(Receipt receipt, boolean told) {
        return "CALL multimed.seal(%d, %d, %b, TRUE)".formatted(receipt.sessionId(), receipt.sequence(), told);
    }

    /** Seals and commits what has a row in {@code multimed.sealed} already, under the first of so many SCNs. */
    static WriteSet sealTogether(Connection open, long first, int members) throws SQLException {
        String text = "CALL multimed.seal_together(%d, %d)".formatted(first, members);
        return call(open, text, (seal, rows) -> read(seal)).orElseThrow();
    }

    /** Makes something of the procedure's answer. */
    private interface AnswerReader<T> {
        /** @param rows whether there are any */
        T read(Statement seal, boolean rows) throws SQLException;
    }

    private static <T> T call(Connection open, String text, AnswerReader<T> reader) throws SQLException {
        try (Statement seal = open.createStatement()) {
            boolean rows = seal.execute(text);
            T answer = reader.read(seal, rows);
            Queries.finish(seal); // the COMMIT's own answer
            Connections.noteEnd(open);
            return answer;
        } catch (SQLException e) {
            if (STOPPED.contains(e.getErrorCode())) {
                throw inDoubt(e);
            }
            throw e;
        }
    }

    /**
     * Returns an error without the engine's error number: the outcome of the commit is unknown, and the statement must
     * not run again because of it.
     */
    static SQLException inDoubt(SQLException interruption) {
        return new SQLException("the commit was interrupted", OUTCOME_UNKNOWN, interruption);
    }

    /** @throws IllegalStateException if it cannot be read: the engine may have committed by then, and must be asked */
    private static Optional<WriteSet> read(Statement seal) {
        try (ResultSet rows = seal.getResultSet()) {
            List<WriteSet> one = new WriteSetReader(rows).all();
            return Optional.of(one.get(0));
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

    @Override
    public boolean commitsAreDurable() {
        return true;
    }
}
