// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.group;

import io.multimed.engine.dialect.ErrorClassifier;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.extraction.SessionFate;
import io.multimed.engine.extraction.SharedCommit;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.server.node.ConnectionFailures;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Seals and commits the statements of one shared transaction, and reports the outcome to each of them (architecture
 * 4.6).
 *
 * <p>The outcomes are recorded as unknown before the COMMIT can be sent. They are replaced only when the engine has
 * reported the commit, or has confirmed the rollback. A failure in between, of whatever class, therefore cannot let a
 * committed statement run again. Used once, by one thread.
 */
final class SharedSeal {
    private static final Logger LOG = LoggerFactory.getLogger(SharedSeal.class);

    /** The SQLState of a commit whose outcome is unknown, and is then read from the master. */
    static final String OUTCOME_UNKNOWN = "08007";

    private final SharedCommit commit;
    private final ErrorClassifier errors;
    private final Connection connection;
    private final List<? extends Member> members;
    private final SessionFate fate = new SessionFate(false);
    private boolean usable;
    private boolean interrupted;
    private long checkNanos;
    private @Nullable WriteSet changes;

    /** A statement of the transaction that has run. */
    interface Member {
        Receipt receipt();

        /** Records that the COMMIT may be sent from now on: the outcome is unknown. */
        void commitBegins();

        /**
         * Records that the shared transaction is committed.
         *
         * @param writeSet null if the transaction changed nothing
         */
        void committed(@Nullable WriteSet writeSet);

        /**
         * Records that nothing of the statement's execution is or will be committed. The member then has no outcome.
         */
        void undone();

        /**
         * Records that the statement has failed; or that it is unknown whether the shared transaction is committed, if
         * the exception reports a broken connection.
         */
        void failedShared(SQLException cause);
    }

    /** The end of a shared transaction. */
    enum Result {
        COMMITTED,
        /** Nothing is committed: the engine has confirmed the rollback, or no COMMIT was sent. There is no outcome. */
        UNDONE,
        /** Nothing is committed, and the transaction is still open. No member has an outcome. */
        OPEN,
        /** The transaction may be committed. Each member reports that its outcome is unknown. */
        UNKNOWN
    }

    /** Ends the transaction in a way that differs from {@link SharedCommit#sealAndCommit}. */
    @FunctionalInterface
    interface Ending {
        /**
         * Returns what {@link SharedCommit#sealAndCommit} returns; empty if nothing is committed, and the transaction
         * is still open.
         */
        Optional<List<WriteSet>> run() throws SQLException;
    }

    /** @param members in the order of their execution; not empty */
    SharedSeal(SharedCommit commit, ErrorClassifier errors, Connection connection, List<? extends Member> members) {
        this.commit = commit;
        this.errors = errors;
        this.connection = connection;
        this.members = members;
    }

    /** @param tables as for {@link SharedCommit#sealAndCommit} */
    Result seal(Set<String> tables) {
        long begin = System.nanoTime();
        try {
            commit.check(connection, members.size(), tables);
        } catch (SQLException e) {
            return refused(e);
        }
        checkNanos = System.nanoTime() - begin;
        List<Receipt> receipts = members.stream().map(Member::receipt).toList();
        return seal(() -> Optional.of(commit.sealAndCommit(connection, receipts, tables, fate)));
    }

    Result seal(Ending ending) {
        members.forEach(Member::commitBegins);
        try {
            return commit(ending);
        } catch (RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
            LOG.error(
                    "the shared commit of {} statements failed; its outcome is read from the master",
                    members.size(),
                    e);
            return unknown(e); // maybe after the engine had committed
        }
    }

    private Result commit(Ending ending) {
        try {
            Optional<List<WriteSet>> writeSets = ending.run();
            if (writeSets.isEmpty()) {
                members.forEach(Member::undone);
                usable = true;
                return Result.OPEN;
            }
            committed(writeSets.get());
            usable = !fate.isHeld();
            return Result.COMMITTED;
        } catch (SQLException error) {
            SQLException e = ConnectionFailures.actualFailure(errors, connection, error);
            LOG.debug("the statements of a commit group could not be sealed together", e);
            interrupted = e.getCause() instanceof SQLException cause && errors.hasTimedOut(cause);
            if (errors.isConnectionFailure(e) || !rollBack()) {
                return unknown(e);
            }
            members.forEach(Member::undone);
            usable = true;
            return Result.UNDONE;
        }
    }

    /** Nothing was committed, because no COMMIT was sent: the engine rolls back, also when the connection breaks. */
    private Result refused(SQLException error) {
        SQLException e = ConnectionFailures.actualFailure(errors, connection, error);
        LOG.debug("the statements of a commit group may not share a transaction", e);
        interrupted = e.getCause() instanceof SQLException cause && errors.hasTimedOut(cause);
        usable = !errors.isConnectionFailure(e) && rollBack();
        members.forEach(Member::undone);
        return Result.UNDONE;
    }

    private void committed(List<WriteSet> writeSets) {
        for (int i = 0; i < members.size(); i++) {
            members.get(i).committed(writeSets.isEmpty() ? null : writeSets.get(i));
        }
        changes = writeSets.isEmpty() ? null : writeSets.get(0);
    }

    private boolean rollBack() {
        try {
            connection.rollback();
            return true;
        } catch (SQLException e) {
            LOG.debug("the statements of a commit group could not be rolled back", e);
            return false;
        }
    }

    private Result unknown(Throwable cause) {
        SQLException doubt =
                new SQLException("the outcome of the shared transaction is unknown: " + cause, OUTCOME_UNKNOWN, cause);
        members.forEach(member -> member.failedShared(doubt));
        return Result.UNKNOWN;
    }

    /** Returns whether the engine has reported that a cancel request, or a time limit, has interrupted the seal. */
    boolean wasInterrupted() {
        return interrupted;
    }

    /** Returns whether the connection may be used further; otherwise the caller discards it. */
    boolean leavesConnectionUsable() {
        return usable;
    }

    /** Returns the duration of the check that the transaction may be shared, which others wait for. */
    long checkNanos() {
        return checkNanos;
    }

    /** Returns the WriteSet with all changes; null if the transaction is not committed, or changed nothing. */
    @Nullable
    WriteSet changes() {
        return changes;
    }
}
