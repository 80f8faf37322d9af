package io.multimed.engine.extraction;

import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/** Ends a transaction on the master. Implementations are stateless and may be called on many connections at once. */
public interface WriteSetExtractor {
    /**
     * Extracts the open transaction's WriteSet, seals it under the next SCN, and commits, in one round trip if the engine can. The SCN is taken while the
     * transaction holds all its locks. When this returns, the commit is visible on the master and its locks are released; whether it is durable is told
     * by {@link #commitsAreDurable()}.
     *
     * @return the WriteSet; empty, or a WriteSet without changes, if the transaction changed nothing
     * @throws SQLException the transaction did not commit, unless the connection broke: then its outcome is unknown
     */
    Optional<WriteSet> sealAndCommit(Connection open, Receipt receipt) throws SQLException;

    /**
     * The same, for an engine that can report or reset session state in the same round trip.
     *
     * @param fate tells whether the client keeps the session; receives the state that the engine reports
     */
    default Optional<WriteSet> sealAndCommit(Connection open, Receipt receipt, SessionFate fate) throws SQLException {
        return sealAndCommit(open, receipt);
    }

    /**
     * Whether the engine lets a transaction overwrite changes outside its snapshot. Transactions that read before they
     * write then commit by {@link #sealCertified}.
     */
    default boolean mustCertify() {
        return false;
    }

    /**
     * The same as {@link #sealAndCommit}, if the certification permits the commit.
     *
     * @throws SQLException also 40001 if it does not; the transaction is still open then
     */
    default Optional<WriteSet> sealCertified(Connection open, Receipt receipt, Certification certification)
            throws SQLException {
        throw new UnsupportedOperationException("this engine detects conflicts with a snapshot itself");
    }

    /** Whether {@link #commitUnread} is there, and cheaper where several transactions commit at once. */
    default boolean canCommitUnread() {
        return false;
    }

    /**
     * As {@link #sealAndCommit}, but the WriteSet is not read: it must be found on the master afterwards, by its receipt.
     *
     * @return whether there is one
     */
    default boolean commitUnread(Connection open, Receipt receipt) throws SQLException {
        throw new UnsupportedOperationException("this engine reads each WriteSet as it commits");
    }

    /** How a single statement is run, sealed and committed in one round trip; empty if the engine cannot. */
    Optional<PiggybackCommit> piggybackCommit();

    /** How single statements of several clients are run, sealed and committed together; empty if the engine gains nothing by that. */
    default Optional<SharedCommit> sharedCommit() {
        return Optional.empty();
    }

    /** Whether a commit is on disk when {@link #sealAndCommit} returns; if not, the log must be forced before anybody is told. */
    boolean commitsAreDurable();
}
