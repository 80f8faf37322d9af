// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.log;

import io.multimed.engine.master.Fencing;
import io.multimed.engine.master.SessionWait;
import io.multimed.engine.postgresql.connection.PostgresSessions;
import io.multimed.engine.postgresql.master.PostgresFencing;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;

/**
 * Keeps other middlewares away by the advisory lock of {@link PostgresFencing}, with the rights of an ordinary role and
 * without a table. A middleware that has lost the lock is not overtaken: its commits are direct writes to the other
 * one, which asks the master before each read.
 */
public final class OrdinaryFencing implements Fencing {
    private static final long EPOCH = 1;

    /** Sessions of other roles cannot be ended. */
    private static final String OWN = " AND usename = current_user AND pid <> pg_backend_pid()";

    private final PostgresFencing lock = new PostgresFencing(false);

    @Override
    public void endForeignSessions(Connection master) throws SQLException {
        keepOut(master);
        PostgresSessions.end(master, PostgresSessions.ours(master) + OWN);
    }

    @Override
    public long takeOver(Connection master) {
        return EPOCH;
    }

    @Override
    public void admit(Connection master, long epoch) {}

    /** Asks the master, which thereby shows that it can be reached. */
    @Override
    public long epoch(Connection master) throws SQLException {
        PositionForce.position(master);
        return EPOCH;
    }

    @Override
    public void keepOut(Connection master) throws SQLException {
        lock.keepOut(master);
    }

    @Override
    public void endSessions(Connection master, Set<Integer> sessions) throws SQLException {
        lock.endSessions(master, sessions);
    }

    @Override
    public Map<Integer, SessionWait> waits(Connection master, Set<Integer> sessions) throws SQLException {
        return lock.waits(master, sessions);
    }
}
