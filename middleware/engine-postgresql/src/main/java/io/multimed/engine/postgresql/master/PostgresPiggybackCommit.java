package io.multimed.engine.postgresql.master;

import io.multimed.engine.extraction.PiggybackCommit;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.extraction.SessionFate;
import io.multimed.engine.writeset.WriteSet;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Two statements in one message: PostgreSQL runs what comes between two Syncs as one transaction, without BEGIN and COMMIT.
 *
 * <p>pgjdbc puts a Sync of its own between them when it cannot tell that both answers fit its buffer, which would commit the first alone. So the first returns
 * no rows, and the seal's row has a bounded size by its declared type: the part of a WriteSet that is not spilled has at most 4,000 bytes.
 */
final class PostgresPiggybackCommit implements PiggybackCommit {
    private static final String SEAL =
            "\n; SELECT scn, rows::varchar(4000) AS rows, spill, pieces, xid, ddl, held::varchar(10) AS held"
                    + " FROM multimed.seal(?, ?, ?, ?, ?)";

    private final PostgresExtractor extractor;

    PostgresPiggybackCommit(PostgresExtractor extractor) {
        this.extractor = extractor;
    }

    @Override
    public String text(String sql) {
        return sql + SEAL; // on a line of its own: the statement may end with a comment
    }

    @Override
    public void bind(PreparedStatement statement, int parameters, Receipt receipt) throws SQLException {
        extractor.bind(statement, parameters + 1, receipt, false);
    }

    @Override
    public Optional<WriteSet> writeSet(PreparedStatement executed, SessionFate fate) throws SQLException {
        if (!executed.getMoreResults()) {
            throw new SQLException("the statement was not sealed", "XX000");
        }
        return extractor.writeSet(executed, fate);
    }
}
