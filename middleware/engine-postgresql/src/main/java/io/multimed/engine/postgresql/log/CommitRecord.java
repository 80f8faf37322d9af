// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.log;

import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.extraction.SessionFate;
import io.multimed.engine.postgresql.master.PostgresExtractor;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.postgresql.PGConnection;

/**
 * What a transaction records at its end: a receipt, or nothing where nothing may be written. Also restores the initial
 * state of the session, unless the client keeps the session. Everything happens in plain statements, in the message of
 * the COMMIT, which runs what is deferred. Names are qualified: the client's search_path applies. Thread-safe.
 */
public abstract class CommitRecord {
    /** Limits the waits of deferred triggers: all other commits wait meanwhile. */
    private static final String LIMIT = "pg_catalog.set_config('lock_timeout', '3s', true)::pg_catalog.varchar(10)";

    /** Selects a value if the session has state that {@link #RESET} does not remove. */
    private static final String HELD =
            "CASE WHEN pg_catalog.pg_my_temp_schema() OPERATOR(pg_catalog.<>) 0::pg_catalog.oid"
                    + " OR pg_catalog.current_setting('role') OPERATOR(pg_catalog.<>) 'none'"
                    + " THEN 'state'::pg_catalog.varchar(10) END AS held, " + LIMIT;

    /** Preserves the time zone, which belongs to the driver. */
    private static final String RESET =
            "; RESET ALL; SELECT pg_catalog.set_config('TimeZone', ?, false)::pg_catalog.varchar(200), %s,"
                    + " pg_catalog.pg_advisory_unlock_all(); UNLISTEN *; DISCARD SEQUENCES";

    /** The engine refuses the statement, and what follows, in a transaction that has failed. */
    private static final String WAIT_FOR_DISK = "SET LOCAL synchronous_commit = local; ";

    /** Follows the COMMIT, which has waited for the disk unless it must wait for standbys. */
    private static final String POSITION = "; SELECT " + Positions.number("pg_catalog.pg_current_wal_flush_lsn()")
            + " AS position, pg_catalog.current_setting('synchronous_standby_names') OPERATOR(pg_catalog.=) '' AS durable";

    /**
     * Selects, as its first column {@code changed}, whether the transaction has changed anything, and, as {@code ddl},
     * whether it contains DDL, with {@link #parameters()} parameters.
     *
     * @param held another column
     */
    abstract String state(String held);

    /** Returns the number of parameters of {@link #state}. */
    abstract int parameters();

    abstract void bindState(PreparedStatement statement, int first, List<Receipt> receipts) throws SQLException;

    /**
     * Fails with 0A000 if the change of one of the tables may run code of users. The transaction holds its locks on the
     * tables, which keep others from adding a trigger or a constraint before the commit.
     */
    abstract void requireShareable(Connection open, Set<String> tables) throws SQLException;

    /** As {@link io.multimed.engine.extraction.WriteSetExtractor#prepareCommit}. */
    abstract boolean prepare(Connection open) throws SQLException;

    /** Returns whether the master has a receipt of each commit, and what Multimed installs with them. */
    abstract boolean isWritten();

    /** Returns the text that the commit begins with, to hide parameters from the user of the session. */
    abstract String prefix(Connection open) throws SQLException;

    /** Returns whether the user of the session may record the commit of a transaction by {@link #rows}. */
    abstract boolean recordsRows(Connection open) throws SQLException;

    /**
     * Returns the statement that records the commit of a transaction which has only changed rows, with a semicolon
     * behind it; empty for none. The parameters are those of {@link #bindRows}.
     */
    abstract String rows();

    abstract void bindRows(PreparedStatement statement, int first, List<Receipt> receipts) throws SQLException;

    /**
     * Commits a transaction that has only read and changed rows, without code of users: nothing runs at the COMMIT, and
     * nothing of the session has to be restored.
     *
     * @param waits whether the COMMIT waits for the disk
     */
    final WriteSet commitRows(Connection open, List<Receipt> receipts, SessionFate fate, boolean waits)
            throws SQLException {
        String before = rowsAnd(fate) + (waits ? WAIT_FOR_DISK : "");
        if (before.isEmpty()) {
            open.commit();
        } else {
            try (PreparedStatement commit = open.prepareStatement(before + "COMMIT")) {
                bindRows(commit, 1, receipts);
                PostgresExtractor.execute(commit, false);
            }
        }
        return WriteSet.inLog(false);
    }

    /** Returns the text of {@link #commitRows} for a commit that waits for the disk, and then tells its position. */
    final String commitRowsDurably(SessionFate fate) {
        return rowsAnd(fate) + WAIT_FOR_DISK + "COMMIT" + POSITION;
    }

    /** Returns {@link #rows}, and what makes the session forget values of sequences. */
    private String rowsAnd(SessionFate fate) {
        return fate.takesSequenceValues() ? rows() + "DISCARD SEQUENCES; " : rows();
    }

    /** Returns the text of a commit. */
    final String commit(Connection open, boolean keep) throws SQLException {
        return prefix(open) + state(HELD) + (keep ? "" : RESET.formatted(LIMIT)) + "; COMMIT";
    }

    /** Returns the text of a commit that waits for the disk, and then tells its position in the log. */
    final String commitDurably(Connection open, boolean keep) throws SQLException {
        String settings = LIMIT + ", " + PostgresExtractor.WAIT_FOR_DISK;
        String reset = keep ? "; SELECT " + settings : RESET.formatted(settings);
        return prefix(open) + state(HELD) + reset + "; COMMIT" + POSITION;
    }

    /** Returns the text that follows a statement in one implicit transaction. */
    final String behindStatement() {
        // on a new line: the statement may end with a comment
        return "\n; " + state("?::pg_catalog.bool AS alone, " + HELD) + RESET.formatted(LIMIT);
    }

    /** Binds the parameters of {@link #commit}. */
    final void bind(PreparedStatement statement, int first, List<Receipt> receipts, boolean keep) throws SQLException {
        bindState(statement, first, receipts);
        if (!keep) {
            String zone = statement.getConnection().unwrap(PGConnection.class).getParameterStatus("TimeZone");
            statement.setString(first + parameters(), zone);
        }
    }

    /**
     * Binds the parameters of {@link #behindStatement}.
     *
     * @param alone whether no other commit waits for the same force of the log
     */
    final void bindBehind(PreparedStatement statement, int first, Receipt receipt, boolean alone) throws SQLException {
        statement.setBoolean(first, alone);
        bind(statement, first + 1, List.of(receipt), false);
    }

    /** Returns the only row of the next result of the message whose first column has this name. */
    static ResultSet row(PreparedStatement executed, String column) throws SQLException {
        ResultSet row = result(executed, column);
        row.next();
        return row;
    }

    /** Returns the next result of the message whose first column has this name. */
    static ResultSet result(PreparedStatement executed, String column) throws SQLException {
        while (true) {
            ResultSet rows = executed.getResultSet();
            if (rows != null
                    && !rows.isClosed()
                    && rows.getMetaData().getColumnLabel(1).equals(column)) {
                return rows;
            }
            if (!executed.getMoreResults() && executed.getUpdateCount() < 0) {
                throw new SQLException("no commit was recorded", "XX000");
            }
        }
    }

    /** Reads the row; empty if the transaction has changed nothing. */
    static Optional<WriteSet> read(Connection connection, ResultSet row, SessionFate fate) throws SQLException {
        if (!fate.isKept() && (row.getString("held") != null || PostgresExtractor.isAnotherUsers(connection))) {
            fate.hold();
        }
        return row.getBoolean("changed") ? Optional.of(WriteSet.inLog(row.getBoolean("ddl"))) : Optional.empty();
    }
}
