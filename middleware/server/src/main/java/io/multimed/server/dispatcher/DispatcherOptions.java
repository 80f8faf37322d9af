// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher;

import io.multimed.server.audit.AuditLog;
import io.multimed.server.dispatcher.administration.MetricSample;
import io.multimed.server.dispatcher.admission.RoutingClass;
import io.multimed.server.node.Refusals;
import io.multimed.server.observation.StatementObserver;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * How the dispatcher handles statements, as the System Model and the master's engine determine.
 *
 * @param masterIsolation the isolation level of a transaction on the master that requests none, a constant of {@link
 *     java.sql.Connection}
 * @param readsBeforeWrite whether reads of a read-write transaction may run on satellites until its first write
 * @param cacheBytes maximum size of all kept results, in bytes; 0: no results are kept
 * @param routingClasses in the order in which their criteria are examined
 * @param maxStatements maximum number of statements of all clients that run at the same time; 0 for no limit
 * @param acquireTimeout longest wait of a statement for its turn; zero for no limit
 * @param metrics returns the present values of all metrics
 * @param observer observes the statements of all clients
 * @param audit records administrators' statements
 * @param refusals counts the statements that limits have refused
 */
public record DispatcherOptions(
        int masterIsolation,
        boolean readsBeforeWrite,
        long cacheBytes,
        List<RoutingClass.Definition> routingClasses,
        int maxStatements,
        Duration acquireTimeout,
        Supplier<List<MetricSample>> metrics,
        StatementObserver observer,
        AuditLog audit,
        Refusals refusals) {
    public DispatcherOptions {
        routingClasses = List.copyOf(routingClasses);
    }
}
