// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.execution;

import io.multimed.engine.writeset.Scn;
import io.multimed.server.dispatcher.read.ShownCommits;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

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
    /** A thread of a satellite waits no longer than this for the answer: a read can also wait without a thread. */
    private static final long QUESTION_MILLIS = 50;

    static ReadPosition at(Scn scn) {
        return new ReadPosition(scn, scn, scn, null);
    }

    /** Returns the position of a read that runs on a satellite which has applied no more than is acceptable. */
    ReadPosition behind() {
        return at(acceptable);
    }

    /**
     * Returns the position when the master has answered. Blocks for a short time.
     *
     * @throws ShownCommits.BehindException if the master does not answer in time
     */
    ReadPosition known() throws ShownCommits.BehindException {
        if (latest == null) {
            return this;
        }
        try {
            return at(latest.get(QUESTION_MILLIS, TimeUnit.MILLISECONDS));
        } catch (ExecutionException | TimeoutException e) {
            throw new ShownCommits.BehindException("the last commit of the master is not known yet", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ShownCommits.BehindException("interrupted", e);
        }
    }

    /** Returns as {@link #known}, which has returned before. */
    ReadPosition present() {
        return latest == null ? this : at(latest.join());
    }

    /** Calls one of the two when the master has answered, or cannot be asked: at once, or on another thread. */
    void whenKnown(Consumer<ReadPosition> known, Consumer<SQLException> unknown) {
        if (latest == null) {
            known.accept(this);
            return;
        }
        CompletableFuture<Void> unused = latest.handle((scn, failure) -> {
            if (failure == null) {
                known.accept(at(scn));
            } else {
                unknown.accept(unknown());
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
