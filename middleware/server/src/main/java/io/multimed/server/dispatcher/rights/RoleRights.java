// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.rights;

import io.multimed.engine.dialect.CatalogReader;
import io.multimed.engine.sql.ReadRights;
import io.multimed.server.node.CriticalThreads;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows which reads satellites may run for each role. Two checks must agree: the names in the text, and the master's
 * engine. While the rights of a role are unknown, the master runs its reads, and checks the privileges itself.
 *
 * <p>Commits that may change privileges discard all rights before any client receives the result of the commit. Rights
 * are used only once everything is published that was visible when they were read. Memberships and attributes of roles,
 * and privileges that are changed past the middleware, are compared once per second. Thread-safe.
 */
public final class RoleRights implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RoleRights.class);
    private static final long PAUSE_MILLIS = 1_000;

    /** Limits the load: the next comparison begins after this multiple of the time that the last one has taken. */
    private static final long PAUSE_TIMES = 20;

    private static final int TEST_SECONDS = 5;

    /** If there are more roles, the rights are read again. */
    private static final int MAX_ROLES = 1_000;

    private final Source source;
    private final Thread thread;

    /** Contains one element while roles wait for their rights. */
    private final BlockingQueue<Boolean> wakeUp = new ArrayBlockingQueue<>(1);

    /** At most {@value #MAX_ROLES}: users who are passed through may have any role of the master. */
    private final Map<String, ReadRights> known = new ConcurrentHashMap<>();

    private final Set<String> wanted = ConcurrentHashMap.newKeySet();

    /**
     * Roles whose rights could not be read, with the time of the attempt by {@link System#nanoTime}. They remain
     * wanted, so that their reads do not wake the thread, until the pause is over. Used by the thread only.
     */
    private final Map<String, Long> refused = new HashMap<>();

    /**
     * Increases when the rights are discarded. Written under the lock of this, which also guards the additions to
     * {@link #known}; read without.
     */
    private volatile long version;

    private final CheckedTexts checked = new CheckedTexts();

    /** Used by the thread only. */
    private @Nullable Connection connection;

    private String state = "";

    /** Reads the master's catalog, and has the master's engine check queries; waits for publications. */
    public interface Source {
        /**
         * Checks whether a role may read everything that a query reads. Does not block.
         *
         * @param then receives the result on any thread; false also if the check has failed
         */
        void check(String role, String query, CatalogReader.Parameters parameters, Consumer<Boolean> then);

        /** Opens a connection of the middleware's own. */
        Connection open() throws SQLException;

        ReadRights rights(Connection connection, String role) throws SQLException;

        /** Returns a text that changes when rights may have changed without a commit that shows this. */
        String state(Connection connection) throws SQLException;

        /** Returns when everything is published that was visible on the master before. */
        void awaitVisibility() throws SQLException, InterruptedException;
    }

    public RoleRights(Source source, CriticalThreads criticalThreads) {
        this.source = source;
        this.thread = criticalThreads.thread("role-rights", this::run);
    }

    public void start() {
        thread.start();
    }

    /** Returns the rights of a role, and has them read if they are unknown. Does not block. */
    public ReadRights of(String role) {
        ReadRights rights = known.get(role);
        if (rights != null) {
            return rights;
        }
        if (wanted.add(role)) {
            boolean unused = wakeUp.offer(true); // false: the thread is about to look
        }
        return ReadRights.NONE;
    }

    /** Discards all rights. Does not block for long: no query runs under the lock. */
    public synchronized void changed() {
        version = version + 1;
        known.clear();
    }

    private long version() {
        return version;
    }

    /** Returns whether the master's engine has found that the role may read everything that a query reads. */
    boolean isChecked(String role, String query) {
        return checked.contains(role, query, version);
    }

    /**
     * Has the master's engine check a query of a role. The result holds until the rights are discarded. Does not block.
     *
     * @param then receives whether the role may read everything that the query reads, on any thread
     */
    void check(String role, String query, CatalogReader.Parameters parameters, Consumer<Boolean> then) {
        long before = version;
        source.check(role, query, parameters, permitted -> {
            if (permitted) {
                checked.add(role, query, before);
            }
            then.accept(permitted && before == version);
        });
    }

    private synchronized void keep(String role, ReadRights rights, long readAt) {
        if (version == readAt) {
            if (known.size() >= MAX_ROLES) {
                known.clear();
            }
            known.put(role, rights);
        }
    }

    private void run() {
        try {
            long pause = PAUSE_MILLIS;
            boolean used = false; // nothing is compared before the first use of a role
            while (true) {
                boolean asked = (used ? wakeUp.poll(pause, TimeUnit.MILLISECONDS) : wakeUp.take()) != null;
                used = true;
                long begun = System.nanoTime();
                boolean read = read();
                long taken = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
                pause = Math.max(PAUSE_MILLIS, PAUSE_TIMES * taken);
                if (!read && asked) {
                    TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS); // the master cannot be reached
                }
            }
        } catch (InterruptedException e) {
            LOG.debug("the rights of roles are not read any more", e);
        } finally {
            disconnect();
        }
    }

    /** Compares the state, and reads the rights that are wanted; returns whether this succeeded. */
    private boolean read() throws InterruptedException {
        try {
            Connection own = connection;
            if (own == null) {
                own = source.open();
                connection = own;
            }
            String now = source.state(own);
            if (!now.equals(state)) {
                changed();
                state = now;
            }
            forgive();
            for (String role : Set.copyOf(wanted)) {
                if (!refused.containsKey(role)) {
                    read(own, role);
                }
            }
            return true;
        } catch (SQLException | RuntimeException | OutOfMemoryError e) {
            LOG.debug("the rights of roles cannot be read: the master runs their reads", e);
            changed();
            disconnect();
            return false;
        }
    }

    /** Permits another attempt for roles whose last attempt was long ago. */
    private void forgive() {
        long now = System.nanoTime();
        refused.entrySet()
                .removeIf(each -> now - each.getValue() >= TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS)
                        && wanted.remove(each.getKey()));
    }

    /** Reads the rights of one role. If only this fails, the other roles keep theirs: a role may be locked. */
    private void read(Connection own, String role) throws SQLException, InterruptedException {
        long readAt = version();
        ReadRights rights;
        try {
            wanted.remove(role); // a change from now on makes another reading necessary
            rights = source.rights(own, role);
        } catch (SQLException e) {
            LOG.debug("the rights of the role \"{}\" cannot be read: the master runs its reads", role, e);
            refused.put(role, System.nanoTime());
            wanted.add(role);
            requireUsable(own);
            return;
        }
        source.awaitVisibility();
        keep(role, rights, readAt);
    }

    /** Ends the transaction of a query that has failed. Throws an exception if the connection itself has failed. */
    private static void requireUsable(Connection own) throws SQLException {
        if (!own.getAutoCommit()) {
            own.rollback();
        }
        if (!own.isValid(TEST_SECONDS)) {
            throw new SQLException("the connection to the master has failed");
        }
    }

    private void disconnect() {
        Connection open = connection;
        connection = null;
        if (open != null) {
            try {
                open.close();
            } catch (SQLException e) {
                LOG.debug("a connection did not close cleanly", e);
            }
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
