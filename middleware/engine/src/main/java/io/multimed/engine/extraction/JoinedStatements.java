// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.extraction;

import io.multimed.engine.writeset.WriteSet;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Statements of several clients that are sent to the engine in one message, and run in sequence in the open transaction
 * (architecture 4.6). The engine stops at the first statement that fails. The answers are read one by one, as they
 * arrive. Used by one thread; an exception of class 08 makes the connection unusable.
 */
public interface JoinedStatements extends AutoCloseable {
    /**
     * The answer to one statement.
     *
     * @param rows number of rows that the statement has changed
     * @param reportsKey whether the statement may have changed the key that the session remembers
     * @param lastKey the key that the statement has made the session remember, if the message asked for it
     * @param complete whether the client needs nothing else; false if the statement has raised warnings, or reports a
     *     key although the message did not ask for it
     */
    record Answer(long rows, boolean reportsKey, Optional<String> lastKey, boolean complete) {}

    /** Returns a statement for {@link #add}. This object closes it, and may return it again for the same text. */
    PreparedStatement prepare(String sql) throws SQLException;

    /**
     * Adds a statement with its parameters.
     *
     * @param asksKey whether the message asks for the key that the statement makes the session remember
     * @return false if the statement must be sent alone: its end would not be clear within a longer text, under any
     *     setting of the session, or the message is full
     */
    boolean add(PreparedStatement bound, boolean asksKey) throws SQLException;

    /** Sends all statements that were added. Called once. */
    void send() throws SQLException;

    /**
     * Reads the answer to the next statement.
     *
     * @throws SQLException that of the statement. The statements behind it have not run, and there are no further
     *     answers
     */
    Answer next() throws SQLException;

    /** Returns whether {@link #sendAndSeal} may be called: there is one statement, of which no key is asked. */
    boolean canSeal();

    /**
     * Sends the only statement together with its seal and the COMMIT, instead of {@link #send}. The statement's answer
     * is read by {@link #next}. If the statement fails, nothing is sealed.
     */
    void sendAndSeal(Receipt receipt) throws SQLException;

    /**
     * Reads the answer to the seal, after {@link #next} has returned.
     *
     * @return the WriteSet; empty if nothing is committed and the transaction is open, because the statement has raised
     *     warnings or has changed no row. No row may be the effect of a cancel request
     * @throws SQLException nothing was committed, unless the connection broke: then the outcome is unknown
     */
    Optional<WriteSet> sealed() throws SQLException;

    /** Closes the prepared statements. The connection remains open. */
    @Override
    void close() throws SQLException;
}
