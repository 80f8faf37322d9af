package io.multimed.server.propagation.commit;

import io.multimed.engine.Engine;
import io.multimed.engine.extraction.WriteSetExtractor;
import io.multimed.engine.master.BypassStore;
import io.multimed.engine.master.Fencing;
import io.multimed.engine.master.MasterStore;
import io.multimed.engine.master.Retention;
import io.multimed.engine.pool.ConnectionPool;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.satellite.CopySnapshot;
import io.multimed.engine.writeset.ReplicatedTables;
import io.multimed.engine.writeset.Scn;
import io.multimed.server.node.ComputationalNode;
import io.multimed.server.node.CriticalThreads;
import io.multimed.server.node.GroupWorkers;
import io.multimed.server.node.MasterRoles;
import io.multimed.server.node.NodeState;
import io.multimed.server.node.OpenConnections;
import io.multimed.server.node.login.RoleLogins;
import io.multimed.server.node.session.MasterDefaults;
import io.multimed.server.propagation.freshness.TableNamesReader;
import io.multimed.server.propagation.liveness.ConnectionOpener;
import io.multimed.server.propagation.liveness.MasterHeartbeat;
import io.multimed.server.propagation.liveness.MasterLease;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
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

    /**
     * Maximum number of statements that run inside a group concurrently. This keeps the engine's cores busy, because
     * these statements do not wait for the disk.
     */
    private static final int MAX_GROUP_WORKERS = 16;

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
    private final GroupWorkers groupWorkers;
    private final MasterDefaults defaults;

    /**
     * Held while the middleware's hold on the master is checked or renewed, during calls of JDBC that the heartbeat
     * bounds. Protects the fencing connection and the state of the node.
     */
    private final ReentrantLock maintenance = new ReentrantLock();

    /** Prevents other middlewares from using the master. After the start, used under {@link #maintenance} only. */
    private @Nullable Connection fencingConnection;

    private final MasterHeartbeat heartbeat;
    private final TableNamesReader tableNames;
    private final MasterRoles roles;

    /** Connections for the middleware's own work. */
    private final OpenConnections own;

    /**
     * Sessions on the master whose connections were aborted while the master did not respond. They may still exist, and
     * hold locks or the fence of this middleware.
     */
    private final Set<Integer> orphans = ConcurrentHashMap.newKeySet();

    private final CommitPolicy policy;
    private final int connections;

    /** The isolation level with which sessions on the master began when the middleware started. */
    private final int isolation;

    private final long epoch;
    private final MasterLease lease;

    /** Start of the epoch, by {@link System#nanoTime}. */
    private final long taken = System.nanoTime();

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

    private Master(
            ComputationalNode node,
            NodeAccess access,
            CommitPolicy policy,
            ReplicatedTables captured,
            Connection fencingConnection,
            int connections,
            long epoch,
            CriticalThreads criticalThreads)
            throws SQLException {
        this.criticalThreads = criticalThreads;
        this.captured = captured;
        this.node = node;
        this.access = access;
        this.policy = policy;
        this.connections = connections;
        this.isolation = fencingConnection.getMetaData().getDefaultTransactionIsolation();
        this.epoch = epoch;
        this.engine = node.engine();
        this.store = engine.masterStore();
        this.own = new OpenConnections(engine);
        this.lease = new MasterLease(policy.mayBeReplaced(), taken);
        this.heartbeat =
                new MasterHeartbeat(() -> engine.connectOwn(access), this::breakOff, this::renewLease, criticalThreads);
        this.fencingConnection = own.add(fencingConnection);
        this.extractor = engine.extractor(policy.durableCommits(), epoch);
        this.historyId = store.seeds().historyId(fencingConnection);
        Scn last = store.log().resume(fencingConnection);
        store.logForcing()
                .forceLog(fencingConnection); // commits that an earlier middleware did not force become visible now
        fencingConnection.commit();
        Optional<BypassStore> bypass = policy.captureBypassing() ? store.bypass() : Optional.empty();
        this.log = new MasterLog(engine, access.node(), this::connectLog, last, !extractor.commitsAreDurable(), bypass);
        this.publisher = new Publisher(last, log, engine.dialect().catalog()::rowValues, criticalThreads);
        this.order = new GroupCommitOrder(
                policy.largestGroup(), publisher, engine.dialect().errors()::isConnectionFailure, criticalThreads);
        this.watch = new OrderWatch(
                order,
                publisher,
                store.fencing(),
                engine.dialect().errors(),
                () -> engine.connectOwn(access),
                criticalThreads);
        this.certifier =
                extractor.mustCertify() ? Optional.of(new Certifier(publisher, order, last)) : Optional.empty();
        certifier.ifPresent(found -> publisher.onCommit(found::committed));
        this.groupWorkers = new GroupWorkers(node.name(), engine, newGroupPool(), groupWorkerCount(), criticalThreads);
        this.bypassTimeout = bypass.map(BypassTimeout::new);
        this.bypassMonitor = bypass.map(found ->
                new BypassMonitor(found, this::admitted, order, publisher, groupWorkers::execute, criticalThreads));
        this.visibilityBarrier = bypassMonitor
                .<VisibilityBarrier>map(watch -> watch)
                .orElse((action, lost) -> publisher.whenPublished(order.begun(), action, lost));
        bypassMonitor.ifPresent(publisher::setVisibilityBarrier);
        this.tableNames = new TableNamesReader(
                publisher.tableScns(),
                engine.dialect().catalog(),
                this::connect,
                this::awaitVisibility,
                criticalThreads);
        this.roles = new MasterRoles(engine, access, connections, policy.durableCommits(), epoch);
        if (engine.groupsRoles()) {
            groupWorkers.serveRoles(roles::openGroup);
        }
        this.defaults = new MasterDefaults(engine, access, this::renewConnections, this::reopenRoles);
        attachPools();
    }

    private void attachPools() {
        node.attach(
                engine.masterPool(access, connections, policy.durableCommits(), isolation, epoch),
                engine.masterReaderPool(access, connections, epoch),
                roles);
    }

    /**
     * Determines how the middleware connects as roles of users. Connections with previous passwords are closed
     * after their transactions, at the latest after a minute.
     *
     * @param passwords by role, as far as the System Model contains them
     * @param external whether the engine does not belong to Multimed, which therefore changes no roles
     * @param present returns the roles of the present users; those that do not exist are created
     */
    public void permitRoles(Map<String, String> passwords, boolean external, Supplier<Set<String>> present) {
        if (roles.permit(passwords, external, present)) {
            node.reopenRoles();
            groupWorkers.reopenRoles();
        }
        roles.create();
    }

    /** Returns the logins of clients as roles of the engine. */
    public RoleLogins roleLogins() {
        return roles.logins(node, groupWorkers);
    }

    /**
     * Opens the connections of roles again; those in use end with their transactions, pinned ones when their clients
     * release them.
     */
    public void reopenRoles() {
        node.renewRoles();
        groupWorkers.reopenRoles();
    }

    /** Returns the access as a role of users. */
    public NodeAccess loginOf(String role) throws SQLException {
        return roles.login(role);
    }

    private int groupWorkerCount() {
        return Math.min(connections, MAX_GROUP_WORKERS);
    }

    private ConnectionPool newGroupPool() {
        return engine.groupPool(access, groupWorkerCount(), epoch);
    }

    /**
     * Takes over the master: ends sessions of an earlier middleware, installs the triggers, reads the end of the commit
     * order, and opens the connections.
     *
     * @param captured the union of the tables that the satellites hold
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
        Engine engine = node.engine();
        Connection fencingConnection = connectFirst(engine, access);
        Master master;
        try {
            master = takeOver(node, access, policy, captured, connections, fencingConnection, criticalThreads);
        } catch (SQLException e) {
            fencingConnection.close(); // otherwise its lock would block the next attempt
            throw NodeAccess.isLackOfPrivilege(e) ? access.unprivileged(e) : e;
        } catch (RuntimeException e) {
            fencingConnection.close();
            throw e;
        }
        node.setState(NodeState.ONLINE, null);
        master.log.open();
        master.publisher.start();
        master.watch.start();
        master.bypassMonitor.ifPresent(BypassMonitor::start);
        master.heartbeat.start();
        master.tableNames.start();
        LOG.info("{}: the last commit is {}", access, master.publisher.published());
        return master;
    }

    private static Connection connectFirst(Engine engine, NodeAccess access) throws SQLException {
        try {
            return engine.connectOwn(access);
        } catch (SQLException e) {
            throw access.unreached(e);
        }
    }

    private static Master takeOver(
            ComputationalNode node,
            NodeAccess access,
            CommitPolicy policy,
            ReplicatedTables captured,
            int connections,
            Connection fencingConnection,
            CriticalThreads criticalThreads)
            throws SQLException {
        Engine engine = node.engine();
        engine.masterStore().fencing().endForeignSessions(fencingConnection);
        install(engine, fencingConnection, captured, policy.captureBypassing());
        long epoch = engine.masterStore().fencing().takeOver(fencingConnection);
        engine.masterStore()
                .fencing()
                .endForeignSessions(fencingConnection); // ends sessions that were admitted before this epoch
        return new Master(node, access, policy, captured, fencingConnection, connections, epoch, criticalThreads);
    }

    private static void install(
            Engine engine, Connection fencingConnection, ReplicatedTables captured, boolean captureBypassing)
            throws SQLException {
        if (captureBypassing && engine.masterStore().bypass().isEmpty()) {
            throw new SQLException(
                    "bypass: capture is not possible with a master of engine %s; use bypass: refuse"
                            .formatted(engine.id()),
                    "0A000");
        }
        engine.masterStore().capture().install(fencingConnection, captured, captureBypassing);
    }

    public ComputationalNode node() {
        return node;
    }

    /** Returns the threads that commits depend on. */
    public CriticalThreads criticalThreads() {
        return criticalThreads;
    }

    /** Returns the threads and connections for statements that run inside commit groups. */
    public GroupWorkers groupWorkers() {
        return groupWorkers;
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
        store.ddl().deferDdl(connection, later, epoch);
    }

    public MasterStore store() {
        return store;
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

    /** Notes a change of the schema that is visible now: connections discard the statements that they have prepared. */
    public void noteSchemaChange() {
        node.noteSchemaChange();
        groupWorkers.noteSchemaChange();
    }

    /** Makes all further statements of clients use new connections; those in use end with their transactions. */
    public void renewConnections() {
        node.renewConnections();
        groupWorkers.renewConnections();
    }

    public UUID historyId() {
        return historyId;
    }

    /** Opens a connection for the middleware's own work; the caller closes it. */
    public Connection connect() throws SQLException {
        return own.add(opened(() -> engine.connectOwn(access)));
    }

    /** Opens a connection with the settings of clients' connections, which determine what names stand for. */
    public Connection connectWithDefaults() throws SQLException {
        return own.add(opened(() -> engine.connect(access)));
    }

    private Connection connectLog() throws SQLException {
        return own.add(opened(() -> engine.connectLog(access)));
    }

    private Connection opened(ConnectionOpener opener) throws SQLException {
        try {
            return opener.open();
        } catch (SQLException e) {
            throw NodeAccess.isRefusal(e) ? access.unreached(e) : e;
        }
    }

    private void renewLease(Connection connection) throws SQLException {
        long asked = System.nanoTime();
        if (store.fencing().epoch(connection) == epoch) {
            lease.renewed(asked);
        }
    }

    /** Returns the lease that permits satellites to answer. */
    public MasterLease lease() {
        return lease;
    }

    /** Returns when the satellites of earlier middlewares cannot answer any more. No client may be answered before. */
    public void awaitEarlierLeases() throws InterruptedException {
        lease.awaitEarlierLeases(taken);
    }

    /**
     * Aborts all connections because the master does not respond: waiting statements fail, and the outcome of waiting
     * commits is determined when the master is reachable again.
     */
    private void breakOff() {
        for (OpenConnections connections : List.of(node.inUse(), groupWorkers.inUse(), own)) {
            orphans.addAll(connections.abort());
        }
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
            Connection current = fencingConnection();
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
                    heartbeat.isSilent()
                            ? "it has not responded for %d s".formatted(MasterHeartbeat.LIMIT_SECONDS)
                            : e.getMessage());
            wasAway = true;
            closeFencingConnection();
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
            closeFencingConnection();
            Connection current = fencingConnection();
            current.commit();
            attachPools();
            groupWorkers.renew(newGroupPool());
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

    /**
     * Replaces the pools after the master has become reachable again. A pool that waits for an engine retries at
     * growing intervals; a new pool connects immediately. Pools are replaced only then, because closing a pool aborts
     * the connections that it has just opened.
     */
    private void renewStarvedPools() {
        if (!wasAway) {
            return;
        }
        wasAway = false;
        if (node.isStarved()) {
            attachPools();
        }
        if (groupWorkers.isStarved()) {
            groupWorkers.renew(newGroupPool());
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

    private Connection fencingConnection() throws SQLException {
        Connection current = fencingConnection;
        if (current == null) {
            current = admitted();
            try {
                endOrphans(current);
                store.fencing().keepOut(current);
                historyId = store.seeds().historyId(current);
                publisher.tableScns().discard();
            } catch (SQLException | RuntimeException e) {
                current.close(); // the next attempt opens another connection
                throw e;
            }
            fencingConnection = current;
        }
        return current;
    }

    private void endOrphans(Connection current) throws SQLException {
        Set<Integer> lost = Set.copyOf(orphans);
        if (!lost.isEmpty()) {
            store.fencing().endSessions(current, lost);
            orphans.removeAll(lost);
        }
    }

    private Connection admitted() throws SQLException {
        Connection fresh = connect();
        try {
            store.fencing().admit(fresh, epoch);
            return fresh;
        } catch (SQLException e) {
            fresh.close();
            throw e;
        }
    }

    private void closeFencingConnection() {
        Connection current = fencingConnection;
        fencingConnection = null;
        if (current != null) {
            try {
                current.close();
            } catch (SQLException e) {
                LOG.debug("{}: connection did not close cleanly", access, e);
            }
        }
    }

    @Override
    public void close() {
        heartbeat.close();
        watch.close();
        bypassMonitor.ifPresent(BypassMonitor::close);
        tableNames.close();
        publisher.close();
        node.close();
        groupWorkers.close();
        log.close();
        closeFencingConnection();
    }
}
