// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.extraction;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;

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
     * @param durable whether the commit waits for the disk, if the engine can do this in the same message
     */
    void bind(PreparedStatement statement, int parameters, Receipt receipt, boolean durable) throws SQLException;

    /**
     * Returns the result, after the statement's own update count was read.
     *
     * @param fate of the connection's session, which no client keeps
     */
    SealResult result(PreparedStatement executed, SessionFate fate) throws SQLException;

    /**
     * Returns the same for the connections of {@link io.multimed.engine.Engine#connectGroup}: it keeps secrets of the
     * middleware from the session's user, and fails with 0A000 if the change of a table may have run code of users.
     *
     * @param tables that the statement changes, as the statement names them
     */
    default Optional<PiggybackCommit> forRole(Set<String> tables) {
        return Optional.empty();
    }

    /** Returns the way that costs less for statements that only change rows; empty if the engine has none. */
    default Optional<RowsCommit> ofRows(Connection connection) throws SQLException {
        return Optional.empty();
    }
}
