// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.monitoring;

import io.multimed.server.propagation.commit.Standstill;
import java.util.Optional;

/** Whether the middleware runs and can serve clients. */
public final class Health {
    private final MonitoredServer observed;

    public Health(MonitoredServer observed) {
        this.observed = observed;
    }

    /** Returns why the process must be started again; empty if it need not be. */
    public Optional<String> whyNotLive() {
        return observed.condition().failure().get();
    }

    /** Returns why the middleware should receive no new clients; empty if it can serve them. */
    public Optional<String> whyNotReady() {
        Optional<String> failure = whyNotLive();
        if (failure.isPresent()) {
            return failure;
        }
        if (observed.condition().isStopping().getAsBoolean()) {
            return Optional.of("the middleware is shutting down");
        }
        if (!observed.condition().holdsMaster().getAsBoolean()) {
            return Optional.of("the master cannot be reached, or another middleware has taken it over");
        }
        boolean isOnline = observed.status().get().nodes().stream()
                .anyMatch(node -> node.role().equals("master") && node.state().equals("ONLINE"));
        return isOnline
                ? observed.commits().standstill().get().map(Standstill::toString)
                : Optional.of("the master is not online");
    }
}
