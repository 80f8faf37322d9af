package io.multimed.deploy.launcher;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps an engine running: if it ends without being told to, it is started again on the same data, where it recovers by itself. An engine that dies again
 * and again is given longer and longer pauses, up to half a minute. One thread; an engine that is not ours has none.
 */
public final class EngineSupervisor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EngineSupervisor.class);
    private static final long LOOK_MILLIS = 100;
    private static final long FIRST_PAUSE_MILLIS = 250;
    private static final long LONGEST_PAUSE_MILLIS = 30_000;

    /** Whoever has lived so long is not taken to die again and again. */
    private static final long STABLE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final RunningEngine engine;
    private final Thread thread;

    /** Deaths in a row, each soon after the start before. */
    private int deaths;

    private long born = System.nanoTime();

    private EngineSupervisor(RunningEngine engine) {
        this.engine = engine;
        this.thread = new Thread(this::run, engine.node().name() + "-keeper");
        this.thread.setDaemon(true);
    }

    /** Begins to look after an engine. */
    public static EngineSupervisor of(RunningEngine engine) {
        EngineSupervisor keeper = new EngineSupervisor(engine);
        if (engine.pid() != 0) {
            keeper.thread.start();
        }
        return keeper;
    }

    private void run() {
        try {
            while (true) {
                TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
                if (engine.hasDied()) {
                    revive();
                }
            }
        } catch (InterruptedException e) {
            LOG.debug("{} is not looked after any more", engine.node().name());
        }
    }

    private void revive() throws InterruptedException {
        String name = engine.node().name();
        deaths = System.nanoTime() - born > STABLE_NANOS ? 0 : deaths;
        long pause = deaths == 0 ? 0 : Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(deaths - 1, 10));
        deaths++;
        LOG.warn(
                "{}: its engine has died; it is started again on its data{}",
                name,
                pause == 0 ? "" : " in " + pause + " ms");
        TimeUnit.MILLISECONDS.sleep(pause);
        long begin = System.nanoTime();
        try {
            if (engine.revive()) {
                LOG.info("{}: runs again after {} ms", name, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin));
            }
        } catch (EngineException e) {
            LOG.error("{}; it is tried again", e.getMessage());
        }
        born = System.nanoTime();
    }

    /** Stops looking; the engine stays as it is. */
    @Override
    public void close() {
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
