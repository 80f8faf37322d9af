package io.multimed.middleware.dispatcher;

import io.multimed.middleware.extraction.Receipt;
import io.multimed.middleware.extraction.SessionFate;
import io.multimed.middleware.node.Lease;
import io.multimed.middleware.node.LeaseRequest;
import io.multimed.middleware.node.NamedThreads;
import io.multimed.middleware.node.engine.UntoldChange;
import io.multimed.middleware.writeset.Scn;
import io.multimed.middleware.writeset.WriteSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells satellites what statements did to the schema where that failed right after the statement: because somebody held locks for too long, the connection broke, or the client broke it off. It
 * is tried until it is done, ever more seldom, for all of them at once; until then the master alone answers for what satellites do not have. A middleware that is started anew finds such tables
 * by itself.
 */
final class LateTellings implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LateTellings.class);
    private static final int LONGEST_SECONDS = 30;

    private final Dispatcher dispatcher;
    private final ScheduledExecutorService clock =
            Executors.newSingleThreadScheduledExecutor(new NamedThreads("late-tellings"));

    /** What is not told yet, and not being told; small, because changes are merged. Protected by this object, as the other two are. */
    private Optional<UntoldChange> waiting = Optional.empty();

    private boolean busy;
    private int seconds = 1;
    private int tries;

    LateTellings(Dispatcher dispatcher) {
        this.dispatcher = dispatcher;
    }

    /** The change is told later. */
    synchronized void add(UntoldChange change) {
        waiting = Optional.of(waiting.map(change::and).orElse(change));
        if (!busy) {
            busy = true;
            seconds = 1;
            schedule();
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // begin() lets nothing through
    private void schedule() {
        try {
            clock.schedule(this::begin, seconds, TimeUnit.SECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("the next start tells it", e);
        }
    }

    private void begin() {
        UntoldChange change = take();
        dispatcher.master().node().lease(new LeaseRequest() {
            @Override
            public void leased(Lease lease) {
                tell(lease, change);
            }

            @Override
            public void refused(SQLException cause) {
                failed(change, cause);
            }
        });
    }

    private synchronized UntoldChange take() {
        UntoldChange change = waiting.orElseThrow();
        waiting = Optional.empty();
        tries++;
        return change;
    }

    private void tell(Lease lease, UntoldChange change) {
        try {
            lease.connection().setAutoCommit(false);
            dispatcher.master().store().tellUntold(lease.connection(), change);
        } catch (SQLException | RuntimeException e) {
            lease.discard();
            if (SchemaWork.isMastersAlone(e)) {
                done();
            } else {
                failed(change, e);
            }
            return;
        }
        dispatcher
                .master()
                .order()
                .commit(new MasterCommit(
                        lease,
                        lease::discard, // its settings are not what clients expect
                        dispatcher.master().extractor(),
                        receipt(change),
                        new SessionFate(true),
                        true,
                        outcome(change)));
    }

    /** No request's. */
    private synchronized Receipt receipt(UntoldChange change) {
        return new Receipt(change.client(), Integer.MIN_VALUE + tries);
    }

    private MasterCommit.Outcome outcome(UntoldChange change) {
        return new MasterCommit.Outcome() {
            @Override
            public void committed(Scn scn) {
                LOG.info("satellites are told what became of {}", change.what());
                done();
            }

            @Override
            public void changed(WriteSet writeSet) {
                dispatcher.noteSchema(writeSet);
            }

            @Override
            public void failed(SQLException cause) {
                LateTellings.this.failed(change, cause);
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

    private synchronized void failed(UntoldChange change, Exception cause) {
        LOG.warn(
                "satellites cannot be told yet what became of {}: {}; it is tried again",
                change.what(),
                cause.toString());
        waiting = Optional.of(waiting.map(change::and).orElse(change));
        seconds = Math.min(2 * seconds, LONGEST_SECONDS);
        schedule();
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
