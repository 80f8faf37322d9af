// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.log;

import io.multimed.engine.postgresql.connection.Queries;
import io.multimed.engine.postgresql.master.PostgresSeedSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;

/** The master as the source of standbys, which are made by copies of files. */
public final class LogSource extends PostgresSeedSource {
    @Override
    public UUID historyId(Connection master) throws SQLException {
        return Queries.single(master, "SELECT cluster FROM multimed.base", row -> row.getObject(1, UUID.class));
    }

    @Override
    public void beginSnapshot(Connection master) throws SQLException {
        throw new SQLException("a standby is made by a copy of the master's files", "0A000");
    }
}
