package io.multimed.server.propagation.commit;

import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** A transaction on the master that asks to commit. Until {@link #sealAndCommit} it holds its locks and its connection. */
public interface CommitMember {
    /** Runs work on a thread of the master where this transaction's connection may be used. */
    void run(Runnable work);

    /** Whether {@link #sealAndCommit} may as well be called on any thread that may block. */
    boolean runsOnAnyThread();

    /** Whether it commits in one transaction with others of its group that do: {@link #commitTogether}. */
    default boolean sharesTransaction() {
        return false;
    }

    /**
     * Seals and commits several members at once; called on the first of them, on one of its threads. {@link #sealAndCommit} of each says afterwards what became of it.
     *
     * @param members all of them, this one too
     */
    default void commitTogether(List<CommitMember> members) {
        throw new UnsupportedOperationException("it commits alone");
    }

    /**
     * Seals under the next SCN and commits; called once, on such a thread.
     *
     * @return nothing if it changed nothing
     * @throws SQLException it did not commit, or the connection broke
     */
    Optional<WriteSet> sealAndCommit() throws SQLException;

    /** Whether its WriteSet may be left on the master, to be read with others' of its group: {@link #commitUnread}. */
    default boolean mayCommitUnread() {
        return false;
    }

    /**
     * In place of {@link #sealAndCommit}.
     *
     * @return whether it changed anything; then {@link #writeSetRead} is called
     */
    default boolean commitUnread() throws SQLException {
        throw new UnsupportedOperationException("its WriteSet is read as it commits");
    }

    /** The WriteSet that was left on the master. Called on the publisher's thread before it is published, must not block. */
    default void writeSetRead(WriteSet writeSet) {}

    /** An SCN that a transaction is known to have committed under that bypassed the middleware; {@link Scn#ZERO} for all but those that tell of one. */
    default Scn bypassedUpTo() {
        return Scn.ZERO;
    }

    /** Whether it must be a group of its own: a satellite shows nothing between two groups, and cannot put a new form of a table into one transaction with other changes. */
    default boolean isAlone() {
        return false;
    }

    /** What names this commit in the sealed WriteSets. */
    Receipt receipt();

    /** Which of the master's sessions commits, by the engine's own number: ended, if its connection breaks. */
    int engineSession();

    /** The commit is durable and published; the client may be told. Called on the publisher's thread, must not block. */
    void published(Scn scn);

    /** The transaction did not commit. Called on the publisher's thread, must not block. */
    void failed(SQLException cause);
}
