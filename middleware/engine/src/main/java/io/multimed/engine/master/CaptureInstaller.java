// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.master;

import io.multimed.engine.writeset.ReplicatedTables;
import java.sql.Connection;
import java.sql.SQLException;

/** Installs the triggers that capture changes on the master. Stateless; leaves no transaction open. */
public interface CaptureInstaller {
    /**
     * Creates Multimed's schema, and triggers on all replicated tables that have none. May run again on a master that
     * is in use.
     *
     * @param captureBypassing whether writes that bypass the middleware are captured, see {@link MasterStore#bypass};
     *     otherwise they are refused
     * @throws SQLException also if a replicated table cannot be captured, with 0A000
     */
    void install(Connection master, ReplicatedTables replicated, boolean captureBypassing) throws SQLException;

    /**
     * Creates triggers on all replicated tables that have none, one table after the other, while clients use them.
     *
     * @throws SQLException if a client locks a table for too long; the call may be repeated
     */
    void captureTables(Connection master, ReplicatedTables replicated) throws SQLException;

    /**
     * Searches for changes of captured tables that bypassed the middleware and fired no trigger, and captures the
     * tables in their present form. Called every few seconds.
     *
     * @param replicated as for {@link #install}
     * @return whether such a change was found: the {@link SeedSource#historyId} is then another one, because no
     *     satellite is a copy any more
     */
    default boolean recapture(Connection master, ReplicatedTables replicated) throws SQLException {
        return false;
    }
}
