// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.log;

import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.postgresql.satellite.PostgresSnapshot;
import io.multimed.engine.writeset.Relation;
import io.multimed.engine.writeset.Scn;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** A snapshot of a server on which no views of Multimed describe the tables. */
public final class StandbySnapshot extends PostgresSnapshot {
    private static final String TABLES = """
            SELECT c.oid::bigint, n.nspname::text, c.relname::text FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relkind = 'r' AND c.relpersistence = 'p' AND n.nspname NOT IN ('multimed', 'pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%' ORDER BY 1""";

    public StandbySnapshot(NodeAccess access) throws SQLException {
        super(access);
    }

    /** Direct commits have no SCNs of their own. */
    @Override
    public Scn lastBypassing() {
        return Scn.ZERO;
    }

    /** Returns the names of the tables; their columns are not described. */
    @Override
    public List<Relation> relations() throws SQLException {
        List<Relation> tables = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(TABLES)) {
            while (rows.next()) {
                tables.add(new Relation(rows.getLong(1), rows.getString(2), rows.getString(3), List.of(), List.of()));
            }
        }
        return tables;
    }
}
