// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.master;

import io.multimed.engine.extraction.PiggybackCommit;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.extraction.SealResult;
import io.multimed.engine.extraction.SessionFate;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;

/**
 * Runs a statement and its seal as one transaction (architecture 4.6). On a connection in auto-commit, PostgreSQL
 * treats all that arrives between two Sync messages as one implicit transaction, without BEGIN and COMMIT.
 *
 * <p>pgjdbc inserts a Sync between the statements if it cannot tell that both answers fit its buffer; the first
 * statement would then commit alone. Therefore the first statement must return no rows, and the row of the seal has a
 * bounded size by its declared type: the part of a WriteSet that is not spilled has at most 4,000 bytes.
 */
final class PostgresPiggybackCommit implements PiggybackCommit {
    /** The columns of the seal, up to the first parameter: whether the commit waits for the disk. */
    private static final String COLUMNS =
            " SELECT scn, rows::varchar(4000) AS rows, spill, pieces, xid, ddl, held::varchar(10) AS held,"
                    + " CASE WHEN ? THEN (" + PostgresExtractor.WAIT_FOR_DISK + ")::varchar(10) END AS durable";

    private static final String SEAL = "\n;" + COLUMNS + " FROM multimed.seal(?, ?, ?, ?, ?)";

    private final PostgresExtractor extractor;

    PostgresPiggybackCommit(PostgresExtractor extractor) {
        this.extractor = extractor;
    }

    /** The seal begins on a new line, because the statement may end with a line comment. */
    @Override
    public String text(String sql) {
        return sql + SEAL; // on a new line: the statement may end with a comment
    }

    /** The commit does not wait for synchronous standbys, and is therefore never durable if there are any. */
    @Override
    public void bind(PreparedStatement statement, int parameters, Receipt receipt, boolean durable)
            throws SQLException {
        statement.setBoolean(parameters + 1, durable);
        extractor.bind(statement, parameters + 2, receipt, false);
    }

    @Override
    public SealResult result(PreparedStatement executed, SessionFate fate) throws SQLException {
        requireNext(executed);
        return extractor.result(executed, fate);
    }

    /**
     * Moves to the next result, which has rows; XX000 if there is none, because then the statement may have committed
     * alone.
     */
    private static void requireNext(PreparedStatement executed) throws SQLException {
        if (!executed.getMoreResults()) {
            throw new SQLException("the statement was not sealed", "XX000");
        }
    }

    @Override
    public Optional<PiggybackCommit> forRole(Set<String> tables) {
        return Optional.of(new OfRole(tables.toArray(new String[0])));
    }

    /**
     * The same in the session of a role. As with {@link PostgresExtractor#HIDE_PARAMETERS}, no error contains the
     * parameters of the seal; a function sets this, because SET LOCAL would raise a warning outside of a block. The
     * seal first checks that the tables have no code of users.
     */
    private final class OfRole implements PiggybackCommit {
        private static final String SEAL =
                "\n; SELECT pg_catalog.set_config('log_parameter_max_length_on_error', '0', true)::varchar(10);"
                        + COLUMNS + " FROM multimed.seal_shared(ARRAY[?::bigint], ARRAY[?::int], ?, ?, ?)";

        private final String[] tables;

        OfRole(String[] tables) {
            this.tables = tables;
        }

        @Override
        public String text(String sql) {
            return sql + SEAL;
        }

        @Override
        public void bind(PreparedStatement statement, int parameters, Receipt receipt, boolean durable)
                throws SQLException {
            PostgresExtractor.parseAgain(statement);
            statement.setBoolean(parameters + 1, durable);
            statement.setLong(parameters + 2, receipt.sessionId());
            statement.setInt(parameters + 3, receipt.sequence());
            statement.setArray(parameters + 4, statement.getConnection().createArrayOf("text", tables));
            statement.setLong(parameters + 5, extractor.highest());
            statement.setLong(parameters + 6, extractor.epoch());
        }

        @Override
        public SealResult result(PreparedStatement executed, SessionFate fate) throws SQLException {
            requireNext(executed);
            return PostgresPiggybackCommit.this.result(executed, fate);
        }
    }
}
