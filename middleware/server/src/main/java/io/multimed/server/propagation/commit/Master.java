// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

import io.multimed.engine.Engine;
import io.multimed.engine.extraction.WriteSetExtractor;
import io.multimed.engine.master.BypassStore;
import io.multimed.engine.master.Fencing;
import io.multimed.engine.master.MasterStore;
import io.multimed.engine.master.Retention;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.satellite.CopySnapshot;
import io.multimed.engine.writeset.ReplicatedTables;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.server.node.ComputationalNode;
import io.multimed.server.node.CriticalThreads;
import io.multimed.server.node.NodeState;
import io.multimed.server.node.group.GroupWorkers;
import io.multimed.server.node.session.MasterDefaults;
import io.multimed.server.propagation.freshness.TableNamesReader;
import io.multimed.server.propagation.liveness.MasterConnections;
import io.multimed.server.propagation.liveness.MasterHeartbeat;
import io.multimed.server.propagation.liveness.MasterOwnership;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The master node: the durable copy of the database, the commit order, the publisher, and the connection that keeps
 * other middlewares away from the master ("fencing"). Clients' threads use the commit order and the publisher; {@link
 * #maintain} runs on the maintenance thread.
 */
public final class Master implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Master.class);

    /** Interval between checks for tables that were changed past the middleware. */
    private static final long RECAPTURE_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** Longest wait of a stop for maintenance, which may wait for a master that does not respond. */
    private static final long STOP_SECONDS = 5;

    private static final String PAUSED = "paused by an administrator: transactions wait";

    private final ComputationalNode node;
    private final NodeAccess access;
    private final Engine engine;
    private final MasterStore store;
    private final WriteSetExtractor extractor;

    /**
     * Identifies the history of commits that the satellites follow. Read again by the maintenance thread when the
     * master was unreachable, or when its tables were changed past the middleware.
     */
    private volatile UUID historyId;

    private final CriticalThreads criticalThreads;
    private final MasterLog log;
    private final Publisher publisher;
    private final GroupCommitOrder order;
    private final OrderWatch watch;

    /** The monitor and the timeout exist if transactions that bypass the middleware are captured. */
    private final Optional<BypassMonitor> bypassMonitor;

    private final Optional<BypassTimeout> bypassTimeout;

    private final Optional<Certifier> certifier;
    private final VisibilityBarrier visibilityBarrier;
    private final MasterPools pools;
    private final MasterDefaults defaults;

    /**
     * Held while the middleware's hold on the master is checked or renewed, during calls of JDBC that the heartbeat
     * bounds, and while the master stops. Protects the pools and the state of the node, and lets one thread at a time
     * open the fence.
     */
    private final ReentrantLock maintenance = new ReentrantLock();

    private final MasterOwnership ownership;
    private final TableNamesReader tableNames;

    /** Union of the tables that the satellites of the model hold. */
    private final ReplicatedTables captured;

    /** Whether the master was unreachable at the last maintenance. Used under {@link #maintenance} only. */
    private boolean wasAway;

    /**
     * Time of the last check for changes past the middleware, by {@link System#nanoTime}. Used by the maintenance
     * thread only.
     */
    private long recaptured = System.nanoTime();

    /** Runs when another middleware has taken over. Set before the maintenance thread starts. */
    private Runnable takenOver = () -> {};

    /** The state of the master when this middleware has taken over. */
    private record Beginning(UUID historyId, Scn last, int isolation) {}

    private Master(
            ComputationalNode node,
            NodeAccess access,
            CommitPolicy policy,
            ReplicatedTables captured,
            MasterOwnership ownership,
            Beginning beginning,
            MasterPools pools,
            CriticalThreads criticalThreads)
            throws SQLException {
        this.criticalThreads = criticalThreads;
        this.captured = captured;
        this.node = node;
        this.access = access;
        this.ownership = ownership;
        this.pools = pools;
        this.engine = node.engine();
        this.store = engine.masterStore();
        this.historyId = beginning.historyId;
        MasterConnections connections = ownership.connections();
        this.extractor = engine.extractor(policy.durableCommits(), ownership.epoch());
        Optional<BypassStore> bypass = policy.captureBypassing() ? store.bypass() : Optional.empty();
        this.log = new MasterLog(
                engine,
                access.node(),
                connections::openForLog,
                beginning.last,
                !extractor.commitsAreDurable(),
                engine.hasStandbys() ? Optional.empty() : bypass);
        this.publisher = new Publisher(beginning.last, log, engine.dialect().catalog()::rowValues, criticalThreads);
        this.order = new GroupCommitOrder(
                policy.largestGroup(),
                policy.oneByOne(),
                publisher,
                engine.dialect().errors()::isConnectionFailure,
                criticalThreads);
        this.watch = new OrderWatch(
                order, publisher, store.fencing(), engine.dialect().errors(), connections::openAside, criticalThreads);
        this.certifier = extractor.mustCertify()
                ? Optional.of(new Certifier(publisher, order, beginning.last))
                : Optional.empty();
        certifier.ifPresent(found -> publisher.onCommit(found::committed));
        this.bypassTimeout = bypass.map(BypassTimeout::new);
        this.bypassMonitor = bypass.map(found -> new BypassMonitor(
                found, ownership::openAdmitted, order, publisher, pools.groupWorkers()::execute, criticalThreads));
        this.visibilityBarrier = bypassMonitor
                .<VisibilityBarrier>map(watch -> watch)
                .orElse((action, lost) -> publisher.whenPublished(order.begun(), action, lost));
        bypassMonitor.ifPresent(publisher::setVisibilityBarrier);
        this.tableNames = new TableNamesReader(
                publisher.tableScns(),
                engine.dialect().catalog(),
                connections::open,
                this::awaitVisibility,
                criticalThreads);
        this.defaults = new MasterDefaults(engine, access, pools::renewConnections, pools::reopenRoles);
    }

    /**
     * Takes over the master: ends sessions of an earlier middleware, installs the triggers, reads the end of the commit
     * order, and opens the connections.
     *
     * @param captured the union of the tables that the satellites hold
     * @param connections number of connections for clients
     * @param criticalThreads watch the threads of the commit order
     * @throws SQLException if the master cannot be reached or belongs to another middleware
     */
    public static Master start(
            ComputationalNode node,
            NodeAccess access,
            CommitPolicy policy,
            ReplicatedTables captured,
            int connections,
            CriticalThreads criticalThreads)
            throws SQLException {
        try {
            MasterOwnership ownership = MasterOwnership.take(
                    node.engine(),
                    access,
                    captured,
                    policy.captureBypassing(),
                    policy.mayBeReplaced(),
                    criticalThreads);
            return start(node, access, policy, captured, connections, ownership, criticalThreads);
        } catch (SQLException e) {
            throw NodeAccess.isLackOfPrivilege(e) ? access.unprivileged(e) : e;
        }
    }

    private static Master start(
            ComputationalNode node,
            NodeAccess access,
            CommitPolicy policy,
            ReplicatedTables captured,
            int connections,
            MasterOwnership ownership,
            CriticalThreads criticalThreads)
            throws SQLException {
        boolean done = false;
        try {
            Beginning beginning = resume(node.engine().masterStore(), ownership);
            MasterPools pools = MasterPools.open(
                    node,
                    access,
                    policy.durableCommits(),
                    connections,
                    beginning.isolation,
                    ownership.epoch(),
                    criticalThreads);
            Master master = begin(node, access, policy, captured, ownership, beginning, pools, criticalThreads);
            done = true;
            return master;
        } finally {
            if (!done) {
                ownership.close();
                ownership.loseFence(); // otherwise its lock would block the next attempt
            }
        }
    }

    private static Master begin(
            ComputationalNode node,
            NodeAccess access,
            CommitPolicy policy,
            ReplicatedTables captured,
            MasterOwnership ownership,
            Beginning beginning,
            MasterPools pools,
            CriticalThreads criticalThreads)
            throws SQLException {
        boolean done = false;
        try {
            Master master = new Master(node, access, policy, captured, ownership, beginning, pools, criticalThreads);
            node.setState(NodeState.ONLINE, null);
            master.startThreads();
            LOG.info("{}: the last commit is {}", access, master.publisher.published());
            done = true;
            return master;
        } finally {
            if (!done) {
                pools.groupWorkers().close(); // the other pools belong to the node
            }
        }
    }

    /** Makes commits visible that an earlier middleware did not force, and returns where this one continues. */
    private static Beginning resume(MasterStore store, MasterOwnership ownership) throws SQLException {
        Connection fence = ownership.fence(regained -> {});
        int isolation = defaultIsolation(ownership);
        UUID historyId = store.seeds().historyId(fence);
        Scn last = store.log().resume(fence);
        store.logForcing().forceLog(fence);
        fence.commit();
        return new Beginning(historyId, last, isolation);
    }

    /** Returns the level of sessions with the defaults of the server, the database and the user. */
    private static int defaultIsolation(MasterOwnership ownership) throws SQLException {
        try (Connection connection = ownership.connections().openWithDefaults()) {
            return connection.getMetaData().getDefaultTransactionIsolation();
        }
    }

    /** Starts the threads; ends those that have started if one of them cannot be started. */
    private void startThreads() {
        boolean done = false;
        try {
            startAll();
            done = true;
        } finally {
            if (!done) {
                close();
            }
        }
    }

    private void startAll() {
        log.open();
        publisher.start();
        watch.start();
        bypassMonitor.ifPresent(BypassMonitor::start);
        ownership.start(() -> List.of(
                node.inUse(),
                pools.groupWorkers().inUse(),
                ownership.connections().inUse()));
        tableNames.start();
    }

    public ComputationalNode node() {
        return node;
    }

    /** Returns the threads that commits depend on. */
    public CriticalThreads criticalThreads() {
        return criticalThreads;
    }

    /** Returns the pools of connections for clients' statements. */
    public MasterPools pools() {
        return pools;
    }

    /** Returns the threads and connections for statements that run inside commit groups. */
    public GroupWorkers groupWorkers() {
        return pools.groupWorkers();
    }

    /** Returns the hold of this middleware on the master. */
    public MasterOwnership ownership() {
        return ownership;
    }

    /**
     * Sets the receivers of measurements, which must not block.
     *
     * @param groupSize receives the number of members of each published commit group
     * @param flush receives the nanoseconds of each flush of the master's log that served commit groups
     */
    public void onCommits(IntConsumer groupSize, LongConsumer flush) {
        publisher.onPublish(groupSize);
        log.onForce(flush);
    }

    public CommitOrder order() {
        return order;
    }

    /** Returns why no commit has ended for some seconds; empty if commits proceed. Called by any thread. */
    public Optional<Standstill> standstill() {
        return watch.standstill()
                .or(() -> bypassMonitor
                        .filter(monitor -> monitor.checkNanos() > OrderWatch.REPORTED_NANOS)
                        .map(monitor -> new Standstill(
                                TimeUnit.NANOSECONDS.toSeconds(monitor.checkNanos()),
                                "the engine is asked for commits that bypass the middleware")));
    }

    /** Returns the number of commits that were stopped because all others waited for them. */
    public long stoppedCommits() {
        return watch.stopped();
    }

    public Publisher publisher() {
        return publisher;
    }

    public WriteSetExtractor extractor() {
        return extractor;
    }

    /** Returns the certifier of transactions, if the engine does not detect conflicts itself; otherwise empty. */
    public Optional<Certifier> certifier() {
        return certifier;
    }

    /** Defers the recording of DDL on a connection: see {@link MasterStore#deferDdl}. */
    public void deferDdl(Connection connection, boolean later) throws SQLException {
        store.ddl().deferDdl(connection, later, ownership.epoch());
    }

    public MasterStore store() {
        return store;
    }

    /**
     * Sets the receiver of changes of the schema by commits that bypass the middleware, where these have no WriteSets
     * of their own. Called before reads see the changes; must not block.
     */
    public void onDirectSchemaChange(Consumer<WriteSet> receiver) {
        bypassMonitor.ifPresent(monitor -> monitor.onSchemaChange(receiver));
    }

    /** Returns whether satellites show commits that have not come through the middleware, and reads must see them. */
    public boolean mustAskBeforeReads() {
        return engine.hasStandbys() && bypassMonitor.isPresent();
    }

    /**
     * Asks the master for its last commit. All that ask at the same time share one question. Does not block.
     *
     * @return a published position that is not before any commit that preceded the call; fails if the master cannot be
     * asked
     */
    public CompletableFuture<Scn> askLatestCommit() {
        CompletableFuture<Scn> latest = new CompletableFuture<>();
        whenLatestPublished(
                () -> latest.complete(publisher.published()), () -> latest.completeExceptionally(LostCommits.error()));
        return latest;
    }

    /**
     * Runs an action when the last commit of the master is published, as {@link #askLatestCommit} asks for it. Called
     * before a read, which has seen nothing on the master, and only if {@link #mustAskBeforeReads}.
     *
     * @param failed runs instead if the master cannot be asked
     */
    public void whenLatestPublished(Runnable action, Runnable failed) {
        bypassMonitor.orElseThrow().whenLatestPublished(action, failed);
    }

    /** Returns the barrier that delays the answer to the end of a transaction. */
    public VisibilityBarrier visibilityBarrier() {
        return visibilityBarrier;
    }

    /**
     * Begins a snapshot that lasts until the end of the transaction. Called while the commit order is paused.
     *
     * @param published last published SCN
     * @return the last SCN that the snapshot contains: {@code published}, or the SCN of a transaction that has bypassed
     * the middleware since
     */
    public Scn beginSnapshot(Connection connection, Scn published) throws SQLException {
        store.seeds().beginSnapshot(connection);
        Scn bypassing = bypassMonitor.isPresent() ? store.bypass().orElseThrow().last(connection) : Scn.ZERO;
        return bypassing.isAfter(published) ? bypassing : published;
    }

    /**
     * Returns when all commits that were visible on the master before the call are published.
     *
     * @throws SQLException 40001 if a crash of the master has undone some of them
     */
    public void awaitVisibility() throws SQLException, InterruptedException {
        CompletableFuture<Boolean> seen = new CompletableFuture<>();
        visibilityBarrier.whenPublished(() -> seen.complete(true), () -> seen.complete(false));
        try {
            if (!seen.get()) {
                throw LostCommits.error();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Opens a snapshot of the master for a comparison with a satellite; the caller closes it. */
    public CopySnapshot openSnapshot() throws SQLException {
        return engine.openSnapshot(access);
    }

    /** Returns the settings with which clients' sessions begin. */
    public MasterDefaults defaults() {
        return defaults;
    }

    public UUID historyId() {
        return historyId;
    }

    /** Opens a connection for the middleware's own work; the caller closes it. */
    public Connection connect() throws SQLException {
        return ownership.connections().open();
    }

    /**
     * Checks whether the master is reachable, updates its state, and discards sealed WriteSets that are no longer
     * needed. Called about once per second by the maintenance thread.
     *
     * @param applied SCN that all reachable satellites have applied
     * @param retention limits for WriteSets of satellites that are not reachable
     */
    public void maintain(Scn applied, Retention retention) {
        maintenance.lock();
        try {
            Connection current = ownership.fence(this::regained);
            try (Statement statement = current.createStatement()) {
                statement.execute("SELECT 1");
            }
            current.commit();
            if (bypassTimeout.isPresent()) {
                bypassTimeout.get().check(current);
            }
            renewStarvedPools();
            updateState(current);
            defaults.check(current);
            store.log().drop(current, applied, retention);
            recapture(current);
        } catch (SQLException e) {
            node.setState(
                    NodeState.OFFLINE,
                    ownership.isSilent()
                            ? "it has not responded for %d s".formatted(MasterHeartbeat.LIMIT_SECONDS)
                            : e.getMessage());
            wasAway = true;
            ownership.loseFence();
            if (Fencing.OVERTAKEN.equals(e.getSQLState())) {
                takenOver.run();
            }
        } finally {
            maintenance.unlock();
        }
    }

    /**
     * Opens all connections again after the engine has been stopped and started on the same data. Called while the node
     * is paused.
     *
     * @throws SQLException if the master cannot be used yet; the call may be repeated
     */
    public void reconnect() throws SQLException {
        maintenance.lock();
        try {
            ownership.loseFence();
            Connection current = ownership.fence(this::regained);
            current.commit();
            pools.replace();
            wasAway = false;
            updateState(current);
        } finally {
            maintenance.unlock();
        }
    }

    /** Returns the reason why commits wait, if they do, and logs it once. */
    private @Nullable String heldUp(Connection current) throws SQLException {
        String awaited =
                log.isHeldUp() ? store.logForcing().describeWait(current).orElse(null) : null;
        if (awaited != null && node.trouble() == null) {
            LOG.warn("{}: {}", node.name(), awaited);
        }
        return awaited;
    }

    /** Updates the state of the node. A reachable master is OFFLINE if no commit can be answered. */
    private void updateState(Connection current) throws SQLException {
        Optional<String> trouble = criticalThreads.reason().or(log::trouble);
        if (trouble.isPresent()) {
            node.setState(NodeState.OFFLINE, trouble.get());
        } else {
            String remark = heldUp(current);
            if (remark == null && node.pause().isActive()) {
                remark = PAUSED;
            }
            node.setState(
                    NodeState.ONLINE,
                    remark == null ? standstill().map(Standstill::toString).orElse(null) : remark);
        }
    }

    private void recapture(Connection current) throws SQLException {
        if (System.nanoTime() - recaptured > RECAPTURE_NANOS) {
            if (store.capture().recapture(current, captured)) {
                historyId = store.seeds().historyId(current);
                publisher.tableScns().discard();
            }
            recaptured = System.nanoTime();
        }
    }

    private void renewStarvedPools() {
        if (wasAway) {
            wasAway = false;
            pools.replaceStarved();
        }
    }

    /**
     * Sets the action that runs once when another middleware has taken over this master. The action runs on the
     * maintenance thread.
     */
    public void onTakenOver(Runnable action) {
        AtomicBoolean done = new AtomicBoolean();
        takenOver = () -> {
            if (done.compareAndSet(false, true)) {
                action.run();
            }
        };
    }

    /** The history may be another one, and tables may have been changed, while the master was not held. */
    private void regained(Connection fence) throws SQLException {
        historyId = store.seeds().historyId(fence);
        publisher.tableScns().discard();
    }

    /** Maintenance that does not end in time finds the ownership closed. */
    @Override
    public void close() {
        ownership.close();
        boolean alone = awaitMaintenance();
        try {
            closeParts();
        } finally {
            if (alone) {
                maintenance.unlock();
            }
        }
    }

    /** Begins to exclude maintenance. Returns false if it still runs after the wait. */
    private boolean awaitMaintenance() {
        try {
            return maintenance.tryLock(STOP_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void closeParts() {
        watch.close();
        bypassMonitor.ifPresent(BypassMonitor::close);
        tableNames.close();
        publisher.close();
        node.close();
        pools.groupWorkers().close();
        log.close();
        ownership.loseFence();
    }
}
