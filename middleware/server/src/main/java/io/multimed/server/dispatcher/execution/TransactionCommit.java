package io.multimed.server.dispatcher.execution;

import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.extraction.SealResult;
import io.multimed.engine.extraction.SessionFate;
import io.multimed.engine.extraction.WriteSetExtractor;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.server.node.ConnectionFailures;
import io.multimed.server.node.Lease;
import io.multimed.server.propagation.commit.CommitMember;
import java.sql.SQLException;
import java.util.Optional;

/** The commit of one client's transaction in the commit order. */
final class TransactionCommit implements CommitMember {
    private final Lease lease;
    private final Runnable settled;
    private final WriteSetExtractor extractor;
    private final Receipt receipt;
    private final SessionFate fate;
    private final boolean alone;
    private final Outcome outcome;

    /**
     * Read before the commit is sent, because a broken connection can no longer be asked. Written before the
     * publisher reads it.
     */
    private volatile int engineSession;

    /** Whether the commit has waited for the disk. Written before the publisher reads it. */
    private volatile boolean durable;

    /** Receives the outcome. Called on the publisher's thread unless stated otherwise; must not block. */
    interface Outcome {
        void committed(Scn scn);

        /**
         * Called after the commit with its changes, before any client is answered, on the committing thread or the
         * publisher's.
         */
        void changed(WriteSet writeSet);

        void failed(SQLException cause);
    }

    /**
     * @param settled called when the transaction has ended: returns the connection to the pool, or keeps it for the
     * client; runs on one of the node's threads and may block
     * @param fate the expected fate of the engine's session
     * @param alone whether the transaction must be a group of its own
     */
    TransactionCommit(
            Lease lease,
            Runnable settled,
            WriteSetExtractor extractor,
            Receipt receipt,
            SessionFate fate,
            boolean alone,
            Outcome outcome) {
        this.fate = fate;
        this.alone = alone;
        this.lease = lease;
        this.settled = settled;
        this.extractor = extractor;
        this.receipt = receipt;
        this.outcome = outcome;
    }

    @Override
    public void run(Runnable work) {
        lease.run(work);
    }

    @Override
    public boolean runsOnAnyThread() {
        return true;
    }

    @Override
    public boolean isAlone() {
        return alone;
    }

    /**
     * The connection is free as soon as COMMIT returns, before the commit is durable. The client is not answered yet.
     */
    @Override
    public Optional<WriteSet> sealAndCommit() throws SQLException {
        Optional<WriteSet> writeSet = end(() -> extractor.sealAndCommit(lease.connection(), receipt, fate));
        writeSet.ifPresent(outcome::changed);
        return writeSet;
    }

    @Override
    public Optional<WriteSet> sealAndCommitAsOnlyMember() throws SQLException {
        SealResult result = end(() -> extractor.sealAndCommitDurably(lease.connection(), receipt, fate));
        durable = result.durable();
        result.writeSet().ifPresent(outcome::changed);
        return result.writeSet();
    }

    @Override
    public boolean isDurable() {
        return durable;
    }

    @Override
    public boolean mayCommitUnread() {
        return extractor.canCommitUnread() && !alone;
    }

    @Override
    public boolean commitUnread() throws SQLException {
        return end(() -> extractor.commitUnread(lease.connection(), receipt));
    }

    @Override
    public void writeSetRead(WriteSet writeSet) {
        outcome.changed(writeSet);
    }

    @FunctionalInterface
    private interface End<T> {
        T run() throws SQLException;
    }

    private <T> T end(End<T> commit) throws SQLException {
        engineSession = lease.node().engine().session(lease.connection());
        try {
            T result = commit.run();
            lease.markTransactionEnded();
            return result;
        } catch (SQLException error) {
            SQLException e =
                    ConnectionFailures.actualFailure(lease.node().engine().dialect(), lease.connection(), error);
            if (lease.node().engine().dialect().isConnectionFailure(e)) {
                lease.discard(); // the session is ended to determine the outcome of the commit, even if it still
                // answers
            } else {
                rollBack();
            }
            throw e;
        } catch (RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
            lease.discard(); // the engine's driver may have left the connection between two messages
            throw e;
        } finally {
            settled.run();
        }
    }

    private void rollBack() {
        lease.markSessionChanged();
        try {
            lease.connection().rollback();
        } catch (SQLException e) {
            lease.discard();
        }
    }

    @Override
    public Receipt receipt() {
        return receipt;
    }

    @Override
    public int engineSession() {
        return engineSession;
    }

    @Override
    public void published(Scn scn) {
        outcome.committed(scn);
    }

    @Override
    public void failed(SQLException cause) {
        outcome.failed(cause);
    }
}
