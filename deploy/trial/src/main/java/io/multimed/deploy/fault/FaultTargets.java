package io.multimed.deploy.fault;

import io.multimed.deploy.launcher.RunningEngine;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What faults may hit.
 *
 * @param satellites by name
 * @param middleware null if it is no process of its own; faults that kill it are then refused
 * @param proxy stands before the middleware, or between it and an engine; null if nothing can be cut
 */
public record FaultTargets(
        RunningEngine master,
        Map<String, RunningEngine> satellites,
        @Nullable MiddlewareProcess middleware,
        @Nullable CuttingProxy proxy) {
    RunningEngine satellite(String name) {
        RunningEngine satellite = satellites.get(name);
        if (satellite == null) {
            throw new IllegalArgumentException("no satellite is called " + name);
        }
        return satellite;
    }

    MiddlewareProcess killable() {
        if (middleware == null) {
            throw new IllegalStateException("the middleware is no process of its own here");
        }
        return middleware;
    }

    CuttingProxy cuttable() {
        if (proxy == null) {
            throw new IllegalStateException("no proxy stands before the middleware here");
        }
        return proxy;
    }
}
