// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.execution;

import io.multimed.engine.writeset.Scn;
import io.multimed.server.dispatcher.read.ShownCommits;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The position in the commit order at which a read-only transaction reads, at the earliest (architecture 4.1).
 *
 * @param includes the published SCN at the beginning of the transaction: its results are those at this SCN, or later
 * @param needed the SCN that a satellite must have applied for this: an earlier one if no later commit, up to {@code
 *     includes}, changes what the transaction reads
 * @param acceptable an earlier SCN that is sufficient if the statement accepts an older state by its hint;
 *     otherwise {@code needed}
 * @param latest if not null, the last commit on the master, which the transaction must see, and for which the master is
 *     being asked; the three SCNs then only select a satellite that is not far behind
 */
record ReadPosition(
        Scn includes, Scn needed, Scn acceptable, @Nullable CompletableFuture<Scn> latest) {
    private static final Logger LOG = LoggerFactory.getLogger(ReadPosition.class);

    static ReadPosition at(Scn scn) {
        return new ReadPosition(scn, scn, scn, null);
    }

    /** Returns the position of a read that runs on a satellite which has applied no more than is acceptable. */
    ReadPosition behind() {
        return at(acceptable);
    }

    /**
     * Returns the position when the master has answered. Blocks until the deadline at most.
     *
     * @param deadline by {@link System#nanoTime}
     * @throws ShownCommits.BehindException if the master does not answer in time
     */
    ReadPosition known(long deadline) throws ShownCommits.BehindException {
        if (latest == null) {
            return this;
        }
        if (!isAnswered(latest, deadline) || latest.isCompletedExceptionally()) {
            throw new ShownCommits.BehindException("the last commit of the master is not known yet");
        }
        return at(latest.join());
    }

    /** Waits by a latch: in a pool of threads, the future itself would start another thread for the waiting one. */
    private static boolean isAnswered(CompletableFuture<Scn> latest, long deadline) {
        if (latest.isDone()) {
            return true;
        }
        CountDownLatch done = new CountDownLatch(1);
        CompletableFuture<Scn> unused = latest.whenComplete((scn, failure) -> done.countDown());
        try {
            return done.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Returns as {@link #known}, which has returned before. */
    ReadPosition present() {
        return latest == null ? this : at(latest.join());
    }

    /**
     * Calls one of the two when the master has answered, or cannot be asked: at once, or on another thread.
     *
     * @param failed receives also a failure of {@code known}, which has no other receiver
     */
    void whenKnown(Consumer<ReadPosition> known, Consumer<Exception> failed) {
        if (latest == null) {
            known.accept(this);
            return;
        }
        CompletableFuture<Void> unused = latest.handle((scn, failure) -> {
            if (failure != null) {
                failed.accept(unknown());
                return null;
            }
            try {
                known.accept(at(scn));
            } catch (RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
                LOG.error("a read could not go on", e);
                failed.accept(new IllegalStateException(e));
            }
            return null;
        });
    }

    static SQLException unknown() {
        return new SQLException(
                "the master cannot be asked for its last commit, which reads must see (direct-writes: allowed); try again when the master is reachable",
                "57P03");
    }
}
