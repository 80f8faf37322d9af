// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model.observation;

import io.multimed.model.listen.Dashboard;
import io.multimed.model.listen.Monitoring;
import java.util.Optional;

/**
 * How the running system is observed.
 *
 * @param monitoring the port for monitoring systems; empty if there is none
 * @param dashboard the port of the dashboard; empty if there is none
 * @param log what is recorded about statements and logins
 * @param tracing where spans of statements are sent; empty if there are none
 */
public record Observation(
        Optional<Monitoring> monitoring,
        Optional<Dashboard> dashboard,
        LogSettings log,
        Optional<TracingSettings> tracing) {
    /** Without ports and spans. */
    public static final Observation DEFAULT =
            new Observation(Optional.empty(), Optional.empty(), LogSettings.DEFAULT, Optional.empty());
}
