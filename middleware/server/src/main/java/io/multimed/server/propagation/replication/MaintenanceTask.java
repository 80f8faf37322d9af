package io.multimed.server.propagation.replication;

import io.multimed.engine.master.Retention;
import io.multimed.engine.writeset.Scn;
import io.multimed.server.node.NamedThreads;
import io.multimed.server.propagation.commit.Master;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks after the master once a second: whether it is there, and which sealed WriteSets every satellite has applied. */
public final class MaintenanceTask implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MaintenanceTask.class);

    private final Master master;
    private final Satellites satellites;
    private final PublishedScnHistory history;
    private final long keptBytes;
    private final IdleReaderRevoker idleReaders = new IdleReaderRevoker();
    private final ScheduledExecutorService clock =
            Executors.newSingleThreadScheduledExecutor(new NamedThreads("maintenance"));

    /**
     * Starts to work with {@link #start}.
     *
     * @param keptFor how long receipts are kept, and WriteSets for satellites that are away, which are seeded again if
     * they come back later
     * @param keptBytes size above which the oldest ones are removed earlier
     */
    public MaintenanceTask(Master master, Satellites satellites, Duration keptFor, long keptBytes) {
        this.master = master;
        this.satellites = satellites;
        this.history = new PublishedScnHistory(keptFor);
        this.keptBytes = keptBytes;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // tick() lets nothing through
    public void start() {
        clock.scheduleWithFixedDelay(
                master.criticalThreads().guarded("maintenance", this::tick), 1, 1, TimeUnit.SECONDS);
    }

    private void tick() {
        try {
            idleReaders.revoke(master, satellites);
            UUID before = master.historyId();
            Scn old = history.record(master.publisher().published(), System.nanoTime());
            master.maintain(appliedByPresent(), new Retention(old, keptBytes));
            if (!master.historyId().equals(before)) {
                satellites.all().forEach(Satellite::requestReseed);
            }
        } catch (RuntimeException | VirtualMachineError e) {
            LOG.warn("housekeeping failed; it is tried again", e);
        }
    }

    /** A satellite that returns at this moment, and needs something that was removed, is seeded again. */
    private Scn appliedByPresent() {
        Scn published = master.publisher().published();
        Scn least = published;
        for (Satellite satellite : satellites.all()) {
            Scn retained = satellite.retained().orElse(published);
            if (!satellite.node().state().isAway() && least.isAfter(retained)) {
                least = retained;
            }
        }
        return least;
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
