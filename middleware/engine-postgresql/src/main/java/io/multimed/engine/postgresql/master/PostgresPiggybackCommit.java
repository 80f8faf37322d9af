package io.multimed.engine.postgresql.master;

import io.multimed.engine.extraction.PiggybackCommit;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.extraction.SealResult;
import io.multimed.engine.extraction.SessionFate;
import java.sql.PreparedStatement;
import java.sql.SQLException;

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
                    + " CASE WHEN ? THEN (" + PostgresExtractor.WAIT_FOR_DISK + ")::varchar(10) END AS durable"
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
     */
    @Override
    public SealResult result(PreparedStatement executed, SessionFate fate) throws SQLException {
        if (!executed.getMoreResults()) {
            throw new SQLException("the statement was not sealed", "XX000");
        }
        return extractor.result(executed, fate);
    }
}
