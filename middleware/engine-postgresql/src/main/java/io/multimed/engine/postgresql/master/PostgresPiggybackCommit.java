package io.multimed.engine.postgresql.master;

import io.multimed.engine.extraction.PiggybackCommit;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.extraction.SessionFate;
import io.multimed.engine.writeset.WriteSet;
import java.sql.PreparedStatement;
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
            "\n; SELECT scn, rows::varchar(4000) AS rows, spill, pieces, xid, ddl, held::varchar(10) AS held"
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

    @Override
    public void bind(PreparedStatement statement, int parameters, Receipt receipt) throws SQLException {
        extractor.bind(statement, parameters + 1, receipt, false);
    }

    /**
     * Moves to the second result, the row of the seal; XX000 if there is none, because then the statement may have
     * committed alone.
     */
    @Override
    public Optional<WriteSet> writeSet(PreparedStatement executed, SessionFate fate) throws SQLException {
        if (!executed.getMoreResults()) {
            throw new SQLException("the statement was not sealed", "XX000");
        }
        return extractor.writeSet(executed, fate);
    }
}
