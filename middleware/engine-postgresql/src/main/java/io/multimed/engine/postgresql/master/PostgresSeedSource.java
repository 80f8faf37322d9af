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

/** Snapshots of REPEATABLE READ transactions. */
public final class PostgresSeedSource implements SeedSource {
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

    @Override
    public void beginSnapshot(Connection master) throws SQLException {
        try (Statement statement = master.createStatement()) {
            statement.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
            statement.execute("SELECT scn FROM multimed.base");
        }
    }
}
