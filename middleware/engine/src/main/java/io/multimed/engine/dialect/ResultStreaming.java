// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.dialect;

import io.multimed.engine.writeset.Scn;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** Cancels statements, joins reads, and closes results that arrive piece by piece. Stateless. */
public interface ResultStreaming {
    /**
     * Asks the engine to cancel the statement that runs on a connection, or the open result whose rows are being
     * fetched. Called from another thread; blocks.
     */
    void cancel(Connection connection) throws SQLException;

    /** Does the same for a statement, whose driver may report the cancellation in words of its own. */
    default void cancel(Statement running) throws SQLException {
        cancel(running.getConnection());
    }

    /**
     * Consumes a cancel request that the engine may have received after the end of the statement for which the request
     * was meant, and would apply to the next statement on the connection. Does nothing while a result is streamed,
     * which is then the statement for which it was meant.
     */
    default void takeLateCancel(Connection connection) throws SQLException {}

    /**
     * Prepares several executions of a read for one message. The connection is in auto-commit, and nothing else runs on
     * it until the message is closed.
     *
     * @param text that of {@link io.multimed.engine.sql.SqlReader#repeated} for the number of executions
     * @param parameters number of parameters of one execution
     */
    default JoinedReads joinReads(Connection connection, String text, int parameters) throws SQLException {
        return new RepeatedReads(connection, text, parameters);
    }

    /**
     * Returns an SCN up to which a satellite shows all commits to the next statement; {@link Scn#MAX} unless the
     * satellite applies the master's log by itself. The connection is in auto-commit.
     *
     * @throws SQLException also if the satellite does not follow a master any more
     */
    default Scn shown(Connection satellite) throws SQLException {
        return Scn.MAX;
    }

    /**
     * Returns whether a streamed result must be read completely, or closed, before another statement runs on its
     * connection.
     */
    default boolean streamsOneAtATime() {
        return false;
    }

    /**
     * Closes the result that is being streamed on a connection, if there is one and the engine's driver would otherwise
     * have to read it to its end first. Blocks, but not for the length of the result. Closes the connection if that
     * fails.
     */
    default void endStreaming(Connection connection) {}

    /** Does the same for a connection that will not be used again, without a request to the engine. */
    default void abandonStreaming(Connection connection) {}
}
