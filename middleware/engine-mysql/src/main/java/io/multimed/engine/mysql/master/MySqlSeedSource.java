// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.master;

import io.multimed.engine.master.LogForcing;
import io.multimed.engine.master.SeedSource;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.mysql.schema.TableForm;
import io.multimed.engine.writeset.Relation;
import io.multimed.engine.writeset.Scn;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

/**
 * Takes consistent snapshots of the master for seeding. Forcing the log is not needed, because every commit of these
 * engines forces the log by itself.
 */
public final class MySqlSeedSource implements SeedSource, LogForcing {
    @Override
    public UUID historyId(Connection master) throws SQLException {
        String cluster =
                Queries.texts(master, "SELECT cluster FROM multimed.base").get(0);
        Queries.end(master);
        return UUID.fromString(cluster);
    }

    /** Sends nothing but the end of the transaction. */
    @Override
    public Scn forceLog(Connection master) throws SQLException {
        // Every commit has forced it.
        Queries.end(master);
        return Scn.ZERO;
    }

    /** Omits tables that are away: their new form arrives in a later WriteSet. */
    @Override
    public List<Relation> relations(Connection master) throws SQLException {
        return Capture.forms(master, "").stream().map(TableForm::relation).toList();
    }

    /** {@code WITH CONSISTENT SNAPSHOT} fixes the snapshot now, not at the first read. */
    @Override
    public void beginSnapshot(Connection master) throws SQLException {
        Queries.end(master);
        Queries.execute(master, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
        Queries.execute(master, "START TRANSACTION WITH CONSISTENT SNAPSHOT");
    }
}
