// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.extraction;

import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Seals and commits single statements of several clients, each of which changes rows and returns none, in one
 * transaction (architecture 4.6). The statements run one after the other. All statements that did not fail are
 * committed together, or none of them. No statement waits for locks of another one, and all share the cost of the
 * transaction's begin and end. Used with connections that have auto-commit off.
 */
public interface SharedCommit {
    /**
     * Checks, before the commit begins, that the statements that have run may share the transaction.
     *
     * @param statements number of the statements that have run
     * @param tables as for {@link #sealAndCommit}
     * @throws SQLException 0A000 if they must not: the transaction must be rolled back
     */
    default void check(Connection open, int statements, Set<String> tables) throws SQLException {}

    /**
     * Seals each statement under an SCN of its own, and commits.
     *
     * @param receipts of the statements that have run, in their order; not empty
     * @param tables the tables that the statements change, as they name them, if {@link #survivesErrors} is false
     * @param fate receives the session state that the engine reports; no client keeps the session
     * @return one WriteSet for each receipt, in the same order; empty if no statement has changed anything. The first
     *     WriteSet contains all changes: a read that waits for any of these SCNs sees them
     * @throws SQLException nothing was committed, unless the connection broke: then the outcome is unknown
     */
    List<WriteSet> sealAndCommit(Connection open, List<Receipt> receipts, Set<String> tables, SessionFate fate)
            throws SQLException;

    /**
     * Returns whether the engine undoes only a statement that fails, and continues the transaction. Otherwise a failure
     * undoes all statements, and each of them runs again alone; only {@link
     * io.multimed.engine.sql.Classification.Trait#SHAREABLE shareable} statements are sent, in few messages.
     */
    boolean survivesErrors();

    /**
     * Returns a message for several statements; empty if the engine takes statements one by one only. Afterwards the
     * connection may take several statements in any text, until {@link #separate}.
     */
    default Optional<JoinedStatements> join(Connection open) throws SQLException {
        return Optional.empty();
    }

    /**
     * Removes the key from the engine's session that a statement has generated, and that was not taken: the statement
     * has failed, or is undone.
     */
    default void forgetKey(Connection open) throws SQLException {}

    /** Makes the connection refuse several statements in one text, before a statement is sent alone. */
    default void separate(Connection open) throws SQLException {}

    /**
     * Asks the engine over another connection whether it waits for a request on this one. If the client waits for an
     * answer at the same time, none will come: a cancel request has met the engine between two statements of a message.
     */
    default boolean awaitsRequest(Connection open) throws SQLException {
        return false;
    }
}
