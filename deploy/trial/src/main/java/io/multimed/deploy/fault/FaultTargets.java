// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.fault;

import io.multimed.deploy.launcher.RunningEngine;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The processes and connections that faults may affect.
 *
 * @param satellites engines by the name of their node
 * @param middleware null if the middleware is not a separate process; faults that kill the middleware are then refused
 * @param proxy proxy before the middleware, or between the middleware and an engine; null if no connection can be cut
 */
public record FaultTargets(
        RunningEngine master,
        Map<String, RunningEngine> satellites,
        @Nullable MiddlewareProcess middleware,
        @Nullable CuttingProxy proxy) {
    RunningEngine satellite(String name) {
        RunningEngine satellite = satellites.get(name);
        if (satellite == null) {
            throw new IllegalArgumentException(
                    "unknown satellite " + name + "; the satellites are " + satellites.keySet());
        }
        return satellite;
    }

    MiddlewareProcess killable() {
        if (middleware == null) {
            throw new IllegalStateException("the middleware is not a separate process and cannot be killed");
        }
        return middleware;
    }

    CuttingProxy cuttable() {
        if (proxy == null) {
            throw new IllegalStateException("no connection passes a proxy, so that none can be cut");
        }
        return proxy;
    }
}
