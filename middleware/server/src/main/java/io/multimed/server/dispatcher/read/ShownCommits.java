// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.read;

import io.multimed.engine.dialect.ResultStreaming;
import io.multimed.engine.writeset.Scn;
import io.multimed.server.node.Lease;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Makes sure that a satellite shows what a read needs, by a question on the connection of the read: if the applier has
 * not seen it yet, or if the connection is new.
 */
public final class ShownCommits {
    /** A satellite that does not show the commits by then is further behind than usual: other ways to wait exist. */
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final long FIRST_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

    /** A thread of a satellite waits no longer for the answer of the master: a read can also wait without a thread. */
    private static final long QUESTION_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private ShownCommits() {}

    /** The satellite does not show the commits in time. The connection can be used further. */
    public static final class BehindException extends SQLException {
        private static final long serialVersionUID = 1L;

        public BehindException(String message) {
            super(message, "57P03");
        }
    }

    /** Returns the time until which a thread of a satellite waits for the master, by {@link System#nanoTime}. */
    public static long deadline() {
        return System.nanoTime() + QUESTION_NANOS;
    }

    /**
     * Returns when the connection shows all commits up to a position to the next statement. Blocks for a short time.
     *
     * @param lease a connection of a satellite, in auto-commit
     */
    public static void await(Lease lease, Scn needed) throws SQLException {
        ResultStreaming streaming = lease.node().engine().dialect().streaming();
        long begin = System.nanoTime();
        long pause = FIRST_PAUSE_NANOS;
        while (needed.isAfter(streaming.shown(lease.connection()))) {
            if (System.nanoTime() - begin > PATIENCE_NANOS) {
                throw behind(lease, needed);
            }
            LockSupport.parkNanos(pause);
            pause += pause / 2;
        }
    }

    static BehindException behind(Lease lease, Scn needed) {
        return new BehindException("node %s does not show the commits up to %s yet"
                .formatted(lease.node().name(), lease.node().engine().display(needed)));
    }
}
