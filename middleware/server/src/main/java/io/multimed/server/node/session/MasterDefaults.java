// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.multimed.engine.Engine;
import io.multimed.engine.SessionDefaults;
import io.multimed.engine.pool.NodeAccess;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows the settings with which clients' sessions on the master begin, and notices that an administrator has changed
 * them. All connections of the middleware then begin again, so that no client receives an answer that depends on the
 * age of the connection that it happens to use. Satellites must adopt the settings of a version before they answer
 * reads that begin after its publication here. Thread-safe.
 */
public final class MasterDefaults {
    private static final Logger LOG = LoggerFactory.getLogger(MasterDefaults.class);

    private final Engine engine;
    private final NodeAccess access;
    private final Runnable renewConnections;
    private final Runnable reopenRoles;

    /** Held while a new session is opened, which the engine's driver bounds; one holder reads for all that wait. */
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private SessionDefaults last;

    private volatile Version present;

    /** The connection on which the state was read last, and the state. Used by the maintenance thread only. */
    private @Nullable Connection asked;

    private String state = "";

    /** Whether a statement has had the settings read since the state was read: the state may belong to others. */
    private final AtomicBoolean stateIsOld = new AtomicBoolean();

    /** Run after each change. Set before the first client connects. */
    private volatile Runnable onChange = () -> {};

    private volatile Runnable onRoles = () -> {};

    /**
     * The settings from one change to the next.
     *
     * @param number increases with each change
     */
    public record Version(long number, Map<String, String> values) {}

    /**
     * Reads the present settings.
     *
     * @param renewConnections makes all further statements on the master use sessions that begin from then on
     * @param reopenRoles does the same for statements of users with a role only
     */
    public MasterDefaults(Engine engine, NodeAccess access, Runnable renewConnections, Runnable reopenRoles)
            throws SQLException {
        this.engine = engine;
        this.access = access;
        this.renewConnections = renewConnections;
        this.reopenRoles = reopenRoles;
        this.last = engine.sessionDefaults(access);
        this.present = new Version(0, last.values());
    }

    public Version present() {
        return present;
    }

    /** Sets what runs after each change, when the connections to the master have begun again. Must not block. */
    public void onChange(Runnable action) {
        onChange = action;
    }

    /** Sets what runs after a change that concerns users with a role only. Must not block. */
    public void onRoles(Runnable action) {
        onRoles = action;
    }

    /**
     * Looks for changes that no statement through the middleware has announced. Called periodically by one thread.
     *
     * @param own a connection of the middleware's own, without a transaction
     */
    public void check(Connection own) throws SQLException {
        String now = engine.sessionDefaultsState(own);
        boolean sameSession = own.equals(asked);
        if (!stateIsOld.getAndSet(false) && sameSession && now.equals(state)) {
            return;
        }
        asked = null;
        if (read()) {
            asked = own;
            state = now;
        }
    }

    /**
     * Reads the settings, and publishes them if they have changed. Blocks while a session is opened.
     *
     * @return whether the settings could be read; otherwise {@link #check} reads them later
     */
    public boolean refresh() {
        stateIsOld.set(true);
        return read();
    }

    private boolean read() {
        lock.lock();
        try {
            SessionDefaults now = engine.sessionDefaults(access);
            SessionDefaults before = last;
            last = now;
            if (!now.beginsAlike(before)) {
                publish(now);
            } else if (!now.ofRoles().equals(before.ofRoles())) {
                reopenRoles.run();
                onRoles.run();
            }
            return true;
        } catch (SQLException e) {
            LOG.debug("{}: the settings of new sessions cannot be read yet", access, e);
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** A read that knows the new number uses a new connection, so that connections are renewed first. */
    @GuardedBy("lock")
    private void publish(SessionDefaults now) {
        LOG.info("{}: the settings with which sessions begin have changed", access.node());
        renewConnections.run();
        present = new Version(present.number() + 1, now.values());
        onChange.run();
    }
}
