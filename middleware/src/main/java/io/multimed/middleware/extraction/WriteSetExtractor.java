package io.multimed.middleware.extraction;

import io.multimed.middleware.writeset.WriteSet;
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
     * @return the WriteSet; nothing if the transaction changed nothing
     * @throws SQLException the transaction did not commit, unless the connection broke: then its outcome is unknown
     */
    Optional<WriteSet> sealAndCommit(Connection open, Receipt receipt) throws SQLException;

    /**
     * The same, where the engine can tell in that round trip what is left in the session, or take it away.
     *
     * @param fate says whether the client keeps the session; is told if something is held there
     */
    default Optional<WriteSet> sealAndCommit(Connection open, Receipt receipt, SessionFate fate) throws SQLException {
        return sealAndCommit(open, receipt);
    }

    /** Whether the engine lets a transaction write over what its snapshot does not show: then those that read first commit by {@link #sealCertified}. */
    default boolean mustCertify() {
        return false;
    }

    /**
     * As {@link #sealAndCommit}, if the certification says that the transaction may commit.
     *
     * @throws SQLException also 40001 if it may not; the transaction is open still then
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
    Optional<SingleFlight> singleFlight();

    /** How single statements of several clients are run, sealed and committed together; empty if the engine gains nothing by that. */
    default Optional<SharedFlight> sharedFlight() {
        return Optional.empty();
    }

    /** Whether a commit is on disk when {@link #sealAndCommit} returns; if not, the log must be forced before anybody is told. */
    boolean commitsAreDurable();
}
