// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.master;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;

/** Ensures that one middleware at a time assigns SCNs on the master (architecture 6.4). Stateless. */
public interface Fencing {
    /** SQLState of the error by which {@link #admit} refuses an earlier epoch. */
    String OVERTAKEN = "MM002";

    /**
     * Ends the connections that an earlier middleware has left behind, and keeps others out as long as {@code master}
     * is open.
     *
     * @throws SQLException 55006 if another middleware is running
     */
    void endForeignSessions(Connection master) throws SQLException;

    /**
     * Begins a new epoch: no connection of an earlier one is admitted any more. Connections that were admitted before
     * must be ended after this call.
     *
     * @return the epoch
     */
    long takeOver(Connection master) throws SQLException;

    /**
     * Returns if the epoch is still the current one.
     *
     * @throws SQLException {@link #OVERTAKEN} if another middleware has taken over
     */
    void admit(Connection master, long epoch) throws SQLException;

    long epoch(Connection master) throws SQLException;

    /**
     * Keeps other middlewares out as long as the connection is open.
     *
     * @throws SQLException 55006 if another middleware is running
     */
    void keepOut(Connection master) throws SQLException;

    /**
     * Ends sessions of the master, and returns when they are gone: their uncommitted transactions never commit.
     *
     * @throws SQLException if a session does not end within some seconds
     */
    void endSessions(Connection master, Set<Integer> sessions) throws SQLException;

    /** Returns what sessions of the master wait for, or do; nothing for those that do not exist. */
    Map<Integer, SessionWait> waits(Connection master, Set<Integer> sessions) throws SQLException;
}
