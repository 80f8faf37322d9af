// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
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

/**
 * Maintains the master once per second, on the thread {@code maintenance}: checks whether the master is reachable,
 * discards sealed WriteSets that every satellite has applied, and revokes the connections of idle readers.
 */
public final class MaintenanceTask implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MaintenanceTask.class);

    private final Master master;
    private final Satellites satellites;

    /** Used by the task only. */
    private PublishedScnHistory history;

    /** For how long, and up to which size, WriteSets and receipts are kept. */
    private volatile Limits limits;

    /** The limits that {@link #history} was created for. Used by the task only. */
    private Limits known;

    private record Limits(Duration keptFor, long keptBytes) {}

    private final IdleReaderRevoker idleReaders = new IdleReaderRevoker();
    private final ScheduledExecutorService clock =
            Executors.newSingleThreadScheduledExecutor(new NamedThreads("maintenance"));

    /**
     * Creates the task; {@link #start} schedules it.
     *
     * @param keptFor time for which receipts are kept, and WriteSets for satellites that are not reachable; a satellite
     * that returns later is seeded again
     * @param keptBytes size above which the oldest WriteSets are discarded earlier
     */
    public MaintenanceTask(Master master, Satellites satellites, Duration keptFor, long keptBytes) {
        this.master = master;
        this.satellites = satellites;
        this.limits = new Limits(keptFor, keptBytes);
        this.known = limits;
        this.history = new PublishedScnHistory(keptFor);
    }

    /** Changes the limits; parameters as for the constructor. */
    public void setLimits(Duration keptFor, long keptBytes) {
        limits = new Limits(keptFor, keptBytes);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // maintain() throws no exception
    public void start() {
        clock.scheduleWithFixedDelay(
                master.criticalThreads().guarded("maintenance", this::maintain), 1, 1, TimeUnit.SECONDS);
    }

    private void maintain() {
        try {
            idleReaders.revoke(master, satellites);
            UUID before = master.historyId();
            Limits current = limits;
            if (!current.keptFor.equals(known.keptFor)) {
                history = new PublishedScnHistory(current.keptFor); // WriteSets are kept longer until it is filled
            }
            known = current;
            Scn old = history.record(master.publisher().published(), System.nanoTime());
            master.maintain(appliedByPresent(), new Retention(old, current.keptBytes));
            if (!master.historyId().equals(before)) {
                satellites.all().forEach(Satellite::requestReseed);
            }
        } catch (RuntimeException | VirtualMachineError e) {
            LOG.warn("maintenance of the master failed; it is repeated in one second", e);
        }
    }

    /**
     * Returns the SCN that all reachable satellites have applied. A satellite that becomes reachable at this moment,
     * and needs a WriteSet that was discarded, is seeded again.
     */
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
