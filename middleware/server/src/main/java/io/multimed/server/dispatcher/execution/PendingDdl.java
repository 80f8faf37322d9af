// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.execution;

import io.multimed.engine.extraction.SessionFate;
import io.multimed.engine.master.UnrecordedDdl;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.server.node.Lease;
import io.multimed.server.node.LeaseRequest;
import io.multimed.server.node.NamedThreads;
import io.multimed.server.propagation.commit.Master;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records schema changes for the satellites that could not be recorded immediately after their statement: another
 * transaction held locks for too long, the connection broke, or the client canceled the statement.
 *
 * <p>All pending changes are retried together, at growing intervals, until they succeed. Until then only the master
 * answers for the tables that the satellites lack. After a restart the middleware finds these tables by itself.
 * Thread-safe.
 */
public final class PendingDdl implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PendingDdl.class);
    private static final String UNREPLICABLE = "0A000";
    private static final int MAX_SECONDS = 30;

    private final Master master;
    private final SchemaInvalidation schema;
    private final InternalReceipts receipts;
    private final ScheduledExecutorService clock =
            Executors.newSingleThreadScheduledExecutor(new NamedThreads("pending-ddl"));

    private final AtomicLong statements = new AtomicLong();

    /**
     * The pending change, unless an attempt is in progress. Bounded, because changes are merged. Guarded by this
     * object, as are the next two fields.
     */
    private Optional<UnrecordedDdl> waiting = Optional.empty();

    private boolean busy;
    private int seconds = 1;

    public PendingDdl(Master master, SchemaInvalidation schema, InternalReceipts receipts) {
        this.master = master;
        this.schema = schema;
        this.receipts = receipts;
    }

    /** Returns a number that names one statement as long as this middleware runs. */
    long nextStatement() {
        return statements.incrementAndGet();
    }

    /** Adds a change. */
    synchronized void add(UnrecordedDdl change) {
        waiting = Optional.of(waiting.map(change::and).orElse(change));
        if (!busy) {
            busy = true;
            seconds = 1;
            schedule();
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // begin() throws no exception
    private void schedule() {
        try {
            clock.schedule(this::begin, seconds, TimeUnit.SECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("the next start sends the change", e);
        }
    }

    private void begin() {
        UnrecordedDdl change = take();
        master.node().lease(new LeaseRequest() {
            @Override
            public boolean waitsForEver() {
                return true;
            }

            @Override
            public void leased(Lease lease) {
                announce(lease, change);
            }

            @Override
            public void refused(SQLException cause) {
                failed(change, cause);
            }
        });
    }

    private synchronized UnrecordedDdl take() {
        UnrecordedDdl change = waiting.orElseThrow();
        waiting = Optional.empty();
        return change;
    }

    private void announce(Lease lease, UnrecordedDdl change) {
        try {
            lease.connection().setAutoCommit(false);
            if (master.store().ddl().announcePendingDdl(lease.connection(), change)) {
                order(lease, change, () -> {}, () -> lease.submit(() -> recordDefinition(lease, change)));
                return;
            }
        } catch (SQLException | RuntimeException e) {
            lease.discard();
            failed(change, e);
            return;
        }
        recordDefinition(lease, change);
    }

    private void recordDefinition(Lease lease, UnrecordedDdl change) {
        try {
            lease.connection().setAutoCommit(false);
            master.store().ddl().recordPendingDdl(lease.connection(), change);
        } catch (SQLException | RuntimeException e) {
            lease.discard();
            if (isUnreplicable(e)) {
                done();
            } else {
                failed(change, e);
            }
            return;
        }
        // The settings of the connection differ from those of clients' connections: it is discarded.
        order(lease, change, lease::discard, () -> {
            LOG.info("the schema change of {} has been sent to the satellites", change.what());
            done();
        });
    }

    /**
     * Commits the WriteSet of the connection's transaction.
     *
     * @param ended runs after the commit, or its failure
     * @param published runs when the commit is published
     */
    private void order(Lease lease, UnrecordedDdl change, Runnable ended, Runnable published) {
        master.order()
                .commit(new TransactionCommit(
                        lease,
                        ended,
                        master.extractor(),
                        receipts.next(),
                        new SessionFate(true),
                        true,
                        outcome(change, published, () -> lease.submit(lease::discard))));
    }

    private TransactionCommit.Outcome outcome(UnrecordedDdl change, Runnable published, Runnable onFailure) {
        return new TransactionCommit.Outcome() {
            @Override
            public void committed(Scn scn) {
                published.run();
            }

            @Override
            public void changed(WriteSet writeSet) {
                schema.committed(writeSet);
            }

            @Override
            public void failed(SQLException cause) {
                onFailure.run();
                PendingDdl.this.failed(change, cause);
            }
        };
    }

    private synchronized void done() {
        busy = waiting.isPresent();
        seconds = 1;
        if (busy) {
            schedule();
        }
    }

    private synchronized void failed(UnrecordedDdl change, Exception cause) {
        LOG.warn(
                "the schema change of {} cannot be sent to the satellites yet: {}; trying again",
                change.what(),
                cause.toString());
        waiting = Optional.of(waiting.map(change::and).orElse(change));
        seconds = Math.min(2 * seconds, MAX_SECONDS);
        schedule();
    }

    /** Returns whether the failure means that the table cannot be replicated, so that it exists on the master only. */
    static boolean isUnreplicable(Exception failure) {
        return failure instanceof SQLException sql && UNREPLICABLE.equals(sql.getSQLState());
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
