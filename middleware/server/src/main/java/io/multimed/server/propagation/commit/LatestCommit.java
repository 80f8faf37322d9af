// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.multimed.engine.master.BypassStore;
import io.multimed.server.propagation.liveness.ConnectionOpener;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the master for its last commit. Threads that ask at the same time share the answer to one question, which begins
 * after each of them has asked. Thread-safe.
 */
final class LatestCommit implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LatestCommit.class);

    /** A thread of a satellite waits no longer than this for a question of another thread. */
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final BypassStore store;
    private final ConnectionOpener opener;

    /**
     * Lets one thread at a time ask, and protects the connection. Held during a question, which the master's heartbeat
     * bounds.
     */
    private final ReentrantLock turn = new ReentrantLock();

    @GuardedBy("turn")
    private @Nullable Connection connection;

    /** The last answer. Written by the thread that has the turn. */
    private volatile @Nullable Answer last;

    /** Begin of the present question, by {@link System#nanoTime}; 0 if there is none. */
    private volatile long asking;

    /** @param begun when the question began, by {@link System#nanoTime} */
    private record Answer(BypassStore.Latest latest, long begun) {
        boolean beganAfter(long since) {
            return begun - since >= 0;
        }
    }

    /** @param opener opens connections to the master, unless another middleware has taken the master over */
    LatestCommit(BypassStore store, ConnectionOpener opener) {
        this.store = store;
        this.opener = opener;
    }

    /**
     * Returns the last commit as of some time after {@code since}. Blocks during a question.
     *
     * @param since by {@link System#nanoTime}
     */
    BypassStore.Latest since(long since) throws SQLException {
        turn.lock();
        try {
            return answer(since);
        } finally {
            turn.unlock();
        }
    }

    /** Returns as {@link #since}; empty, instead of a long wait, if another thread's question takes unusually long. */
    Optional<BypassStore.Latest> promptly(long since) throws SQLException {
        Answer known = last;
        if (known != null && known.beganAfter(since)) {
            return Optional.of(known.latest);
        }
        if (isHeldUp() || !takeTurn()) {
            return Optional.empty();
        }
        try {
            return Optional.of(answer(since));
        } finally {
            turn.unlock();
        }
    }

    private boolean isHeldUp() {
        long begun = asking;
        return begun != 0 && System.nanoTime() - begun > PATIENCE_NANOS;
    }

    private boolean takeTurn() {
        try {
            return turn.tryLock(PATIENCE_NANOS, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @GuardedBy("turn")
    private BypassStore.Latest answer(long since) throws SQLException {
        Answer known = last;
        if (known != null && known.beganAfter(since)) {
            return known.latest; // another thread has asked for this one, too
        }
        long begun = System.nanoTime();
        asking = begun;
        try {
            BypassStore.Latest latest = ask();
            last = new Answer(latest, begun);
            return latest;
        } catch (SQLException | RuntimeException | VirtualMachineError e) {
            forgetConnection();
            throw e;
        } finally {
            asking = 0;
        }
    }

    @GuardedBy("turn")
    private BypassStore.Latest ask() throws SQLException {
        Connection current = connection;
        if (current == null) {
            current = opener.open();
            connection = current;
        }
        BypassStore.Latest latest = store.latest(current);
        if (!current.getAutoCommit()) {
            current.commit();
        }
        return latest;
    }

    @GuardedBy("turn")
    private void forgetConnection() {
        Connection old = connection;
        connection = null;
        if (old != null) {
            try {
                old.close();
            } catch (SQLException e) {
                LOG.debug("a connection did not close cleanly", e);
            }
        }
    }

    /** Closes the connection, after a question that runs. */
    @Override
    public void close() {
        turn.lock();
        try {
            forgetConnection();
        } finally {
            turn.unlock();
        }
    }
}
