package io.multimed.server;

import io.multimed.engine.Engines;
import io.multimed.engine.memory.MemoryBudget;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.satellite.MaterializedView;
import io.multimed.engine.satellite.OwnIndex;
import io.multimed.engine.writeset.ReplicatedTables;
import io.multimed.model.ModelException;
import io.multimed.model.NodeSpec;
import io.multimed.model.Source;
import io.multimed.model.SystemModel;
import io.multimed.server.dispatcher.administration.Administration;
import io.multimed.server.dispatcher.routing.SatelliteSelector;
import io.multimed.server.node.ComputationalNode;
import io.multimed.server.node.EventLog;
import io.multimed.server.node.NodeState;
import io.multimed.server.propagation.commit.Master;
import io.multimed.server.propagation.replication.Drift;
import io.multimed.server.propagation.replication.DriftCheck;
import io.multimed.server.propagation.replication.HeldTable;
import io.multimed.server.propagation.replication.Satellite;
import io.multimed.server.propagation.replication.Satellites;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The satellites of a running middleware: starts those of the System Model, and adds and removes satellites at run
 * time. The provisioner may store added satellites; the model's file is not changed. Changes of one satellite exclude
 * each other: a second one is refused while the first is in progress.
 */
final class SatelliteManager implements Administration, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SatelliteManager.class);
    private static final long POLL_MILLIS = 20;

    private final Master master;
    private final Satellites satellites;
    private final SatelliteSelector selector;
    private final SatelliteProvisioner provisioner;
    private final MemoryBudget memory;
    private final EventLog events;
    private final Satellite.QueueLimits limits;

    /** The System Model with the present satellites. Replaced under this object's monitor. */
    private volatile SystemModel model;

    /**
     * The names of all present and former nodes; the index is a node's ordinal. Replaced under this object's monitor.
     */
    private volatile List<String> names;

    /** Names of satellites that are being changed. Guarded by this object's monitor. */
    private final Set<String> changing = new HashSet<>();

    SatelliteManager(
            SystemModel model,
            Master master,
            Satellites satellites,
            SatelliteSelector selector,
            SatelliteProvisioner provisioner,
            MemoryBudget memory,
            EventLog events) {
        this.events = events;
        this.memory = memory;
        this.model = model;
        this.names = model.nodes().stream().map(NodeSpec::name).toList();
        this.master = master;
        this.satellites = satellites;
        this.selector = selector;
        this.provisioner = provisioner;
        this.limits = new Satellite.QueueLimits(
                model.queue().bound().bytes(), model.queue().dropAfter().bytes());
    }

    /** Returns the names of all present and former nodes; the index is a node's ordinal. */
    List<String> names() {
        return names;
    }

    /** Starts a satellite whose engine is running. */
    void start(NodeSpec node, NodeAccess access) {
        ComputationalNode computational = new ComputationalNode(
                node.name(),
                names.indexOf(node.name()),
                node.cores(),
                Engines.of(node.engine()),
                node.pool(),
                memory,
                master.criticalThreads());
        computational.reportTo(events);
        computational.limitWaits(model.listen().limits().acquireTimeout());
        Satellite satellite = new Satellite(
                computational, access, content(node), limits(node), master, satellites.demand(), selector::advanced);
        satellites.add(satellite);
        satellite.start();
    }

    /** Returns the limits of a satellite's queue. Commits never wait for a satellite on another machine. */
    private Satellite.QueueLimits limits(NodeSpec node) {
        return node.source() == Source.EXTERNAL ? limits.withoutWaiting() : limits;
    }

    private static Satellite.Content content(NodeSpec node) {
        return new Satellite.Content(
                held(node),
                node.indexes().stream().map(OwnIndex::new).toList(),
                node.views().stream()
                        .map(each -> new MaterializedView(each.view(), each.indexes()))
                        .toList(),
                Set.copyOf(node.classes()));
    }

    private static ReplicatedTables held(NodeSpec node) {
        return new ReplicatedTables(node.tables().all(), node.tables().names());
    }

    /** Returns the union of the tables that the satellites of a model hold (paper §3.2.2). */
    static ReplicatedTables captured(SystemModel model) {
        Set<String> tables = new HashSet<>();
        for (NodeSpec node : model.satellites()) {
            if (node.tables().all()) {
                return ReplicatedTables.ALL;
            }
            tables.addAll(node.tables().names());
        }
        return new ReplicatedTables(false, tables);
    }

    @Override
    public void add(String name, String definition) throws SQLException, InterruptedException {
        NodeSpec node = reserve(name, definition);
        try {
            NodeAccess access = provisioner.start(node);
            try (Connection connection = master.connect()) {
                master.store().captureTables(connection, held(node));
                master.publisher().tableScns().discard(); // the tables may have other ids
                provisioner.remember(name, definition);
            } catch (SQLException e) {
                provisioner.stop(node);
                throw e;
            }
            start(node, access);
        } catch (SQLException | RuntimeException e) {
            forget(name);
            throw e;
        } finally {
            release(name);
        }
    }

    private synchronized NodeSpec reserve(String name, String definition) throws SQLException {
        try {
            SystemModel next = model.withSatellite(definition, "satellite " + name);
            NodeSpec node = next.nodes().get(next.nodes().size() - 1);
            if (!node.name().equals(name)) {
                throw new SQLException(
                        "the definition describes \"%s\", not \"%s\"".formatted(node.name(), name), "22023");
            }
            occupy(name);
            model = next;
            if (!names.contains(name)) {
                List<String> more = new ArrayList<>(names);
                more.add(name);
                names = List.copyOf(more);
            }
            return node;
        } catch (ModelException e) {
            throw new SQLException(String.valueOf(e.getMessage()), "22023", e);
        }
    }

    private synchronized void forget(String name) {
        model = model.withNodes(
                model.nodes().stream().filter(node -> !node.name().equals(name)).toList());
    }

    private synchronized void occupy(String name) throws SQLException {
        if (!changing.add(name)) {
            throw new SQLException("another change of %s is in progress; wait until it ends".formatted(name), "55006");
        }
    }

    private synchronized void release(String name) {
        changing.remove(name);
    }

    @Override
    public void drain(String name, DrainOptions options) throws SQLException, InterruptedException {
        Satellite satellite = find(name);
        occupy(name);
        try {
            if (satellite.node().state() == NodeState.DRAINED) {
                throw new SQLException(name + " is already drained", "55000");
            }
            close(satellite, options.force());
            awaitIdle(satellite, options);
        } finally {
            release(name);
        }
    }

    @Override
    public void resume(String name) throws SQLException {
        Satellite satellite = find(name);
        occupy(name);
        try {
            if (satellite.node().admits()) {
                throw new SQLException(name + " is not drained", "55000");
            }
            satellite.node().admit(true);
            selector.advanced(satellite);
        } finally {
            release(name);
        }
    }

    @Override
    public void remove(String name, DrainOptions options) throws SQLException, InterruptedException {
        Satellite satellite = find(name);
        occupy(name);
        try {
            close(satellite, options.force());
            awaitIdleOrCut(satellite, options);
            satellites.remove(satellite);
            selector.stoppedServing();
            satellite.close();
            NodeSpec node = node(name);
            forget(name);
            stop(node);
            LOG.info("{} was removed", name);
            events.add(EventLog.Severity.INFO, name, "was removed");
        } finally {
            release(name);
        }
    }

    private void stop(NodeSpec node) throws SQLException {
        try {
            provisioner.forget(node.name());
        } finally {
            provisioner.stop(node);
        }
    }

    @Override
    public void reseed(String name, DrainOptions options) throws SQLException, InterruptedException {
        Satellite satellite = find(name);
        occupy(name);
        boolean served = satellite.node().admits();
        try {
            close(satellite, options.force());
            awaitIdleOrCut(satellite, options);
            satellite.requestReseed();
            while (satellite.isReseedRequested() && !satellite.node().state().isAway()) {
                Thread.sleep(POLL_MILLIS);
            }
        } finally {
            satellite.node().admit(served);
            release(name);
        }
    }

    @Override
    public List<Drift> verify(Optional<String> satellite, boolean repair) throws SQLException, InterruptedException {
        List<Satellite> asked = satellite.isPresent() ? List.of(find(satellite.get())) : satellites.all();
        List<Drift> found = new ArrayList<>();
        for (Satellite each : asked) {
            found.addAll(new DriftCheck(master, each).run());
        }
        if (repair) {
            for (Satellite each : asked) {
                String name = each.node().name();
                if (found.stream()
                        .anyMatch(drift -> drift.isBad() && drift.satellite().equals(name))) {
                    found.addAll(repair(each));
                }
            }
        }
        return found;
    }

    @Override
    public List<HeldTable> tables() throws SQLException {
        return HeldTable.read(master, satellites.all());
    }

    /**
     * Copies a satellite again and compares it again. One satellite at a time, so that the other satellites serve
     * reads.
     */
    private List<Drift> repair(Satellite satellite) throws SQLException, InterruptedException {
        occupy(satellite.node().name());
        try {
            satellite.requestReseed();
            while (satellite.isReseedRequested() || !isUp(satellite)) {
                if (!satellites.all().contains(satellite)) {
                    throw new SQLException(satellite.node().name() + " was removed in the meantime", "55000");
                }
                Thread.sleep(POLL_MILLIS);
            }
            return new DriftCheck(master, satellite)
                    .run().stream().map(drift -> drift.inRun(2)).toList();
        } finally {
            release(satellite.node().name());
        }
    }

    private static boolean isUp(Satellite satellite) {
        return switch (satellite.node().state()) {
            case ONLINE, DRAINING, DRAINED -> true;
            case OFFLINE, DROPPED, SEEDING, RECOVERING -> false;
        };
    }

    /**
     * Closes a satellite for new transactions. Without {@code force}, fails if no other satellite could serve reads
     * then.
     */
    private synchronized void close(Satellite satellite, boolean force) throws SQLException {
        boolean last = satellite.node().state() == NodeState.ONLINE
                && satellites.all().stream()
                        .noneMatch(other -> other != satellite && other.node().state() == NodeState.ONLINE);
        if (last && !force) {
            throw new SQLException(
                    "%s is the only satellite that is ONLINE: all reads would go to the master; add or resume another satellite first, or use FORCE (--force)"
                            .formatted(satellite.node().name()),
                    "55000");
        }
        satellite.node().admit(false);
        selector.stoppedServing();
    }

    private static void awaitIdle(Satellite satellite, DrainOptions options) throws SQLException, InterruptedException {
        ComputationalNode node = satellite.node();
        if (!node.awaitIdle(options.timeout().toNanos())) {
            throw new SQLException(
                    "after %d s, %d transactions still run on %s, which accepts no new ones: repeat the statement to wait longer, or use RESUME"
                            .formatted(options.timeout().toSeconds(), node.active(), node.name()),
                    "55006");
        }
    }

    private static void awaitIdleOrCut(Satellite satellite, DrainOptions options)
            throws SQLException, InterruptedException {
        if (!options.force()) {
            awaitIdle(satellite, options);
        } else if (!satellite.node().awaitIdle(options.timeout().toNanos())) {
            LOG.warn(
                    "{}: aborting {} transactions",
                    satellite.node().name(),
                    satellite.node().active());
        }
    }

    private Satellite find(String name) throws SQLException {
        if (name.equals(master.node().name())) {
            throw new SQLException(name + " is the master: only satellites can be added, removed or drained", "42809");
        }
        return satellites
                .find(name)
                .orElseThrow(() -> new SQLException(
                        "satellite \"%s\" does not exist; the satellites are: %s"
                                .formatted(
                                        name,
                                        String.join(
                                                ", ",
                                                satellites.all().stream()
                                                        .map(each -> each.node().name())
                                                        .toList())),
                        "42704"));
    }

    private NodeSpec node(String name) {
        return model.nodes().stream()
                .filter(node -> node.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Override
    public void close() {
        satellites.all().forEach(Satellite::close);
    }
}
