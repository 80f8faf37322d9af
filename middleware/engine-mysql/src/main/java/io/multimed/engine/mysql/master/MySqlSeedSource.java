package io.multimed.engine.mysql.master;

import io.multimed.engine.master.LogForcing;
import io.multimed.engine.master.SeedSource;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.mysql.schema.TableForm;
import io.multimed.engine.writeset.Relation;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

/** Consistent snapshots. Every commit of the family forces the log by itself. */
public final class MySqlSeedSource implements SeedSource, LogForcing {
    @Override
    public UUID historyId(Connection master) throws SQLException {
        String cluster =
                Queries.texts(master, "SELECT cluster FROM multimed.base").get(0);
        Queries.end(master);
        return UUID.fromString(cluster);
    }

    @Override
    public void forceLog(Connection master) throws SQLException {
        // Every commit has forced it.
        Queries.end(master);
    }

    @Override
    public List<Relation> relations(Connection master) throws SQLException {
        return Capture.forms(master, "").stream().map(TableForm::relation).toList();
    }

    @Override
    public void beginSnapshot(Connection master) throws SQLException {
        Queries.end(master);
        Queries.run(master, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
        Queries.run(master, "START TRANSACTION WITH CONSISTENT SNAPSHOT");
    }
}
