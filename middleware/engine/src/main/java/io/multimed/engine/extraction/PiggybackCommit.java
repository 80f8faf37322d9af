package io.multimed.engine.extraction;

import io.multimed.engine.writeset.WriteSet;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Optional;

/**
 * A statement that changes rows and returns none, sealed and committed in the round trip in which it runs. The three happen together or not at all. Used with
 * connections in auto-commit.
 */
public interface PiggybackCommit {
    /** The statement together with its sealing, to be prepared and executed. */
    String text(String sql);

    /** @param parameters how many parameters the statement itself has, which are bound already */
    void bind(PreparedStatement statement, int parameters, Receipt receipt) throws SQLException;

    /**
     * Returns the WriteSet, after the statement's own update count was read; empty if the statement changed no row.
     *
     * @param fate of the connection's session, which no client keeps
     */
    Optional<WriteSet> writeSet(PreparedStatement executed, SessionFate fate) throws SQLException;
}
