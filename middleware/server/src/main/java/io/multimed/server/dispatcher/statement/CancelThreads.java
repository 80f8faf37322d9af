// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.statement;

import io.multimed.server.node.NamedThreads;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers the cancel requests of all clients to the engines, on threads of their own: a delivery blocks, because an
 * engine requires a connection for it. Many deliveries run at the same time, so that a slow one does not delay those of
 * other clients. Each session has at most one delivery, so that the number of those that wait for a thread is bounded
 * by the number of clients, and none is dropped. A delivery is repeated until its request has ended: an engine ignores
 * a cancel request that arrives before the statement, or may refuse the connection. Thread-safe.
 */
public final class CancelThreads implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CancelThreads.class);

    private static final int MAX_THREADS = 64;

    /** Pause before the first repetition; each further pause is twice as long. */
    private static final long FIRST_PAUSE_MILLIS = 50;

    private static final long MAX_PAUSE_MILLIS = 5_000;

    /** The deliveries that run, wait for a thread, or pause. */
    private final Map<Cancellation, State> deliveries = new ConcurrentHashMap<>();

    /** At most one task per session waits for a thread. */
    private final ExecutorService threads = new NamedThreads("cancel").lastInFirstOut(MAX_THREADS);

    /** Ends pauses, and statements that have run for longer than their clients permit; never blocks. */
    private final ScheduledThreadPoolExecutor clock =
            new ScheduledThreadPoolExecutor(1, new NamedThreads("cancel-clock"));

    private enum State {
        DELIVERS,
        /** A further request has arrived, maybe too late for the delivery. */
        MUST_REPEAT
    }

    public CancelThreads() {
        clock.setRemoveOnCancelPolicy(true);
    }

    /** Delivers what was requested. Does not block. */
    public void deliver(Cancellation cancellation) {
        deliveries.compute(cancellation, (key, state) -> {
            if (state == null) {
                execute(new Delivery(cancellation));
                return State.DELIVERS;
            }
            return State.MUST_REPEAT;
        });
    }

    /**
     * Cancels a request if it still runs after a time.
     *
     * @return ends the limit when it is canceled
     */
    public Future<?> limit(Cancellation cancellation, int request, int seconds) {
        return clock.schedule(
                () -> {
                    if (cancellation.expire(request)) {
                        deliver(cancellation);
                    }
                },
                seconds,
                TimeUnit.SECONDS);
    }

    private void execute(Runnable delivery) {
        try {
            threads.execute(delivery);
        } catch (RejectedExecutionException e) {
            LOG.debug("shutting down", e);
        }
    }

    /** The delivery of one session's cancel requests. Used by one thread at a time. */
    private final class Delivery implements Runnable {
        private final Cancellation cancellation;
        private long pauseMillis = FIRST_PAUSE_MILLIS;

        Delivery(Cancellation cancellation) {
            this.cancellation = cancellation;
        }

        @Override
        public void run() {
            deliveries.replace(cancellation, State.DELIVERS);
            if (mustRepeat() || !ends()) {
                repeatLater();
            }
        }

        private boolean mustRepeat() {
            try {
                return cancellation.deliver();
            } catch (SQLException e) {
                LOG.debug("the cancel request could not be sent to the engine", e);
                return true; // the next attempt finds out whether the statement still runs
            } catch (RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
                LOG.error("a statement could not be canceled", e);
                return false;
            }
        }

        /** Ends the delivery, unless a further request has arrived. */
        private boolean ends() {
            return deliveries.remove(cancellation, State.DELIVERS);
        }

        @SuppressWarnings("FutureReturnValueIgnored") // the task throws no exception
        private void repeatLater() {
            try {
                clock.schedule(() -> execute(this), pauseMillis, TimeUnit.MILLISECONDS);
                pauseMillis = Math.min(MAX_PAUSE_MILLIS, 2 * pauseMillis);
            } catch (RejectedExecutionException e) {
                LOG.debug("shutting down", e);
            }
        }
    }

    /** Returns the number of sessions whose cancel requests are being delivered. */
    int deliveries() {
        return deliveries.size();
    }

    @Override
    public void close() {
        clock.shutdownNow();
        threads.shutdownNow();
    }
}
