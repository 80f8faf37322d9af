package io.multimed.engine.master;

import io.multimed.engine.writeset.ReplicatedTables;
import java.sql.Connection;
import java.sql.SQLException;

/** Installs the triggers that capture changes on the master. Stateless; leaves no transaction open. */
public interface CaptureInstaller {
    /**
     * Creates Multimed's schema, and triggers on all replicated tables that have none.
     *
     * @param captureBypassing whether writes past the middleware are captured, see {@link MasterStore#bypass}; otherwise
     *     they are refused
     */
    void install(Connection master, ReplicatedTables replicated, boolean captureBypassing) throws SQLException;

    /**
     * Creates triggers on all replicated tables that have none, one table after the other, while clients go on.
     *
     * @throws SQLException if a client locks a table for too long; the call may be repeated
     */
    void captureTables(Connection master, ReplicatedTables replicated) throws SQLException;

    /**
     * Looks for changes of captured tables past the middleware where no trigger fires, and captures the tables as they
     * are now. Called every few seconds.
     *
     * @param replicated as for {@link #install}
     * @return whether something was found: the {@link SeedSource#historyId} is then another one, because no satellite is
     *     a copy any more
     */
    default boolean recapture(Connection master, ReplicatedTables replicated) throws SQLException {
        return false;
    }
}
