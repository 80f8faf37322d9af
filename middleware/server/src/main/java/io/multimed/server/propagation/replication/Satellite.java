// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.replication;

import io.multimed.engine.pool.ConnectionPool;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.satellite.MaterializedView;
import io.multimed.engine.satellite.OwnIndex;
import io.multimed.engine.satellite.SatelliteStore;
import io.multimed.engine.writeset.ReplicatedTables;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.server.node.ComputationalNode;
import io.multimed.server.node.NodeState;
import io.multimed.server.node.session.MasterDefaults;
import io.multimed.server.propagation.commit.Master;
import io.multimed.server.propagation.liveness.Heartbeat;
import io.multimed.server.propagation.replication.SatelliteQueue.FellBehindException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A satellite and its applier (architecture 4.5): the thread that applies WriteSets and owns the satellite's state.
 *
 * <p>States: OFFLINE or DROPPED - {@link #open}: reachable - SEEDING if the satellite follows another history or needs
 * WriteSets that were discarded - {@link #seed} - RECOVERING - {@link #catchUp} from the sealed WriteSets - ONLINE -
 * {@link #follow} the queue. Every failure leads back to OFFLINE and, after a pause, to the beginning. If Multimed
 * itself excludes the satellite (no response, too far behind, different data), the satellite is DROPPED until it is
 * reached again.
 */
public final class Satellite implements AutoCloseable, ReadCandidate {
    private static final Logger LOG = LoggerFactory.getLogger(Satellite.class);
    private static final long RETRY_MILLIS = 500;
    private static final long MAX_RETRY_MILLIS = 10_000;
    private static final long IDLE_MILLIS = 1_000;

    /** A standby may be promoted by somebody at any time: what is written there then must not be read for long. */
    private static final long STANDBY_IDLE_MILLIS = 100;

    private static final int CATCH_UP = 1_000;
    private static final long STOP_MILLIS = 3_000;

    private final ComputationalNode node;
    private final NodeAccess access;
    private final Content content;
    private volatile QueueLimits limits;
    private final Master master;
    private final AppliedListener listener;
    private final ReadDemand demand;
    private final Thread applier;
    private final SpilledWriteSetReader spills;
    private final LongAdder appliedWriteSets = new LongAdder();
    private final LongAdder applierTransactions = new LongAdder();
    private final LongAdder applierNanos = new LongAdder();

    /** Written by the applier only. */
    private volatile Scn applied = Scn.ZERO;

    /**
     * SCN from which the master must keep WriteSets for this satellite; null if the satellite will be seeded and needs
     * none. Written by the applier only.
     */
    private volatile @Nullable Scn retained;

    private volatile @Nullable SatelliteQueue queue;

    /** The store to which the applier writes; null while the satellite is away. Written by the applier only. */
    private volatile @Nullable SatelliteStore store;

    /** Heartbeat of the current connection; null while the satellite is away. Used by the applier only. */
    private @Nullable Heartbeat liveness;

    /** A WriteSet could not be applied, so the satellite's data must be replaced. Used by the applier only. */
    private boolean mustReseed;

    /** A new copy was requested. */
    private volatile boolean reseedRequested;

    /** Number of the settings with which the sessions of the present pools begin. Written by the applier only. */
    private volatile long adopted;

    /** New connections were requested, because the engine was restarted. */
    private volatile boolean reconnectRequested;

    /**
     * Number of consecutive attempts that ended before the satellite came online; each of them makes the next pause
     * longer. Used by the applier only.
     */
    private int failures;

    /**
     * What a satellite holds (paper §3.4).
     *
     * @param indexes indexes in addition to those of the master
     * @param views whose rows the satellite stores
     * @param classes the routing classes whose reads the satellite runs; empty for all
     */
    public record Content(
            ReplicatedTables tables, List<OwnIndex> indexes, List<MaterializedView> views, Set<String> classes) {
        public Content {
            indexes = List.copyOf(indexes);
            views = List.copyOf(views);
            classes = Set.copyOf(classes);
        }
    }

    /**
     * Limits of a satellite's queue in bytes.
     *
     * @param bound size above which commits are slowed down
     * @param dropAfter size above which the satellite is dropped
     */
    public record QueueLimits(long bound, long dropAfter) {
        /** Returns limits that drop the satellite instead of slowing down commits. */
        public QueueLimits withoutWaiting() {
            return new QueueLimits(dropAfter, dropAfter);
        }
    }

    /**
     * Receives progress of a satellite: an applied batch, or the change to ONLINE. Called on the applier's thread; must
     * not block.
     */
    @FunctionalInterface
    public interface AppliedListener {
        void progressed(Satellite satellite);
    }

    public Satellite(
            ComputationalNode node,
            NodeAccess access,
            Content content,
            QueueLimits limits,
            Master master,
            ReadDemand demand,
            AppliedListener listener) {
        this.node = node;
        this.access = access;
        this.content = content;
        this.limits = limits;
        this.master = master;
        this.demand = demand;
        this.listener = listener;
        this.spills = new SpilledWriteSetReader(master.store(), node.engine().dialect(), master::connect);
        this.applier = master.criticalThreads().thread(node.name() + "-applier", this::run);
    }

    public void start() {
        applier.start();
    }

    @Override
    public ComputationalNode node() {
        return node;
    }

    @Override
    public boolean serves(String className) {
        return content.classes.isEmpty() || content.classes.contains(className);
    }

    @Override
    public ReplicatedTables tables() {
        return content.tables;
    }

    /** Returns the SCN up to which this satellite shows all commits; always the end of a commit group. */
    @Override
    public Scn applied() {
        return applied;
    }

    /** Makes the applier apply the WriteSets that it gathers. */
    public void applyNow() {
        SatelliteQueue current = queue;
        if (current != null) {
            current.applyNow();
        }
    }

    /** Returns how long the oldest published group has been waiting to be applied here, in nanoseconds. */
    public long lagNanos() {
        SatelliteQueue current = queue;
        return current == null ? 0 : current.age();
    }

    /** Returns the number of WriteSets applied since the start. */
    public LongAdder appliedWriteSets() {
        return appliedWriteSets;
    }

    /** Returns the work of the applier since the start, and what waits for it. */
    public ApplierStatus applier() {
        SatelliteQueue current = queue;
        return new ApplierStatus(
                current == null ? 0 : current.bytes(),
                appliedWriteSets.sum(),
                applierTransactions.sum(),
                applierNanos.sum());
    }

    /** Returns the SCN from which the master must keep WriteSets for this satellite; empty if none. */
    Optional<Scn> retained() {
        return Optional.ofNullable(retained);
    }

    private void run() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                runOnce();
                Thread.sleep(Math.min(MAX_RETRY_MILLIS, RETRY_MILLIS << Math.min(failures, 6)));
            }
        } catch (InterruptedException e) {
            LOG.debug("{} stops", node.name(), e);
        } finally {
            node.setState(NodeState.OFFLINE, "the middleware is stopping");
        }
    }

    private void attachPools(NodeAccess readerAccess) {
        ConnectionPool reads = node.engine().readerPool(readerAccess, node.connections());
        ConnectionPool snapshots =
                node.engine().snapshotPool(readerAccess, node.connections()).orElse(null);
        if (snapshots == null) {
            node.attach(reads);
        } else {
            node.attach(snapshots, reads);
        }
    }

    /** Runs the satellite from the connection to its loss. */
    private void runOnce() throws InterruptedException {
        SatelliteQueue own = new SatelliteQueue(limits.bound(), limits.dropAfter(), demand::isRecent);
        try (SatelliteStore opened = node.engine().openSatellite(access, content.tables);
                Heartbeat heartbeat =
                        Heartbeat.start(node.name(), () -> node.engine().connectOwn(access), opened::abort)) {
            liveness = heartbeat;
            store = opened;
            open(opened);
            Scn published = master.publisher().attach(own);
            queue = own;
            catchUp(opened, published);
            String remark = specialize(opened);
            MasterDefaults.Version defaults = master.defaults().present();
            opened.setSessionDefaults(defaults.values());
            attachPools(opened.readerAccess());
            adopted = defaults.number();
            node.setState(NodeState.ONLINE, remark);
            failures = 0;
            listener.progressed(this);
            follow(opened, own);
        } catch (SQLException | FellBehindException | RuntimeException e) {
            LOG.debug("{} is lost", node.name(), e);
            failures += isTheEngineGone(e) ? 0 : 1;
            node.setState(isDropped(e) ? NodeState.DROPPED : NodeState.OFFLINE, reason(e));
        } catch (OutOfMemoryError e) {
            failures++; // the memory of this attempt is free again, which may suffice for the next one
            node.setState(NodeState.OFFLINE, "the middleware is out of memory: give it more (-Xmx)");
        } catch (LinkageError | VirtualMachineError | AssertionError e) {
            failures++;
            LOG.error("{} is lost because of a failure of the middleware", node.name(), e);
            node.setState(NodeState.OFFLINE, e.toString());
        } finally {
            liveness = null;
            store = null;
            queue = null;
            spills.close();
            master.publisher().detach(own);
            node.attach(null);
        }
    }

    /**
     * Creates the indexes and the stored rows of views that only this satellite has. Returns a remark on those that the
     * engine refuses; null if the satellite has all of them.
     */
    private @Nullable String specialize(SatelliteStore store) throws SQLException {
        List<String> remarks = new ArrayList<>();
        List<String> views = store.materialize(content.views);
        if (!views.isEmpty()) {
            remarks.add("materialized views: " + String.join("; ", views));
        }
        List<String> indexes = content.indexes.isEmpty() ? List.of() : store.createOwnIndexes(content.indexes);
        if (!indexes.isEmpty()) {
            remarks.add("without own indexes: " + String.join("; ", indexes));
        }
        if (remarks.isEmpty()) {
            return null;
        }
        String remark = String.join("; ", remarks);
        if (!remark.equals(node.trouble())) {
            LOG.warn("{}: {}", node.name(), remark);
        }
        return remark;
    }

    /** Returns the materialized views of the System Model. */
    public List<MaterializedView> views() {
        return content.views;
    }

    /** Returns the views whose rows the satellite stores now; nothing while the satellite is away. */
    public List<MaterializedView.Maintenance> materialized() {
        SatelliteStore current = store;
        return current == null ? List.of() : current.materialized();
    }

    private boolean isDropped(Exception failure) {
        return failure instanceof FellBehindException
                || mustReseed
                || isSilent()
                || node.state() == NodeState.DROPPED; // and has not been reached since
    }

    private boolean isSilent() {
        Heartbeat heard = liveness;
        return heard != null && heard.isSilent();
    }

    private String reason(Exception lost) {
        Exception failure =
                lost instanceof SQLException sql && NodeAccess.isRefusal(sql) ? access.unreached(sql) : lost;
        return isSilent()
                ? "it has not responded for %d s".formatted(Heartbeat.LIMIT_SECONDS)
                : Objects.requireNonNullElse(failure.getMessage(), failure.toString());
    }

    private boolean isTheEngineGone(Exception failure) {
        return failure instanceof SQLException sql
                && node.engine().dialect().errors().isConnectionFailure(sql);
    }

    private void open(SatelliteStore store) throws SQLException, InterruptedException {
        reconnectRequested = false;
        mustReseed |= reseedRequested;
        reseedRequested = false;
        Optional<Scn> place = store.applied(copyId());
        place.ifPresent(scn -> retained = scn); // before the base is read, which from now on does not pass this SCN
        try (Connection connection = master.connect()) {
            Scn base = master.store().log().base(connection);
            if (!mustReseed
                    && place.isPresent()
                    && !base.isAfter(place.get())
                    && !place.get().isAfter(master.publisher().published())) {
                advanceTo(place.get());
            } else {
                seed(store, connection);
            }
        }
    }

    /**
     * Makes a new copy (architecture 4.3) from a snapshot that is taken while no group commits and all are durable, so
     * that its SCN is known; commits wait only for the snapshot.
     */
    private void seed(SatelliteStore store, Connection snapshot) throws SQLException, InterruptedException {
        node.setState(NodeState.SEEDING, null);
        Scn scn = master.order().pause();
        try {
            scn = master.beginSnapshot(snapshot, scn);
            retained = scn;
        } finally {
            master.order().resume();
        }
        master.awaitVisibility(); // groups that enter the queue from now on are later than the snapshot
        store.seed(
                snapshot,
                scn,
                copyId(),
                (table, rows, note) -> LOG.info("{}: {} {}", node.name(), table, note == null ? rows + " rows" : note));
        snapshot.rollback();
        mustReseed = false;
        advanceTo(scn);
    }

    /** Returns the identifier of the copy that this satellite must have. */
    private UUID copyId() {
        return content.tables.copyId(master.historyId());
    }

    private void catchUp(SatelliteStore store, Scn upTo) throws SQLException {
        if (!upTo.isAfter(applied)) {
            return;
        }
        node.setState(NodeState.RECOVERING, null);
        try (Connection connection = master.connect()) {
            while (upTo.isAfter(applied)) {
                List<WriteSet> missed = master.store().log().sealed(connection, applied, upTo, CATCH_UP);
                Scn end = missed.size() < CATCH_UP
                        ? upTo
                        : missed.get(missed.size() - 1).scn();
                apply(store, missed, end);
            }
        }
    }

    private void follow(SatelliteStore store, SatelliteQueue own)
            throws SQLException, InterruptedException, FellBehindException {
        while (!reseedRequested && !reconnectRequested) {
            adoptDefaults(store);
            SatelliteQueue.Batch batch =
                    own.take(applied, node.engine().hasStandbys() ? STANDBY_IDLE_MILLIS : IDLE_MILLIS);
            if (batch.upTo().isAfter(applied)) {
                apply(store, batch.writeSets(), batch.upTo());
                listener.progressed(this);
            } else {
                store.ping();
            }
            own.takeStops(applied).forEach(Runnable::run);
        }
        node.setState(NodeState.OFFLINE, reseedRequested ? "a new copy was requested" : "its engine was restarted");
    }

    /** Gives sessions for reads the present settings of the master's sessions, if these have changed. */
    private void adoptDefaults(SatelliteStore store) throws SQLException {
        MasterDefaults.Version present = master.defaults().present();
        if (present.number() == adopted) {
            return;
        }
        store.setSessionDefaults(present.values());
        node.renewConnections();
        if (!content.views.isEmpty()) {
            node.setTrouble(specialize(store));
        }
        adopted = present.number();
        listener.progressed(this);
    }

    /** Makes the applier adopt changed settings of sessions; until then, no read begins here. Returns immediately. */
    public void requestDefaults() {
        SatelliteQueue current = queue;
        if (current != null) {
            current.stopAt(Scn.ZERO, () -> {});
        }
    }

    @Override
    public boolean hasPresentDefaults() {
        return adopted == master.defaults().present().number();
    }

    /** Requests that all connections of this satellite are opened again; returns immediately. */
    public void requestReconnect() {
        reconnectRequested = true;
    }

    /** Returns whether new connections were requested and have not been opened yet. */
    public boolean isReconnectRequested() {
        return reconnectRequested;
    }

    /** Changes the limits of the queue. */
    public void setLimits(QueueLimits others) {
        limits = others;
        SatelliteQueue current = queue;
        if (current != null) {
            current.setLimits(others.bound(), others.dropAfter());
        }
    }

    /** Requests that all data of this satellite is replaced by a new copy; returns immediately. */
    public void requestReseed() {
        reseedRequested = true;
    }

    /** Returns whether a new copy was requested and has not begun yet. */
    public boolean isReseedRequested() {
        return reseedRequested;
    }

    /**
     * Runs an action on the applier's thread when exactly the commits up to an SCN are applied on this satellite.
     *
     * @param at end of a group after which no later group may have been published yet
     * @return whether the satellite follows the commit order now; if the satellite is lost before that SCN, the action
     * never runs
     */
    boolean stopAt(Scn at, Runnable action) {
        SatelliteQueue current = queue;
        if (current == null || at.compareTo(applied) < 0) {
            return false;
        }
        current.stopAt(at, action);
        return true;
    }

    /** Returns the address and the login of the satellite's engine. */
    public NodeAccess access() {
        return access;
    }

    private void apply(SatelliteStore store, List<WriteSet> writeSets, Scn upTo) throws SQLException {
        long begun = System.nanoTime();
        try {
            checkReadable(writeSets);
            if (writeSets.stream().anyMatch(WriteSet::mayChangeSchema)) {
                applySchemaChange(store, writeSets, upTo);
            } else {
                store.apply(writeSets, upTo, spills::read);
            }
        } catch (SQLException e) {
            mustReseed = !isTheEngineGone(e) && !node.engine().hasStandbys(); // a standby may follow again
            throw e;
        } catch (RuntimeException e) {
            mustReseed = true; // a part of the WriteSet that is stored on the master cannot be read
            throw e;
        }
        boolean isSpecial = !content.indexes.isEmpty() || !content.views.isEmpty();
        if (isSpecial && writeSets.stream().anyMatch(WriteSet::mayChangeSchema)) {
            node.setTrouble(specialize(store));
        }
        if (writeSets.stream().anyMatch(node.engine().dialect().catalog()::outdatesConnections)) {
            node.renewConnections();
        }
        appliedWriteSets.add(writeSets.size());
        applierTransactions.increment();
        applierNanos.add(System.nanoTime() - begun);
        advanceTo(upTo);
    }

    private void applySchemaChange(SatelliteStore store, List<WriteSet> writeSets, Scn upTo) throws SQLException {
        node.beginSchemaChange();
        try {
            store.apply(writeSets, upTo, spills::read);
        } finally {
            node.endSchemaChange();
        }
    }

    private void checkReadable(List<WriteSet> writeSets) throws SQLException {
        for (WriteSet writeSet : writeSets) {
            if (writeSet.trouble().isPresent()) {
                String trouble = writeSet.trouble().get();
                LOG.error("{} is copied again: {}", node.name(), trouble);
                throw new SQLException(trouble, "XX001");
            }
        }
    }

    private void advanceTo(Scn scn) {
        applied = scn;
        retained = scn;
    }

    @Override
    public void close() {
        applier.interrupt();
        try {
            applier.join(STOP_MILLIS);
            SatelliteStore current = store;
            if (applier.isAlive() && current != null) {
                current.abort(); // a long copy, or an engine that does not respond
                applier.join(STOP_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        node.close();
    }
}
