package io.multimed.server;

import io.multimed.engine.Engine;
import io.multimed.engine.Engines;
import io.multimed.engine.memory.MemoryBudget;
import io.multimed.model.Bypass;
import io.multimed.model.CommitOrdering;
import io.multimed.model.Freshness;
import io.multimed.model.NodeSpec;
import io.multimed.model.ReadsBeforeWrite;
import io.multimed.model.RoutingClassSpec;
import io.multimed.model.Source;
import io.multimed.model.SystemModel;
import io.multimed.model.listen.Limits;
import io.multimed.model.listen.Listen;
import io.multimed.model.listen.Monitoring;
import io.multimed.model.value.ByteSize;
import io.multimed.protocol.session.EngineIdentity;
import io.multimed.server.communication.IdleTimeouts;
import io.multimed.server.communication.PortOptions;
import io.multimed.server.communication.RequestListener;
import io.multimed.server.communication.ReservedAddress;
import io.multimed.server.communication.Server;
import io.multimed.server.communication.ServerIdentity;
import io.multimed.server.communication.Users;
import io.multimed.server.communication.tls.ServerTls;
import io.multimed.server.dispatcher.Dispatcher;
import io.multimed.server.dispatcher.DispatcherOptions;
import io.multimed.server.dispatcher.administration.StatusReport;
import io.multimed.server.dispatcher.admission.RoutingClass;
import io.multimed.server.dispatcher.routing.FreshnessPolicy;
import io.multimed.server.dispatcher.routing.SatelliteSelector;
import io.multimed.server.dispatcher.routing.StatementClassifier;
import io.multimed.server.monitoring.Metrics;
import io.multimed.server.monitoring.MonitoredServer;
import io.multimed.server.monitoring.MonitoringPort;
import io.multimed.server.node.ComputationalNode;
import io.multimed.server.node.CriticalThreads;
import io.multimed.server.propagation.commit.CommitCounts;
import io.multimed.server.propagation.commit.CommitPolicy;
import io.multimed.server.propagation.commit.Master;
import io.multimed.server.propagation.commit.MasterLease;
import io.multimed.server.propagation.replication.HeldTable;
import io.multimed.server.propagation.replication.MaintenanceTask;
import io.multimed.server.propagation.replication.Satellites;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The middleware of one System Model, for engines that are already running. Starts its components in order and stops
 * them in reverse order.
 */
public final class Middleware implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Middleware.class);

    /** The rest of the heap is for what the budget of clients does not count. */
    private static final int MOST_PERCENT_OF_HEAP = 75;

    private final SystemModel model;
    private final CriticalThreads criticalThreads = new CriticalThreads();
    private final MemoryBudget memory;
    private final Deque<AutoCloseable> started = new ArrayDeque<>();
    private final Master master;
    private final Satellites satellites = new Satellites();
    private final SatelliteManager manager;
    private final SatelliteSelector selector;
    private final Dispatcher dispatcher;
    private final @Nullable ServerTls tls;
    private final Server server;
    private final InetSocketAddress address;
    private volatile boolean isStopping;
    private final Metrics metrics = new Metrics();
    private final @Nullable MonitoringPort monitoringPort;

    @SuppressWarnings("FutureReturnValueIgnored") // runAsync() throws no exception
    private Middleware(SystemModel model, NodeAccessResolver engines, SatelliteProvisioner provisioner)
            throws SQLException, IOException {
        this.model = model;
        this.memory = memory(model.listen().limits());
        started.push(metrics);
        this.tls = tls(model.listen());
        try (ReservedAddress reserved = ReservedAddress.of(model.listen())) {
            LOG.debug("{} is free", reserved);
            this.master = startMaster(engines);
            this.selector = new SatelliteSelector(
                    master.node(),
                    satellites::all,
                    master.publisher().tableScns()::relations,
                    satellites.demand(),
                    freshness(model.freshness()),
                    () -> maySatellitesAnswer(master.lease()),
                    criticalThreads);
            this.manager = new SatelliteManager(model, master, satellites, selector, provisioner, memory);
            startSatellites(engines);
            EngineIdentity identity = identify();
            MasterSchemaReader schemaReader =
                    new MasterSchemaReader(master.node().engine().dialect(), master::connectWithDefaults);
            started.push(schemaReader);
            this.dispatcher = new Dispatcher(
                    master,
                    satellites,
                    selector,
                    new StatementClassifier(master.node().engine().dialect().reader(), schemaReader::read),
                    manager,
                    new DispatcherOptions(
                            identity.defaultIsolation(),
                            model.readsBeforeWrite() == ReadsBeforeWrite.SATELLITE,
                            model.cache().size().bytes(),
                            routingClasses(model.classes()),
                            model.listen().limits().statements(),
                            model.listen().limits().acquireTimeout(),
                            metrics::samples),
                    memory);
            started.push(dispatcher);
            awaitEarlierLeases();
            this.server = server(identity);
            started.push(server);
            this.address = listen();
            this.monitoringPort = monitor();
            CompletableFuture<Void> unused = criticalThreads.failure().thenRun(() -> runAsync("dying", this::close));
        } catch (SQLException | IOException | RuntimeException e) {
            close();
            throw e;
        }
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
        return new Middleware(model, engines, provisioner);
    }

    /** Returns the address that clients connect to. */
    public InetSocketAddress address() {
        return address;
    }

    /** Returns the address of the port for monitoring systems; null if the model defines none. */
    public @Nullable InetSocketAddress monitoringAddress() {
        return monitoringPort == null ? null : monitoringPort.address();
    }

    /** Returns the number of entries kept for clients: see {@link Server#remembered}. */
    public int rememberedClients() {
        return server.remembered();
    }

    /** Returns the bytes of the memory budget that clients hold now. */
    public long clientMemory() {
        return memory.taken();
    }

    /**
     * Completed with a message when this middleware cannot continue, because a component failed that commits or
     * connections depend on. The owner ends the process, or closes this middleware and starts another one. Dependent
     * actions must not block.
     */
    public CompletableFuture<String> failure() {
        return criticalThreads.failure();
    }

    /** Returns the JDBC URL for applications. */
    public String jdbcUrl() {
        return "jdbc:multimed://%s:%d/%s".formatted(address.getHostString(), address.getPort(), model.database());
    }

    /** Returns the state of all nodes. */
    public StatusReport status() {
        return dispatcher.status();
    }

    /**
     * Returns which satellites hold each table of the master.
     *
     * @throws SQLException if the master cannot be read
     */
    public List<HeldTable> tables() throws SQLException {
        return manager.tables();
    }

    /** Returns the counters of commit groups since the start. */
    public CommitCounts commitCounts() {
        return master.order().counts();
    }

    /** Returns how long reads have waited for freshness since the last call, in nanoseconds. */
    public Histogram takeFreshnessWaits() {
        return selector.takeWaits();
    }

    private Master startMaster(NodeAccessResolver engines) throws SQLException {
        NodeSpec node = model.master();
        Engine engine = Engines.of(node.engine());
        ComputationalNode computational = new ComputationalNode(
                node.name(), ordinal(node), node.cores(), engine, node.pool(), memory, criticalThreads);
        computational.limitWaits(model.listen().limits().acquireTimeout());
        started.push(computational);
        CommitPolicy policy = model.commit() == CommitOrdering.SERIAL ? CommitPolicy.SERIAL : CommitPolicy.GROUPS;
        Master running = Master.start(
                computational,
                engines.access(node),
                policy.capturing(model.bypass() == Bypass.CAPTURE).replaceable(node.source() == Source.EXTERNAL),
                SatelliteManager.captured(model),
                node.pool(),
                criticalThreads);
        started.push(running);
        running.onTakenOver(this::stopOvertaken);
        return running;
    }

    private void startSatellites(NodeAccessResolver engines) {
        selector.start();
        started.push(manager);
        for (NodeSpec node : model.satellites()) {
            manager.start(node, engines.access(node));
        }
        MaintenanceTask maintenance = new MaintenanceTask(
                master,
                satellites,
                model.queue().keptFor(),
                model.queue().keptSize().bytes());
        started.push(maintenance);
        maintenance.start();
    }

    private void awaitEarlierLeases() throws SQLException {
        try {
            master.awaitEarlierLeases();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLException("interrupted while waiting for the lease of an earlier middleware", "57P03", e);
        }
    }

    private static MemoryBudget memory(Limits limits) throws IOException {
        Optional<ByteSize> most = limits.memory();
        if (most.isEmpty()) {
            return MemoryBudget.ofHeap();
        }
        long heap = Runtime.getRuntime().maxMemory();
        if (most.get().bytes() > heap / 100 * MOST_PERCENT_OF_HEAP) {
            throw new IOException(
                    "listen.limits.memory: %s is more than %d %% of the heap, which has %d MB: write a smaller size, or give the middleware more memory (-Xmx)"
                            .formatted(most.get(), MOST_PERCENT_OF_HEAP, heap >> 20));
        }
        return new MemoryBudget(most.get().bytes());
    }

    /** Reads the certificate before anything is started, because its files may be wrong. */
    private static @Nullable ServerTls tls(Listen listen) throws IOException {
        Listen.Tls files = listen.tls();
        return files == null ? null : new ServerTls(files);
    }

    private Server server(EngineIdentity engine) throws IOException {
        Listen listen = model.listen();
        return new Server(
                dispatcher,
                new Users(listen.users(), listen.limits().perUser(), listen.usersFile()),
                new ServerIdentity(model.database(), engine, manager::names),
                new PortOptions(
                        tls,
                        listen.maxClients(),
                        (int) listen.maxFrame().bytes(),
                        listen.limits(),
                        new IdleTimeouts(
                                listen.idle().inTransaction(), listen.idle().pinned()),
                        model.monitoring().isPresent() ? metrics.requests(manager::names) : RequestListener.NONE),
                memory,
                criticalThreads);
    }

    private InetSocketAddress listen() throws IOException {
        Listen listen = model.listen();
        InetSocketAddress bound = server.start(new InetSocketAddress(listen.host(), listen.port()));
        LOG.info("listening on {}", bound);
        return bound;
    }

    private @Nullable MonitoringPort monitor() throws IOException {
        MonitoredServer observed = new MonitoredServer(
                dispatcher::status,
                this::commitCounts,
                dispatcher::publishedScn,
                master.lease()::holds,
                () -> !criticalThreads.failure().isDone(),
                () -> isStopping,
                dispatcher::cacheStatistics,
                dispatcher::routingClasses,
                server::clients,
                model.listen().maxClients(),
                dispatcher::pinned,
                memory);
        metrics.observe(observed);
        if (model.monitoring().isEmpty()) {
            return null;
        }
        Monitoring monitoring = model.monitoring().get();
        MonitoringPort port =
                MonitoringPort.open(new InetSocketAddress(monitoring.host(), monitoring.port()), metrics, observed);
        started.push(port);
        return port;
    }

    /** Reads the properties of the master's engine that drivers request often. */
    private EngineIdentity identify() throws SQLException {
        try (Connection connection = master.connect()) {
            DatabaseMetaData data = connection.getMetaData();
            EngineIdentity engine = new EngineIdentity(
                    data.getDatabaseProductName(),
                    data.getDatabaseProductVersion(),
                    data.getDatabaseMajorVersion(),
                    data.getDatabaseMinorVersion(),
                    data.getDefaultTransactionIsolation());
            connection.rollback();
            return engine;
        }
    }

    private boolean maySatellitesAnswer(MasterLease lease) {
        return model.freshness().withoutMaster() == Freshness.WithoutMaster.READ || lease.holds();
    }

    private static List<RoutingClass.Definition> routingClasses(List<RoutingClassSpec> classes) {
        return classes.stream()
                .map(each -> new RoutingClass.Definition(
                        each.name(),
                        Set.copyOf(each.tables()),
                        each.pattern().orElse(null),
                        each.slowerThan().toNanos(),
                        each.concurrency(),
                        each.queue(),
                        each.longestWait().toMillis()))
                .toList();
    }

    private static FreshnessPolicy freshness(Freshness freshness) {
        return switch (freshness.policy()) {
            case WAIT -> new FreshnessPolicy(freshness.longestWait().toMillis(), false);
            case WAIT_THEN_MASTER -> new FreshnessPolicy(freshness.longestWait().toMillis(), true);
            case MASTER -> new FreshnessPolicy(0, true);
        };
    }

    private int ordinal(NodeSpec node) {
        return model.nodes().indexOf(node);
    }

    /**
     * Stops this middleware after another one has taken over the master. Otherwise each of them would leave the
     * satellites of the other one outdated.
     */
    private void stopOvertaken() {
        LOG.error(
                "another middleware has taken over {}: this one stops; connect to the other one",
                model.master().name());
        runAsync("overtaken", this::close);
    }

    private static void runAsync(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Stops this middleware without breaking transactions: no new clients, and a limited wait for open transactions,
     * see {@link Server#drain}. Meanwhile the middleware is not ready.
     */
    public void shutDown() throws InterruptedException {
        isStopping = true;
        Duration wait = model.listen().shutdownWait();
        LOG.info(
                "shutting down: {} clients; open transactions may continue for {} s",
                server.clients(),
                wait.toSeconds());
        server.drain(wait);
        close();
    }

    /** Stops the components in reverse order; further calls have no effect. */
    @Override
    public synchronized void close() {
        while (!started.isEmpty()) {
            try {
                started.pop().close();
            } catch (Exception e) {
                LOG.warn("a component did not stop cleanly", e);
            }
        }
    }
}
