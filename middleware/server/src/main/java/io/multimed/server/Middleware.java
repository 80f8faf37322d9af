// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server;

import io.multimed.engine.memory.MemoryBudget;
import io.multimed.model.SystemModel;
import io.multimed.server.audit.AuditLog;
import io.multimed.server.communication.EmbeddedClient;
import io.multimed.server.communication.Server;
import io.multimed.server.dashboard.DashboardPort;
import io.multimed.server.dispatcher.Dispatcher;
import io.multimed.server.dispatcher.administration.StatusReport;
import io.multimed.server.dispatcher.routing.SatelliteSelector;
import io.multimed.server.monitoring.MonitoringPort;
import io.multimed.server.node.CriticalThreads;
import io.multimed.server.propagation.commit.CommitCounts;
import io.multimed.server.propagation.commit.Master;
import io.multimed.server.propagation.replication.HeldTable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The middleware of one System Model, for engines that are already running. {@link MiddlewareStart} starts its
 * components in order; they stop in reverse order.
 */
public final class Middleware implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Middleware.class);

    private final Lifecycle lifecycle;
    private final Parts parts;
    private final Ports ports;

    /** The components that the methods of this class use, all of them started. */
    record Parts(
            CriticalThreads criticalThreads,
            MemoryBudget memory,
            AuditLog audit,
            Master master,
            SatelliteManager manager,
            SatelliteSelector selector,
            Dispatcher dispatcher,
            Server server) {}

    /**
     * Where the middleware can be reached.
     *
     * @param clients the address for drivers; null if all clients are parts of this process
     * @param monitoring null if the model defines none
     * @param dashboard null if the model defines none
     */
    record Ports(
            @Nullable InetSocketAddress clients,
            @Nullable MonitoringPort monitoring,
            @Nullable DashboardPort dashboard) {}

    /** @param lifecycle stops the components */
    Middleware(Lifecycle lifecycle, Parts parts, Ports ports) {
        this.lifecycle = lifecycle;
        this.parts = parts;
        this.ports = ports;
    }

    /**
     * Starts the middleware and returns when it accepts connections. Satellites come online later, one after the other;
     * until then the master executes reads.
     *
     * @throws SQLException if the master cannot be reached or used
     * @throws IOException if the address is in use, a file of the certificate cannot be used, or the heap is too small
     */
    public static Middleware start(SystemModel model, NodeAccessResolver engines) throws SQLException, IOException {
        return start(model, engines, SatelliteProvisioner.NONE);
    }

    /**
     * Starts the middleware with a provisioner for satellites that are added at run time.
     *
     * @param provisioner starts and stops their engines
     */
    public static Middleware start(SystemModel model, NodeAccessResolver engines, SatelliteProvisioner provisioner)
            throws SQLException, IOException {
        return new MiddlewareStart(model, false, engines, provisioner).run();
    }

    /**
     * Starts the middleware within an application: its clients are those of {@link #connect}, and those of a port only
     * if the model says so ({@code listen.embedded}).
     */
    public static Middleware startEmbedded(
            SystemModel model, NodeAccessResolver engines, SatelliteProvisioner provisioner)
            throws SQLException, IOException {
        return new MiddlewareStart(model, true, engines, provisioner).run();
    }

    /** Returns a new client within this process, which has not logged in. */
    public EmbeddedClient connect() {
        return parts.server.connect();
    }

    /** Returns the address that clients connect to, of a middleware with a port. */
    public InetSocketAddress address() {
        return Objects.requireNonNull(ports.clients, "the middleware has no port");
    }

    /** Returns the address of the port for monitoring systems; null if the model defines none. */
    public @Nullable InetSocketAddress monitoringAddress() {
        return ports.monitoring == null ? null : ports.monitoring.address();
    }

    /** Returns the address of the dashboard for browsers; null if the model defines none. */
    public @Nullable String dashboardUrl() {
        return ports.dashboard == null ? null : ports.dashboard.url();
    }

    /** Returns the number of entries kept for clients: see {@link Server#remembered}. */
    public int rememberedClients() {
        return parts.server.remembered();
    }

    /** Returns the bytes of the memory budget that clients hold now. */
    public long clientMemory() {
        return parts.memory.taken();
    }

    /**
     * Completed with a message when this middleware cannot continue, because a component failed that commits or
     * connections depend on, or because another middleware has taken over the master. The middleware stops by itself;
     * the owner ends the process, or starts another middleware. Dependent actions must not block.
     */
    public CompletableFuture<String> failure() {
        return parts.criticalThreads.failure();
    }

    /** Returns the System Model as it runs now: changes at run time included. */
    public SystemModel model() {
        return parts.manager.model();
    }

    public String jdbcUrl() {
        return "jdbc:multimed://%s:%d/%s"
                .formatted(address().getHostString(), address().getPort(), model().database());
    }

    /** Returns the state of all nodes. */
    public StatusReport status() {
        return parts.dispatcher.status();
    }

    /**
     * Returns which satellites hold each table of the master.
     *
     * @throws SQLException if the master cannot be read
     */
    public List<HeldTable> tables() throws SQLException {
        return parts.manager.tables();
    }

    /** Returns the counters of commit groups since the start. */
    public CommitCounts commitCounts() {
        return parts.master.order().counts();
    }

    /** Returns how long reads have waited for freshness since the last call, in nanoseconds. */
    public Histogram takeFreshnessWaits() {
        return parts.selector.takeWaits();
    }

    /**
     * Stops this middleware without breaking transactions: no new clients, and a limited wait for open transactions,
     * see {@link Server#drain}. Meanwhile the middleware is not ready.
     */
    public void shutDown() throws InterruptedException {
        lifecycle.announceStop();
        parts.audit.record("stop", "begun", "orderly stop");
        Duration wait = model().listen().shutdownWait();
        LOG.info(
                "shutting down: {} clients; open transactions may continue for {} s",
                parts.server.clients(),
                wait.toSeconds());
        parts.server.drain(wait);
        close();
    }

    /** Stops the components in reverse order, and returns when they are stopped; further calls have no effect. */
    @Override
    public void close() {
        lifecycle.stop();
    }
}
