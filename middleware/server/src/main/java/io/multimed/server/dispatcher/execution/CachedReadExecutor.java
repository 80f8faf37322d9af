// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.execution;

import io.multimed.engine.writeset.Scn;
import io.multimed.protocol.session.Route;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.server.dispatcher.cache.CacheableRead;
import io.multimed.server.dispatcher.read.ShortRead;
import io.multimed.server.dispatcher.request.ErrorReports;
import io.multimed.server.dispatcher.request.Reply;
import io.multimed.server.dispatcher.request.StatementTask;
import io.multimed.server.dispatcher.session.ClientContext;
import io.multimed.server.dispatcher.session.TransactionState;
import io.multimed.server.dispatcher.statement.Cancellation;
import io.multimed.server.dispatcher.statement.StatementRunner.Encoded;
import io.multimed.server.node.Lease;
import io.multimed.server.observation.Phase;
import io.multimed.server.observation.PhaseClock;
import io.multimed.server.propagation.freshness.Dependencies;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers one client's reads from the result cache, or with the result of an equal read that an engine runs already
 * (architecture 4.8). Methods do not block. Used by one thread at a time.
 */
final class CachedReadExecutor {
    /**
     * How often a read waits for an equal one. The first one may have begun too early; the second one begins later than
     * this read, and its result includes everything that this read needs.
     */
    private static final int WAITS = 2;

    /** Later than any result. */
    private static final Scn NO_LAG = new Scn(Long.MAX_VALUE);

    private final ServerContext server;
    private final TransactionState transaction;
    private final ReadFailures failures;
    private final PhaseClock clock;

    /** Runs a read that the cache does not answer. */
    @FunctionalInterface
    interface Miss {
        void missed(StatementTask task, ReadPosition position);
    }

    CachedReadExecutor(ClientContext client, ServerContext server, ReadFailures failures) {
        this.server = server;
        this.failures = failures;
        this.clock = client.clock();
        this.transaction = client.transaction();
    }

    /**
     * Runs a read that stands alone, or a statement of a read-only transaction that has not begun on a node yet.
     *
     * @param miss runs the read if it is not answered; at once, or after a wait for an equal read
     */
    void readFromCache(StatementTask task, ReadPosition position, Miss miss) {
        ShortRead read = task.work().shortRead();
        CacheableRead cacheable = read == null ? null : read.cacheable();
        boolean alone = task.standsAlone();
        if (read == null || cacheable == null || !(alone || mayBeginLater(task))) {
            miss.missed(task, position);
            return;
        }
        boolean acceptsLag = task.classification().hints().freshness() != null && alone;
        Encoded kept = cacheable.find(acceptsLag ? position.acceptable() : NO_LAG);
        if (kept != null) {
            answer(task, read, kept, position.includes(), miss);
        } else if (alone) {
            runOnce(
                    new Execution(
                            task,
                            read,
                            cacheable,
                            position.includes(),
                            acceptsLag ? position.acceptable() : position.includes(),
                            miss),
                    position,
                    WAITS);
        } else {
            miss.missed(task, position);
        }
    }

    /**
     * Returns whether a transaction may begin on a node after its first answers. Its snapshot is then taken later than
     * these answers, which the engine's READ COMMITTED permits. An isolation level that the application did not request
     * is the engine's default.
     */
    private boolean mayBeginLater(StatementTask task) {
        return task.mode().isolation() == 0
                && server.masterIsolation() == Connection.TRANSACTION_READ_COMMITTED
                && !transaction.modes().isBegun();
    }

    /**
     * A read without a kept result.
     *
     * @param includes the published SCN when the read began
     * @param needed the SCN up to which the result must include all changes
     * @param miss runs the read
     */
    private record Execution(
            StatementTask task, ShortRead read, CacheableRead cacheable, Scn includes, Scn needed, Miss miss) {}

    private void answer(StatementTask task, ShortRead read, Encoded kept, Scn scn, Miss miss) {
        if (server.selector().isFresh()) {
            transaction.setRoute(Route.CACHED);
            task.reply()
                    .send(read.answerKept(kept)
                            .withStatus(
                                    task.standsAlone() && !task.beforeBegin()
                                            ? transaction.status(SessionStatus.NO_NODE, scn.value())
                                            : transaction.statusBeforeBegin(SessionStatus.NO_NODE, scn.value())));
        } else {
            miss.missed(task, server.readPosition(task));
        }
    }

    /**
     * Answers a later statement of a read-only transaction with a kept result. Returns false if there is none that the
     * snapshot of the transaction shows.
     */
    boolean answerInTransaction(Lease lease, StatementTask task) {
        ShortRead read = task.work().shortRead();
        if (lease.isRevoked() || transaction.hasFailed() || transaction.mayHaveSettings() || read == null) {
            return false;
        }
        CacheableRead cacheable = read.cacheable();
        Encoded kept = cacheable == null ? null : cacheable.findIn(transaction.seen());
        if (kept == null) {
            return false;
        }
        lease.touch();
        Dependencies dependencies = task.tracked();
        if (dependencies != null) {
            transaction.track(dependencies);
        }
        transaction.setRoute(Route.CACHED);
        task.reply()
                .send(read.answerKept(kept)
                        .withStatus(transaction.status(lease.node().ordinal(), 0)));
        return true;
    }

    /** Waits for an equal read that runs already, or runs the read. */
    private void runOnce(Execution execution, ReadPosition position, int waits) {
        if (waits == 0) {
            execution.miss.missed(execution.task, position);
            return;
        }
        Wait wait = new Wait(execution, waits);
        try {
            if (wait.begin()) {
                return;
            }
        } catch (SQLException e) {
            failures.canceled(execution.task);
            return;
        }
        if (execution.read.cancellation().wasRequested()) {
            execution.cacheable.ended();
            failures.canceled(execution.task);
        } else {
            runForOthers(execution, position);
        }
    }

    private void runForOthers(Execution execution, ReadPosition position) {
        StatementTask task = execution.task;
        Reply reply = response -> {
            try {
                task.reply().send(response);
            } finally {
                execution.cacheable.ended();
            }
        };
        boolean accepted = false;
        try {
            execution.miss.missed(task.withReply(reply), position);
            accepted = true;
        } finally {
            if (!accepted) {
                execution.cacheable.ended();
            }
        }
    }

    /** The wait of a read for an equal one, which the client can cancel. */
    private final class Wait implements CacheableRead.Waiter {
        private final Execution execution;
        private final int waits;
        private volatile @Nullable BooleanSupplier leave;

        Wait(Execution execution, int waits) {
            this.execution = execution;
            this.waits = waits;
        }

        /**
         * Begins the wait. Returns false if the read must run itself.
         *
         * @throws SQLException if the client has canceled the read
         */
        boolean begin() throws SQLException {
            clock.enter(Phase.QUEUE);
            Cancellation cancellation = execution.read.cancellation();
            cancellation.beginUnlessCanceled(this::cancel);
            BooleanSupplier leaving = execution.cacheable.await(this);
            leave = leaving;
            if (leaving != null && cancellation.wasRequested()) {
                cancel(); // the request came before it could end the wait
            }
            return leaving != null;
        }

        private void cancel() {
            BooleanSupplier leaving = leave;
            if (leaving != null && leaving.getAsBoolean()) {
                failures.canceled(execution.task);
            }
        }

        @Override
        public Scn needed() {
            return execution.needed;
        }

        @Override
        public void ended(@Nullable Encoded result) {
            try {
                finish(result);
            } catch (RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
                failures.report(
                        execution.task, new IllegalStateException(e), ErrorReports.MIDDLEWARE, SessionStatus.NO_NODE);
            }
        }

        private void finish(@Nullable Encoded result) {
            Cancellation cancellation = execution.read.cancellation();
            cancellation.abandon();
            if (cancellation.wasRequested()) {
                failures.canceled(execution.task);
            } else if (result == null) {
                runOnce(execution, server.readPosition(execution.task), waits - 1);
            } else {
                answer(execution.task, execution.read, result, execution.includes, execution.miss);
            }
        }
    }
}
