// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.log;

import io.multimed.engine.postgresql.connection.Queries;
import io.multimed.engine.postgresql.master.PostgresSeedSource;
import io.multimed.engine.writeset.Relation;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

/** The master as the source of standbys, which are made by copies of files. */
public final class LogSource extends PostgresSeedSource {
    /**
     * Returns the system identifier, which a server and its standbys have in common. A standby that follows another
     * timeline cannot follow the master: the engine refuses it.
     */
    @Override
    public UUID historyId(Connection master) throws SQLException {
        return systemIdentifier(master);
    }

    static UUID systemIdentifier(Connection server) throws SQLException {
        long identifier = Queries.single(
                server, "SELECT system_identifier FROM pg_catalog.pg_control_system()", row -> row.getLong(1));
        return new UUID(0, identifier);
    }

    /** Returns none: nothing is copied by rows. */
    @Override
    public List<Relation> relations(Connection master) {
        return List.of();
    }

    @Override
    public void beginSnapshot(Connection master) throws SQLException {
        throw new SQLException("a standby is made by a copy of the master's files", "0A000");
    }
}
