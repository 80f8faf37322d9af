package io.multimed.server.monitoring;

import io.multimed.engine.memory.MemoryBudget;
import io.multimed.server.audit.AuditLog;
import io.multimed.server.dispatcher.administration.StatusReport;
import io.multimed.server.dispatcher.admission.RoutingClass;
import io.multimed.server.dispatcher.cache.ResultCache;
import io.multimed.server.observation.StatementObserver;
import io.multimed.server.propagation.commit.CommitCounts;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The parts of the running middleware that metrics read. All of them may be called by any thread, and none blocks.
 *
 * @param holdsMaster whether no other middleware has taken the master over
 * @param isAlive whether all threads that commits and connections depend on run
 * @param isStopping whether the middleware is shutting down
 * @param freshnessWaiting number of reads that wait until a satellite is fresh enough
 * @param observer observes the statements of all clients
 * @param clients number of clients that have logged in
 * @param pinned number of clients that keep a connection to the master
 */
public record MonitoredServer(
        Supplier<StatusReport> status,
        Supplier<CommitCounts> commitCounts,
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
        MemoryBudget memory) {}
