package io.multimed.deploy.fault;

import io.multimed.deploy.launcher.RunningEngine;
import java.util.concurrent.TimeUnit;

/** An engine that runs a tenth of the time: a thread stops it and lets it go on, in turns. */
final class SlowedEngine implements InjectedFault {
    private static final long RUN_MILLIS = 20;
    private static final long STOP_MILLIS = 180;

    private final ProcessTree processes;
    private final Thread thread = new Thread(this::run, "slowness");
    private volatile boolean healed;

    private SlowedEngine(RunningEngine engine) {
        this.processes = new ProcessTree(engine);
    }

    static SlowedEngine of(RunningEngine engine) {
        SlowedEngine slowness = new SlowedEngine(engine);
        slowness.thread.setDaemon(true);
        slowness.thread.start();
        return slowness;
    }

    private void run() {
        try {
            while (!healed) {
                processes.stop();
                TimeUnit.MILLISECONDS.sleep(STOP_MILLIS);
                processes.resume();
                TimeUnit.MILLISECONDS.sleep(RUN_MILLIS);
            }
        } catch (InterruptedException e) {
            thread.interrupt();
        }
    }

    @Override
    public void heal() {
        healed = true; // not an interrupt: it would break off a signal half-way
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        processes.resume();
    }
}
