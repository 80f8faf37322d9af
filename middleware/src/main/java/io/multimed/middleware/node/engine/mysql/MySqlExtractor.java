package io.multimed.middleware.node.engine.mysql;

import io.multimed.middleware.extraction.Receipt;
import io.multimed.middleware.extraction.SingleFlight;
import io.multimed.middleware.extraction.WriteSetExtractor;
import io.multimed.middleware.writeset.WriteSet;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;

/** Seals and commits in one round trip: a procedure does both. */
final class MySqlExtractor implements WriteSetExtractor {
    @Override
    public Optional<WriteSet> sealAndCommit(Connection open, Receipt receipt) throws SQLException {
        try (Statement seal = open.createStatement()) {
            boolean changed =
                    seal.execute("CALL multimed.seal(%d, %d)".formatted(receipt.sessionId(), receipt.sequence()));
            Optional<WriteSet> writeSet = changed ? read(seal) : Optional.empty();
            Queries.finish(seal); // the COMMIT's own answer
            return writeSet;
        }
    }

    private static Optional<WriteSet> read(Statement seal) throws SQLException {
        try (ResultSet rows = seal.getResultSet()) {
            List<WriteSet> one = new WriteSetReader(rows).all();
            return Optional.of(one.get(0));
        }
    }

    @Override
    public Optional<SingleFlight> singleFlight() {
        return Optional.empty();
    }

    @Override
    public boolean commitsAreDurable() {
        return true;
    }
}
