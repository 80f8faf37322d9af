package io.multimed.engine.postgresql.master;

import io.multimed.engine.extraction.PiggybackCommit;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.extraction.SessionFate;
import io.multimed.engine.writeset.WriteSet;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Runs a statement and its seal as one transaction (architecture 4.6). On a connection in auto-commit, PostgreSQL
 * treats all that arrives between two Sync messages as one implicit transaction, without BEGIN and COMMIT.
 *
 * <p>pgjdbc inserts a Sync between the statements if it cannot tell that both answers fit its buffer; the first
 * statement would then commit alone. Therefore the first statement must return no rows, and the row of the seal has a
 * bounded size by its declared type: the part of a WriteSet that is not spilled has at most 4,000 bytes.
 */
final class PostgresPiggybackCommit implements PiggybackCommit {
    private static final String SEAL =
            "\n; SELECT scn, rows::varchar(4000) AS rows, spill, pieces, xid, ddl, held::varchar(10) AS held,"
                    + " CASE WHEN ? AND current_setting('synchronous_standby_names') = ''"
                    + " THEN set_config('synchronous_commit', 'local', true)::varchar(10) END AS durable"
                    + " FROM multimed.seal(?, ?, ?, ?, ?)";

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

    /**
     * Moves to the second result, the row of the seal; XX000 if there is none, because then the statement may have
     * committed alone.
     *
     * @throws IllegalStateException if the row cannot be read: by then the transaction has committed, and the caller
     *     must ask the master for the outcome
     */
    @Override
    public Result result(PreparedStatement executed, SessionFate fate) throws SQLException {
        if (!executed.getMoreResults()) {
            throw new SQLException("the statement was not sealed", "XX000");
        }
        try (ResultSet sealed = executed.getResultSet()) {
            Optional<WriteSet> writeSet = extractor.writeSet(executed, sealed, fate);
            return new Result(writeSet, sealed.getString("durable") != null);
        } catch (SQLException e) {
            throw new IllegalStateException("the answer of a commit cannot be read: " + e.getMessage(), e);
        }
    }
}
