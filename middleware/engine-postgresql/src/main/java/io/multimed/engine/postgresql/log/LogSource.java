// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.log;

import io.multimed.engine.master.SeedSource;
import io.multimed.engine.postgresql.connection.Queries;
import io.multimed.engine.postgresql.connection.Relations;
import io.multimed.engine.writeset.Relation;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;

/** The master as the source of standbys, which are made by copies of files. */
public final class LogSource implements SeedSource {
    @Override
    public UUID historyId(Connection master) throws SQLException {
        return Queries.single(master, "SELECT cluster FROM multimed.base", row -> row.getObject(1, UUID.class));
    }

    @Override
    public List<Relation> relations(Connection master) throws SQLException {
        try (Statement statement = master.createStatement()) {
            return Relations.all(statement);
        }
    }

    @Override
    public void beginSnapshot(Connection master) throws SQLException {
        throw new SQLException("a standby is made by a copy of the master's files", "0A000");
    }
}
