// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.fault;

import io.multimed.deploy.launcher.RunningEngine;
import java.util.concurrent.TimeUnit;

/** Slows an engine down: a thread stops the engine's processes for 180 of every 200 milliseconds. */
final class SlowedEngine implements InjectedFault {
    private static final long RUN_MILLIS = 20;
    private static final long STOP_MILLIS = 180;

    private final ProcessTree processes;
    private final Thread thread = new Thread(this::run, "slowed-engine");
    private volatile boolean healed;

    private SlowedEngine(RunningEngine engine) {
        this.processes = new ProcessTree(engine);
    }

    static SlowedEngine of(RunningEngine engine) {
        SlowedEngine slowed = new SlowedEngine(engine);
        slowed.thread.setDaemon(true);
        slowed.thread.start();
        return slowed;
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
        healed = true; // A flag and not an interrupt, which could interrupt the sending of a signal.
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        processes.resume();
    }
}
