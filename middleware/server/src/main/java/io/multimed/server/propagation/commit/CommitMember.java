// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A transaction on the master that requests its commit. It holds its locks and its connection until {@link
 * #sealAndCommit}.
 */
public interface CommitMember {
    /** Runs a task on a thread of the master that may use this transaction's connection. */
    void submit(Runnable work);

    /** Returns whether {@link #sealAndCommit} may be called on any thread that may block. */
    boolean runsOnAnyThread();

    /**
     * Returns the role of the engine as which the member runs; null for the master's user. Members of different roles
     * share no transaction, and a role has a limited number of members in a group.
     */
    default @Nullable String role() {
        return null;
    }

    /**
     * Returns whether the member commits in one transaction with the other members of its group for which this is true:
     * see {@link #commitTogether}.
     */
    default boolean sharesTransaction() {
        return false;
    }

    /**
     * Returns whether all members of a group for which {@link #sharesTransaction} is true are passed to one call of
     * {@link #commitTogether}, because concurrent shared transactions could wait for each other.
     */
    default boolean sharesWithAll() {
        return false;
    }

    /**
     * Seals and commits several members at once. Called on the first of them, on one of its threads. Afterwards {@link
     * #sealAndCommit} of each member reports that member's outcome.
     *
     * @param members all members of the shared transaction, including this one; of several roles only if {@link
     *     #sharesWithAll} is true
     */
    default void commitTogether(List<CommitMember> members) {
        throw new UnsupportedOperationException("it commits alone");
    }

    /**
     * Seals the WriteSet under the next SCN and commits. Called once, on a thread of {@link #submit}.
     *
     * @return the WriteSet; empty if the transaction changed nothing
     * @throws SQLException if the transaction did not commit, or the connection broke
     */
    Optional<WriteSet> sealAndCommit() throws SQLException;

    /**
     * As {@link #sealAndCommit}, for the only member of a group: no other member waits for it, so that it may wait
     * for the disk itself. Then {@link #isDurable} returns true.
     */
    default Optional<WriteSet> sealAndCommitAsOnlyMember() throws SQLException {
        return sealAndCommit();
    }

    /**
     * Receives, before the commit, for how long the group has been committing. A member that can run outside of groups
     * then does so, instead of making all others wait still longer.
     */
    default void groupHasTaken(long nanos) {}

    /** Returns whether the commit has waited for the disk, so that the master's log need not be forced for it. */
    default boolean isDurable() {
        return false;
    }

    /**
     * Returns whether the WriteSet may remain on the master, where it is read together with those of the other members:
     * see {@link #commitUnread}.
     */
    default boolean mayCommitUnread() {
        return false;
    }

    /**
     * Commits without reading the WriteSet; called instead of {@link #sealAndCommit}.
     *
     * @return whether the transaction changed anything; if so, {@link #writeSetRead} is called later
     */
    default boolean commitUnread() throws SQLException {
        throw new UnsupportedOperationException("its WriteSet is read as it commits");
    }

    /**
     * Receives the WriteSet that had remained on the master, before it is published. Called on the publisher's thread;
     * must not block.
     */
    default void writeSetRead(WriteSet writeSet) {}

    /**
     * Returns the last known SCN of a transaction that bypassed the middleware; {@link Scn#ZERO} for all other members.
     */
    default Scn bypassedUpTo() {
        return Scn.ZERO;
    }

    /**
     * Returns whether the member must form a group of its own. A satellite shows nothing between two groups, and cannot
     * apply a new definition of a table in one transaction with other changes.
     */
    default boolean isAlone() {
        return false;
    }

    /** Returns whether the engine may run code of users in {@link #sealAndCommit}. */
    default boolean mayRunCode() {
        return false;
    }

    /** Returns the receipt that identifies this commit in the sealed WriteSets. */
    Receipt receipt();

    /**
     * Returns the engine's identifier of the session that commits; 0 before the commit begins. The session is ended if
     * its connection breaks.
     */
    int engineSession();

    /**
     * Asks the engine to cancel the commit, because all other commits wait for it. Called by another thread while the
     * member commits; may block for a short time. A member that is undone is then reported as failed with this cause.
     * No effect on members that limit their time themselves.
     */
    default void stop(SQLException cause) throws SQLException {}

    /**
     * Closes the connection of the member, whose outcome is then in doubt. Called as {@link #stop}, for a member that
     * does not obey.
     */
    default void breakOff(SQLException cause) throws SQLException {}

    /** Returns the cause for which the member was stopped; null if it was not. */
    default @Nullable SQLException stopped() {
        return null;
    }

    /**
     * Reports that the commit is durable and published, so that the client may be answered. Called on the publisher's
     * thread; must not block.
     */
    void published(Scn scn);

    /** Reports that the transaction did not commit. Called on the publisher's thread; must not block. */
    void failed(SQLException cause);

    /**
     * Reports that it is not known, and never will be, whether the transaction has committed: it must not run again.
     * Called on the publisher's thread; must not block.
     */
    default void unknown(SQLException cause) {
        failed(cause);
    }
}
