// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.master;

import io.multimed.engine.master.Fencing;
import io.multimed.engine.master.SessionWait;
import io.multimed.engine.postgresql.connection.PostgresSessions;
import io.multimed.engine.postgresql.connection.Queries;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;

/**
 * Admits sessions by the epoch in multimed.base, and keeps other middlewares out by an advisory lock of the session
 * (architecture 6.4). The engine releases the lock when the connection ends, however it ends.
 */
public final class PostgresFencing implements Fencing {
    /**
     * The key of the advisory lock. The script capture.sql uses the same number to detect whether a middleware runs.
     */
    private static final long MIDDLEWARE_LOCK = 0x6d756c74696d6564L; // "multimed"

    /** How often keepOut tries to take the lock, each time for 2 s. */
    private static final int ATTEMPTS = 5;

    private static final String INTRUDERS = """
            pid IN (SELECT l.pid FROM pg_locks l WHERE l.locktype = 'advisory' AND l.objsubid = 1
                AND (l.classid::bigint << 32 | l.objid::bigint) = %d)
            AND NOT EXISTS (SELECT FROM pg_roles r WHERE r.oid = usesysid AND r.rolsuper)""".formatted(MIDDLEWARE_LOCK);

    private static final SecureRandom RANDOM = new SecureRandom();

    /** Whether the middleware's user may end sessions of other roles. */
    private final boolean endsIntruders;

    public PostgresFencing() {
        this(true);
    }

    public PostgresFencing(boolean endsIntruders) {
        this.endsIntruders = endsIntruders;
    }

    /**
     * Takes the lock first, so that only the middleware that owns the master ends sessions. Fails with 55006 if the
     * lock or the sessions are not released within 10 s.
     */
    @Override
    public void endForeignSessions(Connection master) throws SQLException {
        keepOut(master);
        PostgresSessions.end(master, PostgresSessions.ours(master) + " AND pid <> pg_backend_pid()");
    }

    /**
     * Draws a random epoch and stores it. The UPDATE waits for sessions that multimed.enter is admitting, because these
     * lock the row of multimed.base in shared mode.
     */
    @Override
    public long takeOver(Connection master) throws SQLException {
        try (Statement statement = master.createStatement()) {
            statement.execute("SET LOCAL lock_timeout = '10s'"); // a session that is being admitted may hang
        }
        // Random, because a seal must prove that it knows the epoch.
        long epoch = 1 + RANDOM.nextLong(Long.MAX_VALUE);
        return Queries.single(
                master, "UPDATE multimed.base SET epoch = " + epoch + " RETURNING epoch", row -> row.getLong(1));
    }

    @Override
    public long epoch(Connection master) throws SQLException {
        return Queries.single(master, "SELECT epoch FROM multimed.base", row -> row.getLong(1));
    }

    /**
     * Runs multimed.enter, which records the session of this connection as one of this middleware; MM002 if another
     * middleware has taken over.
     */
    @Override
    public void admit(Connection master, long epoch) throws SQLException {
        try (Statement statement = master.createStatement()) {
            statement.execute(admission(epoch));
        }
        Queries.end(master);
    }

    /** Returns the statement that admits a session, for pools that run it on each new connection. */
    public static String admission(long epoch) {
        return "SELECT multimed.enter(" + epoch + ")";
    }

    /**
     * Waits up to 10 s, in which an ended middleware's connection may disappear; then fails with 55006. The lock
     * belongs to the session: the commit that follows does not release it. Any role can take an advisory lock. If the
     * middleware's user is a superuser, sessions of other roles that hold the lock, or wait for it, are ended.
     */
    @Override
    public void keepOut(Connection master) throws SQLException {
        for (int attempt = 1; !takesLock(master, attempt == ATTEMPTS); attempt++) {
            if (endsIntruders) {
                PostgresSessions.end(master, INTRUDERS);
            }
        }
        try (Statement statement = master.createStatement()) {
            statement.execute("RESET lock_timeout");
        }
        Queries.end(master);
    }

    /** Returns whether the lock was taken; throws 55006 instead of returning false if this was the last attempt. */
    private static boolean takesLock(Connection master, boolean last) throws SQLException {
        try (Statement statement = master.createStatement()) {
            statement.execute("SET lock_timeout = '2s'");
            Queries.end(master);
            statement.execute("SELECT pg_advisory_lock(" + MIDDLEWARE_LOCK + ")");
            Queries.end(master);
            return true;
        } catch (SQLException e) {
            if (!Queries.isLockNotAvailable(e)) {
                throw e;
            }
            if (last) {
                throw new SQLException(
                        "another middleware is running on this master; stop it first, or give this one a master of its own",
                        "55006",
                        e);
            }
            Queries.cancel(master);
            return false;
        }
    }

    /**
     * Ends only those of the given sessions that belong to Multimed: the engine may have reused a process id for
     * another client.
     */
    @Override
    public void endSessions(Connection master, Set<Integer> sessions) throws SQLException {
        Integer[] pids = sessions.toArray(new Integer[0]);
        PostgresSessions.end(
                master,
                PostgresSessions.ours(master) + " AND pid = ANY ('"
                        + Arrays.toString(pids).replace('[', '{').replace(']', '}') + "')");
    }

    @Override
    public Map<Integer, SessionWait> waits(Connection master, Set<Integer> sessions) throws SQLException {
        return PostgresSessionWaits.of(master, sessions);
    }
}
