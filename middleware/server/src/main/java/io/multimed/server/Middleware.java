package io.multimed.server;

import io.multimed.engine.Engine;
import io.multimed.engine.Engines;
import io.multimed.engine.memory.MemoryBudget;
import io.multimed.model.Bypass;
import io.multimed.model.CommitOrdering;
import io.multimed.model.Freshness;
import io.multimed.model.NodeSpec;
import io.multimed.model.ReadsBeforeWrite;
import io.multimed.model.Source;
import io.multimed.model.SystemModel;
import io.multimed.model.listen.Listen;
import io.multimed.model.listen.Monitoring;
import io.multimed.protocol.session.EngineIdentity;
import io.multimed.server.audit.AuditLog;
import io.multimed.server.communication.PortOptions;
import io.multimed.server.communication.RequestListener;
import io.multimed.server.communication.ReservedAddress;
import io.multimed.server.communication.Server;
import io.multimed.server.communication.ServerIdentity;
import io.multimed.server.communication.Users;
import io.multimed.server.communication.peer.LocalClients;
import io.multimed.server.communication.tls.ServerTls;
import io.multimed.server.dashboard.DashboardPort;
import io.multimed.server.dashboard.DashboardSources;
import io.multimed.server.dashboard.Traffic;
import io.multimed.server.dispatcher.Dispatcher;
import io.multimed.server.dispatcher.DispatcherOptions;
import io.multimed.server.dispatcher.administration.StatusReport;
import io.multimed.server.dispatcher.classification.StatementClassifier;
import io.multimed.server.dispatcher.routing.SatelliteSelector;
import io.multimed.server.monitoring.Metrics;
import io.multimed.server.monitoring.MonitoredServer;
import io.multimed.server.monitoring.MonitoringPort;
import io.multimed.server.monitoring.PropagationMetrics;
import io.multimed.server.node.ComputationalNode;
import io.multimed.server.node.CriticalThreads;
import io.multimed.server.node.EventLog;
import io.multimed.server.node.Refusals;
import io.multimed.server.observation.StatementObserver;
import io.multimed.server.observation.StatementTracer;
import io.multimed.server.propagation.commit.CommitCounts;
import io.multimed.server.propagation.commit.CommitPolicy;
import io.multimed.server.propagation.commit.Master;
import io.multimed.server.propagation.liveness.MasterLease;
import io.multimed.server.propagation.replication.HeldTable;
import io.multimed.server.propagation.replication.MaintenanceTask;
import io.multimed.server.propagation.replication.Satellites;
import io.multimed.server.tracing.SpanSender;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
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

    private final CriticalThreads criticalThreads = new CriticalThreads();
    private final MemoryBudget memory;
    private final Deque<AutoCloseable> started = new ArrayDeque<>();
    private final Master master;
    private final Satellites satellites = new Satellites();
    private final SatelliteManager manager;
    private final MasterControl control;
    private final MaintenanceTask maintenance;
    private final RunningSystem system;
    private final SatelliteSelector selector;
    private final StatementObserver observer;
    private final Dispatcher dispatcher;
    private final @Nullable ServerTls tls;
    private final Server server;
    private final InetSocketAddress address;
    private volatile boolean isStopping;
    private final Metrics metrics = new Metrics();
    private final EventLog events = new EventLog();
    private final Refusals refusals = new Refusals();
    private final Traffic traffic;
    private final Users users;
    private final AuditLog audit;
    private final LocalClients localClients = new LocalClients();
    private final @Nullable MonitoringPort monitoringPort;
    private final @Nullable DashboardPort dashboardPort;

    @SuppressWarnings("FutureReturnValueIgnored") // runAsync() throws no exception
    private Middleware(SystemModel model, NodeAccessResolver engines, SatelliteProvisioner provisioner)
            throws SQLException, IOException {
        this.memory = new MemoryBudget(LiveSettings.memory(model.listen().limits()));
        started.push(metrics);
        started.push(localClients);
        this.audit = AuditLog.open(model.log().auditFile());
        started.push(audit);
        this.tls = tls(model.listen(), audit);
        this.users = new Users(UserSettings.definition(model.listen()), UserSettings.hasOwnRoles(model), audit);
        this.traffic = new Traffic(model.nodes().indexOf(model.master()));
        try (ReservedAddress reserved = ReservedAddress.of(model.listen())) {
            LOG.debug("{} is free", reserved);
            this.master = startMaster(model, engines);
            this.selector = new SatelliteSelector(
                    master.node(),
                    satellites::all,
                    master.publisher().tableScns()::relations,
                    satellites.demand(),
                    LiveSettings.freshness(model.freshness()),
                    () -> maySatellitesAnswer(master.lease()),
                    criticalThreads);
            this.manager = new SatelliteManager(
                    model,
                    master,
                    satellites,
                    selector,
                    provisioner,
                    memory,
                    new SatelliteManager.Reports(events, refusals));
            this.control = new MasterControl(master, provisioner);
            started.push(control);
            this.maintenance = startSatellites(model, engines);
            this.system = new RunningSystem(
                    manager, control, new ModelChanger(manager, master, provisioner, this::settings, audit));
            EngineIdentity identity = identify();
            MasterSchemaReader schemaReader =
                    new MasterSchemaReader(master.node().engine().dialect(), master::connectWithDefaults);
            started.push(schemaReader);
            this.observer = new StatementObserver(
                    model.log(), tracer(model), master.node().engine().dialect().reader(), manager::names);
            started.push(observer);
            this.dispatcher = new Dispatcher(
                    master,
                    satellites,
                    selector,
                    new StatementClassifier(master.node().engine().dialect().reader(), schemaReader::read),
                    system,
                    new DispatcherOptions(
                            identity.defaultIsolation(),
                            model.readsBeforeWrite() == ReadsBeforeWrite.SATELLITE,
                            model.cache().size().bytes(),
                            LiveSettings.routingClasses(model.classes()),
                            model.listen().limits().statements(),
                            model.listen().limits().acquireTimeout(),
                            metrics::samples,
                            observer,
                            audit,
                            refusals),
                    memory);
            started.push(dispatcher);
            awaitEarlierLeases();
            this.server = server(model, identity);
            started.push(server);
            this.address = listen(model.listen());
            MonitoredServer observed = observe();
            this.monitoringPort = monitor(model.monitoring(), observed);
            this.dashboardPort = showDashboard(model, observed, identity);
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

    /** Returns the address of the dashboard for browsers; null if the model defines none. */
    public @Nullable String dashboardUrl() {
        return dashboardPort == null ? null : dashboardPort.url();
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

    private LiveSettings settings() {
        return new LiveSettings(selector, dispatcher, server, users, master, memory, tls, maintenance);
    }

    /** Returns the System Model as it runs now: changes at run time included. */
    public SystemModel model() {
        return manager.model();
    }

    /** Returns the JDBC URL for applications. */
    public String jdbcUrl() {
        return "jdbc:multimed://%s:%d/%s".formatted(address.getHostString(), address.getPort(), model().database());
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

    private Master startMaster(SystemModel model, NodeAccessResolver engines) throws SQLException {
        NodeSpec node = model.master();
        Engine engine = Engines.of(node.engine());
        ComputationalNode computational = new ComputationalNode(
                node.name(), model.nodes().indexOf(node), node.cores(), engine, node.pool(), memory, criticalThreads);
        computational.reportTo(events);
        computational.limitWaits(() -> acquireTimeout(model), refusals);
        started.push(computational);
        UserSettings.refuseRolesUnlessSupported(model);
        CommitPolicy policy = model.commit() == CommitOrdering.SERIAL ? CommitPolicy.SERIAL : CommitPolicy.GROUPS;
        Master running = Master.start(
                computational,
                engines.access(node),
                policy.capturing(model.bypass() == Bypass.CAPTURE).replaceable(node.source() == Source.EXTERNAL),
                SatelliteManager.captured(model),
                node.pool(),
                criticalThreads);
        started.push(running);
        running.permitRoles(
                UserSettings.passwordsOfRoles(model.listen()), node.source() == Source.EXTERNAL, users::roles);
        running.onTakenOver(() -> stopOvertaken(node.name()));
        return running;
    }

    private MaintenanceTask startSatellites(SystemModel model, NodeAccessResolver engines) {
        selector.start();
        started.push(manager);
        for (NodeSpec node : model.satellites()) {
            manager.start(node, engines.access(node));
        }
        MaintenanceTask task = new MaintenanceTask(
                master,
                satellites,
                model.queue().keptFor(),
                model.queue().keptSize().bytes());
        started.push(task);
        task.start();
        return task;
    }

    private void awaitEarlierLeases() throws SQLException {
        try {
            master.awaitEarlierLeases();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLException("interrupted while waiting for the lease of an earlier middleware", "57P03", e);
        }
    }

    private static StatementTracer tracer(SystemModel model) {
        return model.tracing()
                .<StatementTracer>map(settings -> new SpanSender(
                        settings, model.database(), model.master().engine()))
                .orElse(StatementTracer.OFF);
    }

    /** The master starts before its manager, which knows the present model. */
    private Duration acquireTimeout(SystemModel first) {
        SatelliteManager known = manager;
        return (known == null ? first : known.model()).listen().limits().acquireTimeout();
    }

    /** Reads the certificate before anything is started, because its files may be wrong. */
    private static @Nullable ServerTls tls(Listen listen, AuditLog audit) throws IOException {
        Listen.Tls files = listen.tls();
        return files == null ? null : new ServerTls(files, audit);
    }

    /** Requests are measured only for those ports that the model defines. */
    private RequestListener requestListener(SystemModel model) {
        List<RequestListener> listeners = new ArrayList<>();
        model.monitoring().ifPresent(unused -> listeners.add(metrics.requests(manager::names)));
        model.dashboard().ifPresent(unused -> listeners.add(traffic));
        return RequestListener.all(listeners);
    }

    private Server server(SystemModel model, EngineIdentity engine) {
        Listen listen = model.listen();
        return new Server(
                dispatcher,
                users,
                new ServerIdentity(model.database(), engine, model.tracing().isPresent(), manager::names),
                new PortOptions(
                        tls,
                        listen.maxClients(),
                        (int) listen.maxFrame().bytes(),
                        listen.limits(),
                        LiveSettings.idleTimeouts(listen),
                        requestListener(model),
                        audit,
                        refusals,
                        localClients,
                        master.roleLogins()),
                memory,
                criticalThreads);
    }

    private InetSocketAddress listen(Listen listen) throws IOException {
        InetSocketAddress bound = server.start(new InetSocketAddress(listen.host(), listen.port()));
        LOG.info("listening on {}", bound);
        audit.record("start", "done", "listening on %s:%d".formatted(bound.getHostString(), bound.getPort()));
        return bound;
    }

    private MonitoredServer observe() {
        MonitoredServer observed = new MonitoredServer(
                dispatcher::status,
                this::commitCounts,
                master::standstill,
                master::stoppedCommits,
                dispatcher::publishedScn,
                master.lease()::holds,
                () -> !criticalThreads.failure().isDone(),
                () -> isStopping,
                dispatcher::cacheStatistics,
                dispatcher::routingClasses,
                selector::waiting,
                observer,
                audit,
                server::clients,
                () -> model().listen().maxClients(),
                dispatcher::pinned,
                memory,
                refusals);
        metrics.observe(observed);
        PropagationMetrics propagation = metrics.propagation();
        master.onCommits(propagation::published, propagation::flushed);
        selector.onWait(nanos -> {
            propagation.freshnessWait(nanos);
            traffic.freshnessWait(nanos);
        });
        return observed;
    }

    private @Nullable DashboardPort showDashboard(SystemModel model, MonitoredServer observed, EngineIdentity engine)
            throws IOException {
        if (model.dashboard().isEmpty()) {
            return null;
        }
        DashboardSources sources = new DashboardSources(
                model.database(),
                engine.productName() + " " + engine.productVersion(),
                observed,
                traffic,
                events,
                users,
                localClients,
                system,
                server::clients,
                dispatcher::cachedStatements);
        DashboardPort port = DashboardPort.open(model.dashboard().get(), tls, sources);
        started.push(port);
        return port;
    }

    private @Nullable MonitoringPort monitor(Optional<Monitoring> wanted, MonitoredServer observed) throws IOException {
        if (wanted.isEmpty()) {
            return null;
        }
        Monitoring monitoring = wanted.get();
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
        return model().freshness().withoutMaster() == Freshness.WithoutMaster.READ || lease.holds();
    }

    /**
     * Stops this middleware after another one has taken over the master. Otherwise each of them would leave the
     * satellites of the other one outdated.
     */
    private void stopOvertaken(String name) {
        LOG.error("another middleware has taken over {}: this one stops; connect to the other one", name);
        audit.record("stop", "begun", "another middleware has taken over the master");
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
        audit.record("stop", "begun", "orderly stop");
        Duration wait = model().listen().shutdownWait();
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
        if (!started.isEmpty()) {
            audit.record("stop", "done", "");
        }
        while (!started.isEmpty()) {
            try {
                started.pop().close();
            } catch (Exception e) {
                LOG.warn("a component did not stop cleanly", e);
            }
        }
    }
}
