// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.extraction;

import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/** Ends a transaction on the master. Implementations are stateless and may be called on many connections at once. */
public interface WriteSetExtractor {
    /**
     * Does what the engine would do at the commit, as far as it may wait for other transactions or take long: checks
     * deferred constraints, and runs deferred triggers. Called before the transaction joins the commit order, if one of
     * its statements {@link io.multimed.engine.sql.Classification.Trait#MAY_DEFER may have left} such work. May wait as
     * long as the engine's own COMMIT.
     *
     * @return whether the transaction must be sealed; otherwise it has changed nothing, and may commit by itself
     * @throws SQLException the transaction cannot commit, and must be rolled back
     */
    default boolean prepareCommit(Connection open) throws SQLException {
        return true;
    }

    /**
     * Returns whether code of users may run inside the commit although {@link #prepareCommit} has run: a trigger may
     * defer itself again.
     */
    default boolean mayRunCode() {
        return false;
    }

    /**
     * Returns whether {@link #prepareCommit} must be called because of the size of the transaction.
     *
     * @param rows number of rows that its statements have changed, as far as the engine has reported it
     */
    default boolean mustPrepare(long rows) {
        return false;
    }

    /**
     * Extracts the open transaction's WriteSet, seals it under the next SCN, and commits, in one round trip if the
     * engine can. The SCN is assigned while the transaction holds all its locks. After the return, the commit is
     * visible on the master and its locks are released; {@link #commitsAreDurable()} states whether it is also on disk.
     *
     * @param receipt is sealed with the WriteSet, and identifies the commit if its outcome becomes unknown
     * @return the WriteSet; empty, or a WriteSet without changes, if the transaction changed nothing
     * @throws SQLException the transaction did not commit, unless the connection broke: then its outcome is unknown
     */
    Optional<WriteSet> sealAndCommit(Connection open, Receipt receipt) throws SQLException;

    /**
     * Does the same, for an engine that can report or reset session state in the same round trip.
     *
     * @param fate states whether the client keeps the session; receives the state that the engine reports
     */
    default Optional<WriteSet> sealAndCommit(Connection open, Receipt receipt, SessionFate fate) throws SQLException {
        return sealAndCommit(open, receipt);
    }

    /**
     * Returns whether the commit of a transaction that has only changed rows does not restore the initial state of the
     * session: see {@link SessionFate#unchanged}.
     */
    default boolean leavesSessions() {
        return false;
    }

    /** Does the same, and waits for the disk if the engine can do this in the same message. */
    default SealResult sealAndCommitDurably(Connection open, Receipt receipt, SessionFate fate) throws SQLException {
        return new SealResult(sealAndCommit(open, receipt, fate), false);
    }

    /**
     * Returns whether the engine permits a transaction to overwrite changes outside its snapshot. Transactions that
     * read before they write then commit by {@link #sealCertified}.
     */
    default boolean mustCertify() {
        return false;
    }

    /** Tells the certification the rows that the transaction has overwritten: as many as it has changed. */
    default void reportOverwritten(Connection open, Certification certification) throws SQLException {
        throw new UnsupportedOperationException("this engine detects conflicts with a snapshot itself");
    }

    /**
     * Does the same as {@link #sealAndCommit} if the certification permits the commit.
     *
     * @param told whether {@link #reportOverwritten} was called; otherwise the overwritten rows are read now
     * @throws SQLException also 40001 if the certification does not permit the commit; the transaction is still open
     *     then
     */
    default Optional<WriteSet> sealCertified(
            Connection open, Receipt receipt, Certification certification, boolean told) throws SQLException {
        throw new UnsupportedOperationException("this engine detects conflicts with a snapshot itself");
    }

    /** Returns whether {@link #commitUnread} is supported, and cheaper where several transactions commit at once. */
    default boolean canCommitUnread() {
        return false;
    }

    /**
     * Does the same as {@link #sealAndCommit}, without reading the WriteSet: the caller reads it from the master
     * afterwards, by its receipt.
     *
     * @return whether the transaction has a WriteSet
     */
    default boolean commitUnread(Connection open, Receipt receipt) throws SQLException {
        throw new UnsupportedOperationException("this engine reads each WriteSet as it commits");
    }

    /** Returns the way to run, seal and commit a single statement in one round trip; empty if the engine has none. */
    Optional<PiggybackCommit> piggybackCommit();

    /**
     * Returns the way to run, seal and commit single statements of several clients together; empty if the engine gains
     * nothing by it.
     */
    default Optional<SharedCommit> sharedCommit() {
        return Optional.empty();
    }

    /**
     * Returns whether a commit is on disk when {@link #sealAndCommit} returns. If not, the log must be forced before
     * the commit is acknowledged or published.
     */
    boolean commitsAreDurable();
}
