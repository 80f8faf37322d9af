// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.log;

import io.multimed.engine.master.CaptureInstaller;
import io.multimed.engine.postgresql.connection.Queries;
import io.multimed.engine.writeset.ReplicatedTables;
import java.sql.Connection;
import java.sql.SQLException;

/** Installs nothing, and checks whether the master can be used as it is. */
public final class Requirements implements CaptureInstaller {
    private static final int MIN_VERSION = 14;

    /** Fails with 0A000 and the reason if the server is too old, a standby, or logs too little for standbys. */
    @Override
    public void install(Connection master, ReplicatedTables replicated, boolean captureBypassing) throws SQLException {
        int version = master.getMetaData().getDatabaseMajorVersion();
        require(
                version >= MIN_VERSION,
                "the master is PostgreSQL %d; propagation: log needs version %d or newer"
                        .formatted(version, MIN_VERSION));
        require(
                !Queries.single(master, "SELECT pg_catalog.pg_is_in_recovery()", row -> row.getBoolean(1)),
                "the server is a standby: make the primary the master of the model");
        String level = Queries.single(master, "SHOW wal_level", row -> row.getString(1));
        require(
                !level.equals("minimal"),
                "wal_level is minimal on the master: standbys need wal_level = replica, and a restart of the server");
        Queries.end(master);
    }

    private static void require(boolean met, String otherwise) throws SQLException {
        if (!met) {
            throw new SQLException(otherwise, "0A000");
        }
    }

    @Override
    public void captureTables(Connection master, ReplicatedTables replicated) {}
}
