// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server;

import io.multimed.engine.memory.MemoryBudget;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.satellite.MaterializedView;
import io.multimed.engine.satellite.OwnIndex;
import io.multimed.engine.writeset.ReplicatedTables;
import io.multimed.model.NodeSpec;
import io.multimed.model.Source;
import io.multimed.model.SystemModel;
import io.multimed.server.dispatcher.administration.Administration.DrainOptions;
import io.multimed.server.dispatcher.routing.SatelliteSelector;
import io.multimed.server.node.ComputationalNode;
import io.multimed.server.node.EventLog;
import io.multimed.server.node.NodeState;
import io.multimed.server.node.Refusals;
import io.multimed.server.propagation.commit.Master;
import io.multimed.server.propagation.replication.Drift;
import io.multimed.server.propagation.replication.HeldTable;
import io.multimed.server.propagation.replication.Satellite;
import io.multimed.server.propagation.replication.Satellites;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The satellites of a running middleware: starts those of the System Model, and adds and removes satellites at run
 * time. The provisioner may store added satellites; the model's file is not changed. Changes of one satellite exclude
 * each other: a second one is refused while the first is in progress.
 */
final class SatelliteManager implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SatelliteManager.class);
    private static final long POLL_MILLIS = 20;

    /** Time for which a standby with wrong rows may finish its transactions before it is made again. */
    private static final Duration WAIT_BEFORE_REPAIR = Duration.ofSeconds(5);

    /** How long a satellite may be unreachable before an operation that waits for it fails. */
    private static final long UNREACHED_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Master master;
    private final Satellites satellites;
    private final SatelliteSelector selector;
    private final SatelliteProvisioner provisioner;
    private final MemoryBudget memory;
    private final Reports reports;
    private final PresentModel present;
    private final SatelliteCheck check;

    /** Replaced under this object's monitor. */
    private volatile Satellite.QueueLimits limits;

    /** Whether no further satellite starts. Guarded by this object's monitor. */
    private boolean closed;

    /** Where nodes report what happens to them, and what their limits refuse. */
    record Reports(EventLog events, Refusals refusals) {}

    SatelliteManager(
            SystemModel model,
            Master master,
            Satellites satellites,
            SatelliteSelector selector,
            SatelliteProvisioner provisioner,
            MemoryBudget memory,
            Reports reports) {
        this.reports = reports;
        this.memory = memory;
        this.present = new PresentModel(model);
        this.check = new SatelliteCheck(
                master, satellites, present, name -> reseed(name, new DrainOptions(WAIT_BEFORE_REPAIR, true)));
        this.master = master;
        this.satellites = satellites;
        this.selector = selector;
        this.provisioner = provisioner;
        this.limits = limits(model);
    }

    private static Satellite.QueueLimits limits(SystemModel model) {
        return new Satellite.QueueLimits(
                model.commits().queue().bound().bytes(),
                model.commits().queue().dropAfter().bytes());
    }

    /** Returns the System Model as it runs now. */
    SystemModel model() {
        return present.model();
    }

    /** Takes over all parts of a model but its nodes. The limits of queues apply to all satellites immediately. */
    synchronized void adopt(SystemModel settings) {
        present.adopt(settings);
        limits = limits(settings);
        for (Satellite satellite : satellites.all()) {
            satellite.setLimits(limits(present.node(satellite.node().name())));
        }
    }

    /** Returns the names of all present and former nodes; the index is a node's ordinal. */
    List<String> names() {
        return present.names();
    }

    /**
     * Starts a satellite whose engine is running.
     *
     * @throws SQLException 57P03 after {@link #close}, which would not stop the satellite
     */
    synchronized void start(NodeSpec node, NodeAccess access) throws SQLException {
        checkOpen(node);
        ComputationalNode computational = new ComputationalNode(
                node.name(),
                present.names().indexOf(node.name()),
                node.cores(),
                master.node().engine(),
                node.pool(),
                memory,
                master.criticalThreads());
        computational.reportTo(reports.events);
        computational.limitWaits(() -> model().listen().limits().acquireTimeout(), reports.refusals);
        Satellite satellite = new Satellite(
                computational, access, content(node), limits(node), master, satellites.demand(), selector::advanced);
        satellites.add(satellite);
        satellite.start();
    }

    private synchronized void checkOpen(NodeSpec node) throws SQLException {
        if (closed) {
            throw new SQLException(node.name() + " is not started, because the middleware stops", "57P03");
        }
    }

    /** Returns the limits of a satellite's queue. Commits never wait for a satellite on another machine. */
    private Satellite.QueueLimits limits(NodeSpec node) {
        return node.program().source() == Source.EXTERNAL ? limits.withoutWaiting() : limits;
    }

    private static Satellite.Content content(NodeSpec node) {
        return new Satellite.Content(
                held(node),
                node.content().indexes().stream().map(OwnIndex::new).toList(),
                node.content().views().stream()
                        .map(each -> new MaterializedView(each.view(), each.indexes()))
                        .toList(),
                Set.copyOf(node.classes()));
    }

    private static ReplicatedTables held(NodeSpec node) {
        return new ReplicatedTables(
                node.content().tables().all(), node.content().tables().names());
    }

    /** Returns the union of the tables that the satellites of a model hold (paper §3.2.2). */
    static ReplicatedTables captured(SystemModel model) {
        Set<String> tables = new HashSet<>();
        for (NodeSpec node : model.satellites()) {
            if (node.content().tables().all()) {
                return ReplicatedTables.ALL;
            }
            tables.addAll(node.content().tables().names());
        }
        return new ReplicatedTables(false, tables);
    }

    void add(String name, String definition) throws SQLException, InterruptedException {
        NodeSpec node = present.reserve(name, definition);
        try {
            launch(node, () -> provisioner.remember(name, definition));
        } catch (SQLException | RuntimeException e) {
            present.forget(name);
            throw e;
        } finally {
            present.release(name);
        }
    }

    /**
     * Adds a satellite that a changed model defines, and returns when the satellite serves. Its definition is not
     * stored: the next start reads it in the model.
     */
    void add(NodeSpec node) throws SQLException, InterruptedException {
        present.occupy(node.name());
        try {
            launchNew(node);
            awaitUp(find(node.name()));
        } finally {
            present.release(node.name());
        }
    }

    private void launchNew(NodeSpec node) throws SQLException {
        present.add(node);
        try {
            launch(node, () -> {});
        } catch (SQLException | RuntimeException e) {
            present.forget(node.name());
            throw e;
        }
    }

    /** A step between the start of an engine and the start of its satellite. */
    private interface Preparation {
        void run() throws SQLException;
    }

    /** Starts the engine of a satellite, and then the satellite. The engine stops if the satellite does not start. */
    private void launch(NodeSpec node, Preparation last) throws SQLException {
        NodeAccess access = provisioner.start(node);
        try {
            checkOpen(node); // the start of the engine may have taken long
            capture(node);
            last.run();
            start(node, access);
        } catch (SQLException | RuntimeException e) {
            stopEngine(node, e);
            throw e;
        }
    }

    /** Stops an engine after a failure, which is reported also if the engine cannot be stopped. */
    private void stopEngine(NodeSpec node, Exception failure) {
        try {
            provisioner.stop(node);
        } catch (SQLException | RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    private void capture(NodeSpec node) throws SQLException {
        try (Connection connection = master.connect()) {
            master.store().capture().captureTables(connection, held(node));
            master.publisher().tableScns().discard(); // the tables may have other ids
        }
    }

    /** Refuses a node that is being changed. */
    void checkFree(String name) throws SQLException {
        present.checkFree(name);
    }

    void drain(String name, DrainOptions options) throws SQLException, InterruptedException {
        Satellite satellite = find(name);
        present.occupy(name);
        try {
            if (satellite.node().state() == NodeState.DRAINED) {
                throw new SQLException(name + " is already drained", "55000");
            }
            close(satellite, options.force());
            awaitIdle(satellite, options);
        } finally {
            present.release(name);
        }
    }

    void resume(String name) throws SQLException {
        Satellite satellite = find(name);
        present.occupy(name);
        try {
            if (satellite.node().admits()) {
                throw new SQLException(name + " is not drained", "55000");
            }
            satellite.node().admit(true);
            selector.advanced(satellite);
        } finally {
            present.release(name);
        }
    }

    void remove(String name, DrainOptions options) throws SQLException, InterruptedException {
        Satellite satellite = find(name);
        present.occupy(name);
        try {
            close(satellite, options.force());
            awaitIdleOrCut(satellite, options);
            dismiss(satellite);
        } finally {
            present.release(name);
        }
    }

    /**
     * Removes a satellite that a changed model does not define, even if it is the last one. If transactions run for too
     * long, the satellite remains, and serves.
     */
    void removeOrReadmit(String name, DrainOptions options) throws SQLException, InterruptedException {
        Satellite satellite = find(name);
        present.occupy(name);
        try {
            vacateOrReadmit(satellite, satellite.node().admits(), options, () -> {});
            dismiss(satellite);
        } finally {
            present.release(name);
        }
    }

    /** Stops and removes a satellite that accepts no transactions. */
    private void dismiss(Satellite satellite) throws SQLException {
        String name = satellite.node().name();
        leave(satellite);
        NodeSpec node = node(name);
        present.forget(name);
        stop(node);
        LOG.info("{} was removed", name);
        reports.events.add(EventLog.Severity.INFO, name, "was removed");
    }

    private void leave(Satellite satellite) {
        satellites.remove(satellite);
        selector.stoppedServing();
        satellite.close();
    }

    /**
     * Restarts the engine of a satellite, which is drained before, and returns when the satellite has caught up. The
     * other nodes answer reads meanwhile, the master if there is no other satellite.
     */
    void restart(String name, DrainOptions options) throws SQLException, InterruptedException {
        Satellite satellite = find(name);
        present.occupy(name);
        boolean served = satellite.node().admits();
        try {
            vacate(satellite, options);
            provisioner.restart(present.node(name));
            satellite.requestReconnect();
            awaitUp(satellite);
            LOG.info("{}: the engine was restarted", name);
        } finally {
            readmit(satellite, served);
            present.release(name);
        }
    }

    /**
     * Lets a satellite continue with another definition. Its engine is stopped and started with the definition, unless
     * only what the middleware keeps of it differs. Returns when the satellite serves.
     *
     * @param restartsEngine whether the engine must be started with the new definition
     */
    void change(NodeSpec node, boolean restartsEngine, DrainOptions options) throws SQLException, InterruptedException {
        Satellite old = find(node.name());
        present.occupy(node.name());
        boolean served = old.node().admits();
        try {
            vacateOrReadmit(old, served, options, () -> capture(node));
            leave(old);
            NodeSpec before = node(node.name());
            if (restartsEngine) {
                present.forget(node.name());
                provisioner.stop(before);
                launchNew(node);
            } else {
                present.redefine(node);
                start(node, old.access());
            }
            Satellite next = find(node.name());
            next.node().admit(served);
            awaitUp(next);
        } finally {
            present.release(node.name());
        }
    }

    private void vacateOrReadmit(Satellite satellite, boolean served, DrainOptions options, Preparation last)
            throws SQLException, InterruptedException {
        boolean vacated = false;
        try {
            vacate(satellite, options);
            last.run();
            vacated = true;
        } finally {
            if (!vacated) {
                readmit(satellite, served);
            }
        }
    }

    /** Closes a satellite for new transactions, and waits for those that run. */
    private void vacate(Satellite satellite, DrainOptions options) throws SQLException, InterruptedException {
        satellite.node().admit(false);
        selector.stoppedServing();
        if (!satellite.node().awaitIdle(options.timeout().toNanos()) && !options.force()) {
            throw new SQLException(
                    "after %d s, %d transactions still run on %s, which is left as it is and serves again: wait longer (WAIT, --wait); RESTART aborts them with FORCE (--force)"
                            .formatted(
                                    options.timeout().toSeconds(),
                                    satellite.node().active(),
                                    satellite.node().name()),
                    "55006");
        }
    }

    private void readmit(Satellite satellite, boolean served) {
        satellite.node().admit(served);
        selector.advanced(satellite);
    }

    /** Pins the engine of a node to other cores, without a restart. */
    void pin(NodeSpec node, ComputationalNode computational) throws SQLException {
        provisioner.pin(node);
        computational.setCores(node.cores());
        present.redefine(node);
    }

    /**
     * Waits until a satellite serves, or could serve if it was not drained. A copy may take long.
     *
     * @throws SQLException 58000 if the satellite cannot be reached for a while; it is tried further nevertheless
     */
    private void awaitUp(Satellite satellite) throws SQLException, InterruptedException {
        ComputationalNode node = satellite.node();
        long reached = System.nanoTime();
        while (satellite.isReconnectRequested() || !SatelliteCheck.isUp(satellite)) {
            if (!satellites.all().contains(satellite)) {
                throw new SQLException(node.name() + " was removed in the meantime", "55000");
            }
            reached = node.state().isAway() ? reached : System.nanoTime();
            if (System.nanoTime() - reached > UNREACHED_NANOS) {
                throw new SQLException(
                        "%s is %s, and is tried again and again: %s"
                                .formatted(node.name(), node.state(), String.valueOf(node.trouble())),
                        "58000");
            }
            Thread.sleep(POLL_MILLIS);
        }
    }

    private void stop(NodeSpec node) throws SQLException {
        try {
            provisioner.forget(node.name());
        } finally {
            provisioner.stop(node);
        }
    }

    void reseed(String name, DrainOptions options) throws SQLException, InterruptedException {
        Satellite satellite = find(name);
        present.occupy(name);
        boolean served = satellite.node().admits();
        try {
            close(satellite, options.force());
            awaitIdleOrCut(satellite, options);
            if (master.node().engine().hasStandbys()) {
                provisioner.remake(present.node(name));
                satellite.requestReconnect();
                awaitUp(satellite);
                return;
            }
            satellite.requestReseed();
            while (satellite.isReseedRequested() && !satellite.node().state().isAway()) {
                Thread.sleep(POLL_MILLIS);
            }
        } finally {
            readmit(satellite, served);
            present.release(name);
        }
    }

    List<Drift> verify(Optional<String> satellite, boolean repair) throws SQLException, InterruptedException {
        return check.verify(satellite.isPresent() ? List.of(find(satellite.get())) : satellites.all(), repair);
    }

    List<HeldTable> tables() throws SQLException {
        return check.tables();
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

    Satellite find(String name) throws SQLException {
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

    /** Returns the definition of a running node. */
    NodeSpec node(String name) {
        return present.node(name);
    }

    /** Stops all satellites. A change that is in progress starts no further one. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        satellites.all().forEach(Satellite::close);
    }
}
