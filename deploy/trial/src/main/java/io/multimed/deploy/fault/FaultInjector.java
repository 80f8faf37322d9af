// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.fault;

import io.multimed.deploy.launcher.RunningEngine;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Injects faults. Each fault is real: signals, resource limits and closed sockets, not switches in the code under test.
 */
public final class FaultInjector {
    private final FaultTargets victims;

    public FaultInjector(FaultTargets victims) {
        this.victims = victims;
    }

    /**
     * Injects one fault.
     *
     * @param satellite name of the affected satellite; ignored for other faults
     * @return the fault, which the caller must heal
     * @throws IllegalStateException if the fault has no possible target
     */
    public InjectedFault inject(Fault fault, String satellite) {
        return switch (fault) {
            case KILL_SATELLITE -> kill(victims.satellite(satellite));
            case KILL_MASTER -> kill(victims.master());
            case KILL_MIDDLEWARE -> killMiddleware();
            case KILL_MASTER_AND_MIDDLEWARE -> killBoth();
            case HANG_MASTER -> hang(victims.master());
            case HANG_SATELLITE -> hang(victims.satellite(satellite));
            case SLOW_SATELLITE -> SlowedEngine.of(victims.satellite(satellite));
            case FULL_DISK -> FullDisk.of(victims.satellite(satellite));
            case LOSE_SATELLITE_DATA -> lose(victims.satellite(satellite));
            case CUT_CONNECTIONS -> cut();
        };
    }

    private static InjectedFault kill(RunningEngine engine) {
        engine.kill();
        return once(engine::revive);
    }

    private static InjectedFault lose(RunningEngine engine) {
        engine.loseData();
        return once(engine::revive);
    }

    private InjectedFault killMiddleware() {
        MiddlewareProcess middleware = victims.killable();
        middleware.kill();
        return once(middleware::start);
    }

    /** Kills the middleware first, so that the middleware cannot observe the death of the master. */
    private InjectedFault killBoth() {
        MiddlewareProcess middleware = victims.killable();
        middleware.kill();
        victims.master().kill();
        return once(() -> {
            victims.master().revive();
            middleware.start();
        });
    }

    private static InjectedFault hang(RunningEngine engine) {
        ProcessTree processes = new ProcessTree(engine);
        processes.stop();
        return once(processes::resume);
    }

    /** Cuts all connections; clients can connect again at once, so that nothing remains to be healed. */
    private InjectedFault cut() {
        victims.cuttable().cutAll();
        return () -> {};
    }

    /** Returns a fault that is healed by the first call of {@code heal} only. */
    private static InjectedFault once(Runnable healing) {
        AtomicBoolean done = new AtomicBoolean();
        return () -> {
            if (done.compareAndSet(false, true)) {
                healing.run();
            }
        };
    }
}
