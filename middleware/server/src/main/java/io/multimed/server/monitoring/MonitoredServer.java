// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.monitoring;

import io.multimed.engine.memory.MemoryBudget;
import io.multimed.server.audit.AuditLog;
import io.multimed.server.dispatcher.administration.StatusReport;
import io.multimed.server.dispatcher.admission.RoutingClass;
import io.multimed.server.dispatcher.cache.ResultCache;
import io.multimed.server.node.Refusals;
import io.multimed.server.observation.StatementObserver;
import io.multimed.server.propagation.commit.CommitCounts;
import io.multimed.server.propagation.commit.Standstill;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The parts of the running middleware that metrics read. All of them may be called by any thread, and none blocks.
 *
 * @param observer observes the statements of all clients
 * @param refusals counts what limits have refused, except for that of the memory, which counts by itself
 */
public record MonitoredServer(
        Condition condition,
        Supplier<StatusReport> status,
        Commits commits,
        Reads reads,
        Clients clients,
        StatementObserver observer,
        AuditLog audit,
        MemoryBudget memory,
        Refusals refusals) {
    /**
     * Whether the middleware works.
     *
     * @param failure why the middleware cannot continue; empty if it can
     * @param isStopping whether the middleware is shutting down
     * @param holdsMaster whether no other middleware has taken the master over
     */
    public record Condition(
            Supplier<Optional<String>> failure, BooleanSupplier isStopping, BooleanSupplier holdsMaster) {}

    /**
     * The commit order.
     *
     * @param standstill why no commit has ended for some seconds; empty if commits proceed
     * @param stopped number of commits that were stopped because all others waited for them
     */
    public record Commits(
            Supplier<CommitCounts> counts,
            Supplier<Optional<Standstill>> standstill,
            LongSupplier stopped,
            LongSupplier publishedScn) {}

    /**
     * Reads on satellites.
     *
     * @param freshnessWaiting number of reads that wait until a satellite is fresh enough
     */
    public record Reads(
            Supplier<ResultCache.Statistics> cache,
            Supplier<List<RoutingClass.Statistics>> routingClasses,
            IntSupplier freshnessWaiting) {}

    /**
     * The clients that have logged in.
     *
     * @param most maximum number
     * @param pinned number of clients that keep a connection to the master
     */
    public record Clients(IntSupplier count, IntSupplier most, IntSupplier pinned) {}

    /** Returns the number of clients, statements and requests that a limit has refused. */
    long refused(Refusals.Limit limit) {
        return limit == Refusals.Limit.MEMORY ? memory.refused() : refusals.of(limit);
    }
}
