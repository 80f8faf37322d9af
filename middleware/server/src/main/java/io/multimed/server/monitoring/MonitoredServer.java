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
 * @param standstill why no commit has ended for some seconds; empty if commits proceed
 * @param stoppedCommits number of commits that were stopped because all others waited for them
 * @param holdsMaster whether no other middleware has taken the master over
 * @param isAlive whether all threads that commits and connections depend on run
 * @param isStopping whether the middleware is shutting down
 * @param freshnessWaiting number of reads that wait until a satellite is fresh enough
 * @param observer observes the statements of all clients
 * @param clients number of clients that have logged in
 * @param pinned number of clients that keep a connection to the master
 * @param refusals counts what limits have refused, except for that of the memory, which counts by itself
 */
public record MonitoredServer(
        Supplier<StatusReport> status,
        Supplier<CommitCounts> commitCounts,
        Supplier<Optional<Standstill>> standstill,
        LongSupplier stoppedCommits,
        LongSupplier publishedScn,
        BooleanSupplier holdsMaster,
        BooleanSupplier isAlive,
        BooleanSupplier isStopping,
        Supplier<ResultCache.Statistics> cache,
        Supplier<List<RoutingClass.Statistics>> routingClasses,
        IntSupplier freshnessWaiting,
        StatementObserver observer,
        AuditLog audit,
        IntSupplier clients,
        IntSupplier maxClients,
        IntSupplier pinned,
        MemoryBudget memory,
        Refusals refusals) {
    /** Returns the number of clients, statements and requests that a limit has refused. */
    long refused(Refusals.Limit limit) {
        return limit == Refusals.Limit.MEMORY ? memory.refused() : refusals.of(limit);
    }
}
