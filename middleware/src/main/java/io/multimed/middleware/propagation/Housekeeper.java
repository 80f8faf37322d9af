package io.multimed.middleware.propagation;

import io.multimed.middleware.node.NamedThreads;
import io.multimed.middleware.writeset.Scn;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks after the master once a second: whether it is there, and which sealed WriteSets every satellite has applied. */
public final class Housekeeper implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Housekeeper.class);

    /** WriteSets kept for a satellite that is away; beyond, it is seeded anew when it comes back. */
    private static final long KEPT_FOR_ABSENT = 100_000;

    private final Master master;
    private final Satellites satellites;
    private final IdleReaders idleReaders = new IdleReaders();
    private final ScheduledExecutorService clock =
            Executors.newSingleThreadScheduledExecutor(new NamedThreads("housekeeper"));

    public Housekeeper(Master master, Satellites satellites) {
        this.master = master;
        this.satellites = satellites;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // tick() lets nothing through
    public void start() {
        clock.scheduleWithFixedDelay(master.vitals().guarded("housekeeper", this::tick), 1, 1, TimeUnit.SECONDS);
    }

    private void tick() {
        try {
            idleReaders.revoke(master, satellites);
            UUID before = master.cluster();
            master.keepHouse(appliedByAll());
            if (!master.cluster().equals(before)) {
                satellites.all().forEach(Satellite::reseed);
            }
        } catch (RuntimeException | VirtualMachineError e) {
            LOG.warn("housekeeping failed; it is tried again", e);
        }
    }

    private Scn appliedByAll() {
        Scn published = master.publisher().published();
        Scn least = published;
        for (Satellite satellite : satellites.all()) {
            Scn retained = satellite.retained().orElse(published);
            if (satellite.node().state().isAway() && published.value() - retained.value() > KEPT_FOR_ABSENT) {
                satellite.giveUpRetention();
            } else if (least.isAfter(retained)) {
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
