// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.execution;

import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.extraction.SealResult;
import io.multimed.engine.extraction.SessionFate;
import io.multimed.engine.extraction.WriteSetExtractor;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.server.dispatcher.statement.Cancellation;
import io.multimed.server.node.ConnectionFailures;
import io.multimed.server.node.Lease;
import io.multimed.server.propagation.commit.CommitMember;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The commit of one client's transaction in the commit order. All other commits wait until the engine has committed;
 * what follows, such as a rollback or a look at the session, does not delay them, but only the client's answer.
 */
final class TransactionCommit implements CommitMember {
    private final Lease lease;
    private final SqlDialect dialect;
    private final Runnable settled;
    private final WriteSetExtractor extractor;
    private final Receipt receipt;
    private final SessionFate fate;
    private final boolean alone;
    private final Outcome outcome;

    /** Keeps a request to stop the commit from reaching the next use of the connection. */
    private final Cancellation cancellation = new Cancellation();

    /** What the answer waits for: the publication, and the end of what follows the commit. */
    private final AtomicInteger awaited = new AtomicInteger(1);

    /** The answer; set before {@link #awaited} reaches 0. */
    private volatile Runnable answer = () -> {};

    private volatile @Nullable SQLException stopped;

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

        /** Called by the thread that stops the commit, because all other commits wait for it. */
        default void stopped() {}

        /** Returns whether the engine may run code of users in the commit. */
        default boolean mayRunCode() {
            return false;
        }

        /**
         * Called by the committing thread when the engine has ended its work for such a commit, or the connection has
         * broken; all other commits have waited since {@code begin}.
         *
         * @param begin by {@link System#nanoTime}
         */
        default void held(long begin) {}
    }

    /**
     * @param settled called when the transaction has ended: returns the connection to the pool, or keeps it for the
     * client; runs on one of the node's threads, and may block if the session is reviewed, or {@code alone}
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
        this.dialect = lease.node().engine().dialect();
        this.settled = settled;
        this.extractor = extractor;
        this.receipt = receipt;
        this.outcome = outcome;
    }

    @Override
    public void submit(Runnable work) {
        lease.submit(work);
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

    /** A commit in which code of users may run does not wait for the disk, so that its time is that of the code. */
    @Override
    public Optional<WriteSet> sealAndCommitAsOnlyMember() throws SQLException {
        if (mayRunCode()) {
            return sealAndCommit();
        }
        SealResult result = end(() -> extractor.sealAndCommitDurably(lease.connection(), receipt, fate));
        durable = result.durable();
        result.writeSet().ifPresent(outcome::changed);
        return result.writeSet();
    }

    @Override
    public boolean mayRunCode() {
        return outcome.mayRunCode();
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
        T result;
        try {
            result = stoppable(commit);
        } catch (SQLException error) {
            SQLException e = ConnectionFailures.actualFailure(dialect.errors(), lease.connection(), error);
            if (dialect.errors().isConnectionFailure(e)) {
                // the session is ended to determine the outcome of the commit, even if it still answers
                lease.discard();
                settled.run();
            } else {
                settleLater(this::undo);
            }
            throw ownFailure(e);
        } catch (RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
            lease.discard(); // the engine's driver may have left the connection between two messages
            settled.run();
            throw e;
        }
        if (!fate.isKept()) {
            lease.markReset(!fate.isUnchanged());
        }
        if (alone || fate.isReviewed() || cancellation.wasRequested()) {
            settleLater(this::review);
        } else {
            lease.markTransactionEnded();
            settled.run();
        }
        return result;
    }

    private <T> T stoppable(End<T> commit) throws SQLException {
        long begin = System.nanoTime();
        cancellation.begin(() -> dialect.streaming().cancel(lease.connection()));
        T result;
        try {
            result = commit.run();
        } catch (SQLException e) {
            if (dialect.errors().isConnectionFailure(e)) {
                cancellation.abandon();
            } else {
                cancellation.end();
            }
            throw e;
        } finally {
            if (mayRunCode()) {
                outcome.held(begin);
            }
        }
        cancellation.end();
        return result;
    }

    /** Returns the cause for which the commit was stopped, if the failure is the consequence. */
    private SQLException ownFailure(SQLException failure) {
        SQLException cause = stopped;
        if (cause == null || !dialect.errors().hasTimedOut(failure)) {
            return failure;
        }
        cause.initCause(failure);
        return cause;
    }

    /** Runs what follows the commit on another thread, so that the other members of the group do not wait for it. */
    private void settleLater(Runnable work) {
        awaited.incrementAndGet();
        lease.submit(() -> {
            try {
                work.run();
            } finally {
                answerIfDone();
            }
        });
    }

    private void review() {
        lease.markTransactionEnded();
        try {
            takeLateCancel();
        } catch (SQLException e) {
            lease.discard();
        }
        settled.run();
    }

    /** Keeps a request to stop this commit, which has arrived after its end, from the next statement. */
    private void takeLateCancel() throws SQLException {
        if (cancellation.wasRequested()) {
            dialect.streaming().takeLateCancel(lease.connection());
        }
    }

    private void undo() {
        lease.markSessionChanged();
        try {
            takeLateCancel();
            lease.connection().rollback();
        } catch (SQLException e) {
            lease.discard();
        }
        settled.run();
    }

    @Override
    public void stop(SQLException cause) throws SQLException {
        stopped = cause;
        outcome.stopped();
        cancellation.cancel();
    }

    @Override
    public void breakOff(SQLException cause) throws SQLException {
        stopped = cause;
        lease.connection().abort(Runnable::run);
    }

    @Override
    public @Nullable SQLException stopped() {
        return stopped;
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
        answer = () -> outcome.committed(scn);
        answerIfDone();
    }

    @Override
    public void failed(SQLException cause) {
        answer = () -> outcome.failed(cause);
        answerIfDone();
    }

    private void answerIfDone() {
        if (awaited.decrementAndGet() == 0) {
            answer.run();
        }
    }
}
