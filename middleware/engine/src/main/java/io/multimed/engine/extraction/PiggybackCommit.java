package io.multimed.engine.extraction;

import io.multimed.engine.writeset.WriteSet;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Runs, seals and commits a statement that changes rows and returns none, in one round trip (architecture 4.6). The
 * three steps happen together or not at all. Used with connections in auto-commit.
 */
public interface PiggybackCommit {
    /** Returns the text to prepare and execute: the statement together with its seal. */
    String text(String sql);

    /**
     * Binds the parameters of the seal.
     *
     * @param parameters number of parameters of the statement itself, which are bound already
     */
    void bind(PreparedStatement statement, int parameters, Receipt receipt) throws SQLException;

    /**
     * Returns the WriteSet, after the statement's own update count was read; empty if the statement changed no row.
     *
     * @param fate of the connection's session, which no client keeps
     */
    Optional<WriteSet> writeSet(PreparedStatement executed, SessionFate fate) throws SQLException;
}
