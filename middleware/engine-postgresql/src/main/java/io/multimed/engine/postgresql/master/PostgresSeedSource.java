// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.master;

import io.multimed.engine.master.SeedSource;
import io.multimed.engine.postgresql.connection.Queries;
import io.multimed.engine.postgresql.connection.Relations;
import io.multimed.engine.writeset.Relation;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;

/** Snapshots are REPEATABLE READ transactions of the master (architecture 4.3). */
public class PostgresSeedSource implements SeedSource {
    /**
     * Calls multimed.cluster, which also detects a crash of the engine: an unlogged table is empty after it. If the
     * database has unlogged tables, the crash begins another history.
     */
    @Override
    public UUID historyId(Connection master) throws SQLException {
        return Queries.single(master, "SELECT multimed.cluster()", row -> row.getObject(1, UUID.class));
    }

    @Override
    public List<Relation> relations(Connection master) throws SQLException {
        try (Statement statement = master.createStatement()) {
            return Relations.all(statement);
        }
    }

    /**
     * The query fixes the snapshot, while all commits wait: it waits for a lock for 2 s at most. The caller keeps the
     * connection and ends the transaction.
     */
    @Override
    public void beginSnapshot(Connection master) throws SQLException {
        try (Statement statement = master.createStatement()) {
            statement.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
            statement.execute("SET LOCAL lock_timeout = '2s'");
            statement.execute("SELECT scn FROM multimed.base");
        }
    }
}
