// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.liveness;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.multimed.engine.Engine;
import io.multimed.engine.master.MasterStore;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.writeset.ReplicatedTables;
import io.multimed.server.node.CriticalThreads;
import io.multimed.server.node.OpenConnections;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The hold of this middleware on the master: the epoch in which the master accepts its commits, the connection that
 * keeps other middlewares away ("fencing"), the lease that permits satellites to answer, and the heartbeat that notices
 * a master that does not respond. The owner calls {@link #fence} on one thread at a time; all other methods are
 * thread-safe.
 */
public final class MasterOwnership implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MasterOwnership.class);

    private final NodeAccess access;
    private final MasterStore store;
    private final MasterConnections connections;
    private final long epoch;
    private final MasterLease lease;
    private final MasterHeartbeat heartbeat;

    /** Start of the epoch, by {@link System#nanoTime}. */
    private final long taken;

    /**
     * Sessions on the master whose connections were aborted while the master did not respond. They may still exist, and
     * hold locks or the fence of this middleware.
     */
    private final Set<Integer> orphans = ConcurrentHashMap.newKeySet();

    /** Protects the two fields below; held for a few instructions. */
    private final ReentrantLock lock = new ReentrantLock();

    /** Prevents other middlewares from using the master; null while it is lost. */
    @GuardedBy("lock")
    private @Nullable Connection fence;

    /** Whether the middleware stops: a lost fence is not opened again. */
    @GuardedBy("lock")
    private boolean closed;

    /** All connections to the master. Set before the heartbeat starts. */
    private volatile Supplier<List<OpenConnections>> used = List::of;

    /** Called with a new fence, before it is used. */
    @FunctionalInterface
    public interface Regained {
        void regained(Connection fence) throws SQLException;
    }

    private MasterOwnership(
            NodeAccess access,
            MasterStore store,
            MasterConnections connections,
            Connection fence,
            long epoch,
            boolean mayBeReplaced,
            CriticalThreads criticalThreads)
            throws SQLException {
        this.access = access;
        this.store = store;
        this.connections = connections;
        this.fence = connections.add(fence);
        this.epoch = epoch;
        this.taken = System.nanoTime();
        this.lease = new MasterLease(mayBeReplaced, taken);
        this.heartbeat = new MasterHeartbeat(connections::openAside, this::abortAll, this::renewLease, criticalThreads);
    }

    /**
     * Takes over the master: ends sessions of an earlier middleware, installs the triggers, and begins an epoch.
     *
     * @param captured the union of the tables that the satellites hold
     * @param mayBeReplaced whether another middleware may take over without the knowledge of this one
     * @throws SQLException if the master cannot be reached or belongs to another middleware
     */
    public static MasterOwnership take(
            Engine engine,
            NodeAccess access,
            ReplicatedTables captured,
            boolean captureBypassing,
            boolean mayBeReplaced,
            CriticalThreads criticalThreads)
            throws SQLException {
        MasterStore store = engine.masterStore();
        if (captureBypassing && store.bypass().isEmpty()) {
            throw new SQLException(
                    "bypass: capture is not possible with a master of engine %s; use bypass: refuse"
                            .formatted(engine.id()),
                    "0A000");
        }
        MasterConnections connections = new MasterConnections(engine, access);
        Connection fence = openFirst(connections, access);
        try {
            store.fencing().endForeignSessions(fence);
            store.capture().install(fence, captured, captureBypassing);
            long epoch = store.fencing().takeOver(fence);
            store.fencing().endForeignSessions(fence); // ends sessions that were admitted before this epoch
            return new MasterOwnership(access, store, connections, fence, epoch, mayBeReplaced, criticalThreads);
        } catch (SQLException | RuntimeException e) {
            fence.close(); // otherwise its lock would block the next attempt
            throw e;
        }
    }

    private static Connection openFirst(MasterConnections connections, NodeAccess access) throws SQLException {
        try {
            return connections.openAside();
        } catch (SQLException e) {
            throw access.unreached(e);
        }
    }

    /**
     * Starts the heartbeat.
     *
     * @param all returns all connections to the master, which are aborted if the master does not respond
     */
    public void start(Supplier<List<OpenConnections>> all) {
        used = all;
        heartbeat.start();
    }

    public MasterConnections connections() {
        return connections;
    }

    public long epoch() {
        return epoch;
    }

    /** Returns the lease that permits satellites to answer. */
    public MasterLease lease() {
        return lease;
    }

    /** Returns when the satellites of earlier middlewares cannot answer any more. No client may be answered before. */
    public void awaitEarlierLeases() throws InterruptedException {
        lease.awaitEarlierLeases(taken);
    }

    /** Returns whether the master did not respond to the last request. */
    public boolean isSilent() {
        return heartbeat.isSilent();
    }

    private void renewLease(Connection connection) throws SQLException {
        long asked = System.nanoTime();
        if (store.fencing().epoch(connection) == epoch) {
            lease.renewed(asked);
        }
    }

    /**
     * Aborts all connections because the master does not respond: waiting statements fail, and the outcome of waiting
     * commits is determined when the master is reachable again.
     */
    private void abortAll() {
        for (OpenConnections opened : used.get()) {
            orphans.addAll(opened.abort());
        }
    }

    /**
     * Returns the connection that keeps others away; a new one if it was lost.
     *
     * @throws SQLException {@link io.multimed.engine.master.Fencing#OVERTAKEN} if another middleware has taken over;
     *     57P03 if the fence is lost, and {@link #close} was called
     */
    public Connection fence(Regained regained) throws SQLException {
        Connection current = held();
        return current == null ? regain(regained) : current;
    }

    private @Nullable Connection held() throws SQLException {
        lock.lock();
        try {
            if (fence == null && closed) {
                throw stopped();
            }
            return fence;
        } finally {
            lock.unlock();
        }
    }

    private static SQLException stopped() {
        return new SQLException("the middleware stops, and does not hold the master any more", "57P03");
    }

    private Connection regain(Regained regained) throws SQLException {
        Connection current = openAdmitted();
        try {
            endOrphans(current);
            store.fencing().keepOut(current);
            regained.regained(current);
            hold(current);
        } catch (SQLException | RuntimeException e) {
            current.close(); // the next attempt opens another connection
            throw e;
        }
        return current;
    }

    /** Refuses a fence that was opened while the middleware stopped: its lock would refuse the next start. */
    private void hold(Connection current) throws SQLException {
        lock.lock();
        try {
            if (closed) {
                throw stopped();
            }
            fence = current;
        } finally {
            lock.unlock();
        }
    }

    private void endOrphans(Connection current) throws SQLException {
        Set<Integer> lost = Set.copyOf(orphans);
        if (!lost.isEmpty()) {
            store.fencing().endSessions(current, lost);
            orphans.removeAll(lost);
        }
    }

    /** Opens a connection that the master admits as one of the present epoch. */
    public Connection openAdmitted() throws SQLException {
        Connection fresh = connections.open();
        try {
            store.fencing().admit(fresh, epoch);
            return fresh;
        } catch (SQLException e) {
            fresh.close();
            throw e;
        }
    }

    /** Closes the connection that keeps others away; {@link #fence} opens another one before {@link #close}. */
    public void loseFence() {
        Connection current = takeFence();
        if (current != null) {
            try {
                current.close();
            } catch (SQLException e) {
                LOG.debug("{}: connection did not close cleanly", access, e);
            }
        }
    }

    private @Nullable Connection takeFence() {
        lock.lock();
        try {
            Connection current = fence;
            fence = null;
            return current;
        } finally {
            lock.unlock();
        }
    }

    /** Stops the heartbeat. The fence remains until {@link #loseFence}, but no other one is opened. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
        heartbeat.close();
    }
}
