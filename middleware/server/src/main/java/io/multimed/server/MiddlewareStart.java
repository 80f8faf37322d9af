// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server;

import io.multimed.engine.Engine;
import io.multimed.engine.memory.MemoryBudget;
import io.multimed.model.Bypass;
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
import io.multimed.server.dispatcher.classification.StatementClassifier;
import io.multimed.server.dispatcher.routing.SatelliteSelector;
import io.multimed.server.monitoring.ManagementBean;
import io.multimed.server.monitoring.Metrics;
import io.multimed.server.monitoring.MonitoredServer;
import io.multimed.server.monitoring.MonitoringPort;
import io.multimed.server.monitoring.PropagationMetrics;
import io.multimed.server.node.ComputationalNode;
import io.multimed.server.node.CriticalThreads;
import io.multimed.server.node.EventLog;
import io.multimed.server.node.NamedThreads;
import io.multimed.server.node.Refusals;
import io.multimed.server.observation.StatementObserver;
import io.multimed.server.observation.StatementTracer;
import io.multimed.server.propagation.commit.CommitPolicy;
import io.multimed.server.propagation.commit.Master;
import io.multimed.server.propagation.liveness.MasterLease;
import io.multimed.server.propagation.replication.MaintenanceTask;
import io.multimed.server.propagation.replication.Satellites;
import io.multimed.server.tracing.SpanSender;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One start of a middleware: creates and starts its components in order, and registers them with the {@link Lifecycle}.
 * Used once, by one thread; the middleware may fail or be overtaken meanwhile.
 */
final class MiddlewareStart {
    private static final Logger LOG = LoggerFactory.getLogger(MiddlewareStart.class);

    private final SystemModel first;

    /** Whether the middleware runs within an application. */
    private final boolean embedded;

    /** Whether the middleware has a port for clients. */
    private final boolean listens;

    private final NodeAccessResolver engines;
    private final SatelliteProvisioner provisioner;
    private final Lifecycle lifecycle = new Lifecycle();
    private final CriticalThreads criticalThreads = new CriticalThreads();
    private final Metrics metrics;
    private final LocalClients localClients = new LocalClients();
    private final Satellites satellites = new Satellites();
    private final EventLog events = new EventLog();
    private final Refusals refusals = new Refusals();
    private final Traffic traffic;

    /** Returns the System Model as it runs: the first one until the manager of the satellites exists. */
    private volatile Supplier<SystemModel> present;

    MiddlewareStart(SystemModel first, boolean embedded, NodeAccessResolver engines, SatelliteProvisioner provisioner) {
        this.embedded = embedded;
        this.listens = !embedded || first.listen().embedded();
        this.first = first;
        this.engines = engines;
        this.provisioner = provisioner;
        this.metrics = new Metrics(embedded ? Optional.of(first.database()) : Optional.empty());
        this.traffic = new Traffic(first.nodes().indexOf(first.master()));
        this.present = () -> first;
    }

    /** What needs no engine. */
    private record Foundation(
            MemoryBudget memory, AuditLog audit, @Nullable ServerTls tls, Users users) {}

    /** The nodes, and what controls them. */
    private record Nodes(
            Master master,
            SatelliteSelector selector,
            SatelliteManager manager,
            MasterControl control,
            MaintenanceTask maintenance) {}

    /**
     * Starts everything.
     *
     * @throws SQLException if the master cannot be reached or used, or if the middleware has failed or was overtaken
     *     while it started
     */
    Middleware run() throws SQLException, IOException {
        CompletableFuture<Void> unused = criticalThreads
                .failure()
                .thenRun(() ->
                        new NamedThreads("stop").newThread(lifecycle::stop).start());
        try {
            return startAll();
        } catch (SQLException | IOException | RuntimeException e) {
            lifecycle.stop();
            Optional<String> reason = criticalThreads.reason();
            if (reason.isPresent()) {
                throw new SQLException(reason.get(), "57P03", e);
            }
            throw e;
        } catch (Error e) {
            lifecycle.stop(); // otherwise the fence would refuse the next start in this process
            throw e;
        }
    }

    private Middleware startAll() throws SQLException, IOException {
        Foundation base = startFoundation();
        try (ReservedAddress reserved = listens ? ReservedAddress.of(first.listen()) : ReservedAddress.none()) {
            LOG.debug("{} is free", reserved);
            Nodes nodes = startNodes(base);
            EngineIdentity identity = identify(nodes.master);
            CompletableFuture<LiveSettings> settings = new CompletableFuture<>();
            ModelChanger changer =
                    new ModelChanger(nodes.manager, nodes.master, provisioner, settings::join, base.audit);
            RunningSystem system = new RunningSystem(nodes.manager, nodes.control, changer);
            StatementObserver observer = lifecycle.add(new StatementObserver(
                    first.observation().log(),
                    tracer(),
                    nodes.master.node().engine().dialect().reader(),
                    nodes.manager::names));
            Dispatcher dispatcher = startDispatcher(base, nodes, system, observer, identity);
            awaitEarlierLeases(nodes.master);
            Server server = server(base, nodes, dispatcher, identity);
            settings.complete(new LiveSettings(
                    nodes.selector,
                    dispatcher,
                    server,
                    base.users,
                    nodes.master,
                    base.memory,
                    standardMemory(),
                    base.tls,
                    nodes.maintenance));
            @Nullable InetSocketAddress address = listen(server, base.audit);
            MonitoredServer observed = observe(base, nodes, dispatcher, server, observer);
            MonitoringPort monitoring = monitor(observed);
            DashboardPort dashboard = showDashboard(base, system, observed, dispatcher, server, identity);
            return new Middleware(
                    lifecycle,
                    new Middleware.Parts(
                            criticalThreads,
                            base.memory,
                            base.audit,
                            nodes.master,
                            nodes.manager,
                            nodes.selector,
                            dispatcher,
                            server),
                    new Middleware.Ports(address, monitoring, dashboard));
        }
    }

    private long standardMemory() {
        return embedded ? MemoryBudget.standardOfApplications() : MemoryBudget.standard();
    }

    /** Reads the certificate before any engine is used, because its files may be wrong. */
    private Foundation startFoundation() throws IOException {
        lifecycle.add(metrics);
        lifecycle.add(localClients);
        MemoryBudget memory =
                new MemoryBudget(LiveSettings.memory(first.listen().limits(), standardMemory()));
        AuditLog audit = lifecycle.add(AuditLog.open(first.observation().log().auditFile()));
        lifecycle.add(() -> audit.record("stop", "done", ""));
        Listen.Tls files = first.listen().tls();
        ServerTls tls = files == null ? null : new ServerTls(files, audit);
        Users users = new Users(UserSettings.definition(first.listen()), UserSettings.hasOwnRoles(first), audit);
        return new Foundation(memory, audit, tls, users);
    }

    private Nodes startNodes(Foundation base) throws SQLException {
        Master master = startMaster(base);
        SatelliteSelector selector = new SatelliteSelector(
                master.node(),
                satellites::all,
                master.publisher().tableScns()::relations,
                satellites.demand(),
                LiveSettings.freshness(first.reads().freshness()),
                () -> maySatellitesAnswer(master.ownership().lease()),
                criticalThreads);
        SatelliteManager manager = new SatelliteManager(
                first,
                master,
                satellites,
                selector,
                provisioner,
                base.memory,
                new SatelliteManager.Reports(events, refusals));
        present = manager::model;
        MasterControl control = lifecycle.add(new MasterControl(master, provisioner));
        return new Nodes(master, selector, manager, control, startSatellites(master, selector, manager));
    }

    private Master startMaster(Foundation base) throws SQLException {
        NodeSpec node = first.master();
        Engine engine = UserSettings.engine(first);
        ComputationalNode computational = lifecycle.add(new ComputationalNode(
                node.name(),
                first.nodes().indexOf(node),
                node.cores(),
                engine,
                node.pool(),
                base.memory,
                criticalThreads));
        computational.reportTo(events);
        computational.limitWaits(() -> present.get().listen().limits().acquireTimeout(), refusals);
        UserSettings.refuseRolesUnlessSupported(first);
        CommitPolicy policy = switch (first.commits().order()) {
            case SERIAL -> CommitPolicy.SERIAL;
            case CONCURRENT -> CommitPolicy.GROUPS;
            case GROUP -> first.hasStandbys() ? CommitPolicy.LOG : CommitPolicy.GROUPS;
        };
        boolean external = node.program().source() == Source.EXTERNAL;
        Master master = lifecycle.add(Master.start(
                computational,
                engines.access(node),
                policy.capturing(first.commits().bypass() == Bypass.CAPTURE).replaceable(external),
                SatelliteManager.captured(first),
                node.pool(),
                criticalThreads));
        master.pools().permitRoles(UserSettings.passwordsOfRoles(first.listen()), external, base.users::roles);
        master.onTakenOver(() -> fail(
                base.audit,
                "another middleware has taken over the node %s: this one stops; connect to the other one"
                        .formatted(node.name())));
        return master;
    }

    /**
     * Ends this middleware after another one has taken over the master. Otherwise each of them would leave the
     * satellites of the other one outdated.
     */
    private void fail(AuditLog audit, String reason) {
        LOG.error("{}", reason);
        audit.record("stop", "begun", "another middleware has taken over the master");
        criticalThreads.fail(reason);
    }

    private MaintenanceTask startSatellites(Master master, SatelliteSelector selector, SatelliteManager manager)
            throws SQLException {
        lifecycle.start(selector, selector::start);
        lifecycle.<SatelliteManager, SQLException>start(manager, () -> {
            for (NodeSpec node : first.satellites()) {
                manager.start(node, engines.access(node));
            }
        });
        MaintenanceTask task = new MaintenanceTask(
                master,
                satellites,
                first.commits().queue().keptFor(),
                first.commits().queue().keptSize().bytes());
        return lifecycle.start(task, task::start);
    }

    private Dispatcher startDispatcher(
            Foundation base, Nodes nodes, RunningSystem system, StatementObserver observer, EngineIdentity identity) {
        Master master = nodes.master;
        MasterSchemaReader schemaReader = lifecycle.add(new MasterSchemaReader(
                master.node().engine().dialect(), master.ownership().connections()::openWithDefaults));
        return lifecycle.add(new Dispatcher(
                master,
                satellites,
                nodes.selector,
                new StatementClassifier(master.node().engine().dialect().reader(), schemaReader::read),
                system,
                new DispatcherOptions(
                        identity.defaultIsolation(),
                        first.reads().beforeWrite() == ReadsBeforeWrite.SATELLITE,
                        first.reads().cache().size().bytes(),
                        LiveSettings.routingClasses(first.reads().classes()),
                        first.listen().limits().statements(),
                        first.listen().limits().acquireTimeout(),
                        metrics::samples,
                        observer,
                        base.audit,
                        refusals),
                base.memory));
    }

    private StatementTracer tracer() {
        return first.observation()
                .tracing()
                .<StatementTracer>map(settings -> new SpanSender(
                        settings, first.database(), first.master().engine()))
                .orElse(StatementTracer.OFF);
    }

    private static void awaitEarlierLeases(Master master) throws SQLException {
        try {
            master.ownership().awaitEarlierLeases();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLException("interrupted while waiting for the lease of an earlier middleware", "57P03", e);
        }
    }

    /** Requests are measured only for those ports that the model defines. */
    private RequestListener requestListener(SatelliteManager manager) {
        List<RequestListener> listeners = new ArrayList<>();
        first.observation().monitoring().ifPresent(unused -> listeners.add(metrics.requests(manager::names)));
        first.observation().dashboard().ifPresent(unused -> listeners.add(traffic));
        return RequestListener.all(listeners);
    }

    private Server server(Foundation base, Nodes nodes, Dispatcher dispatcher, EngineIdentity engine) {
        Listen listen = first.listen();
        return new Server(
                dispatcher,
                base.users,
                new ServerIdentity(
                        first.database(), engine, first.observation().tracing().isPresent(), nodes.manager::names),
                new PortOptions(
                        base.tls,
                        listen.maxClients(),
                        (int) listen.maxFrame().bytes(),
                        listen.limits(),
                        LiveSettings.idleTimeouts(listen),
                        requestListener(nodes.manager),
                        base.audit,
                        refusals,
                        localClients,
                        nodes.master.pools().roleLogins()),
                base.memory,
                listens,
                criticalThreads);
    }

    private @Nullable InetSocketAddress listen(Server server, AuditLog audit) throws IOException {
        Listen listen = first.listen();
        lifecycle.start(server, () -> server.start(new InetSocketAddress(listen.host(), listen.port())));
        InetSocketAddress bound = server.address();
        if (bound == null) {
            audit.record("start", "done", "for clients within this process");
        } else {
            LOG.info("listening on {}", bound);
            audit.record("start", "done", "listening on %s:%d".formatted(bound.getHostString(), bound.getPort()));
        }
        return bound;
    }

    private MonitoredServer observe(
            Foundation base, Nodes nodes, Dispatcher dispatcher, Server server, StatementObserver observer) {
        Master master = nodes.master;
        MonitoredServer observed = new MonitoredServer(
                new MonitoredServer.Condition(
                        criticalThreads::reason,
                        lifecycle::isStopping,
                        master.ownership().lease()::holds),
                dispatcher::status,
                new MonitoredServer.Commits(
                        master.order()::counts, master::standstill, master::stoppedCommits, dispatcher::publishedScn),
                new MonitoredServer.Reads(
                        dispatcher::cacheStatistics, dispatcher::routingClasses, nodes.selector::waiting),
                new MonitoredServer.Clients(
                        server::clients, () -> present.get().listen().maxClients(), dispatcher::pinned),
                observer,
                base.audit,
                base.memory,
                refusals);
        metrics.observe(observed);
        lifecycle.add(ManagementBean.register(first.database(), dispatcher::status, metrics));
        PropagationMetrics propagation = metrics.propagation();
        master.onCommits(propagation::published, propagation::flushed);
        nodes.selector.onWait(nanos -> {
            propagation.freshnessWait(nanos);
            traffic.freshnessWait(nanos);
        });
        return observed;
    }

    private @Nullable DashboardPort showDashboard(
            Foundation base,
            RunningSystem system,
            MonitoredServer observed,
            Dispatcher dispatcher,
            Server server,
            EngineIdentity engine)
            throws IOException {
        if (first.observation().dashboard().isEmpty()) {
            return null;
        }
        DashboardSources sources = new DashboardSources(
                first.database(),
                engine.productName() + " " + engine.productVersion(),
                observed,
                traffic,
                events,
                base.users,
                localClients,
                system,
                server::clients,
                dispatcher::cachedStatements);
        return lifecycle.add(DashboardPort.open(first.observation().dashboard().get(), base.tls, sources));
    }

    private @Nullable MonitoringPort monitor(MonitoredServer observed) throws IOException {
        if (first.observation().monitoring().isEmpty()) {
            return null;
        }
        Monitoring monitoring = first.observation().monitoring().get();
        return lifecycle.add(
                MonitoringPort.open(new InetSocketAddress(monitoring.host(), monitoring.port()), metrics, observed));
    }

    /** Reads the properties of the master's engine that drivers request often. */
    private static EngineIdentity identify(Master master) throws SQLException {
        try (Connection connection = master.ownership().connections().openWithDefaults()) {
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
        return present.get().reads().freshness().withoutMaster() == Freshness.WithoutMaster.READ || lease.holds();
    }
}
