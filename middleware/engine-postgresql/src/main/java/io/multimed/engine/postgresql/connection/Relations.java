// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.connection;

import io.multimed.engine.writeset.Relation;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Reads multimed.relation: a view of the catalog on the master, and a table with the same columns on satellites. */
public final class Relations {
    private Relations() {}

    /** Returns all relations, in the order of their ids. */
    public static List<Relation> all(Statement statement) throws SQLException {
        List<Relation> relations = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery(
                "SELECT id, schema_name, table_name, columns, key_positions FROM multimed.relation ORDER BY id")) {
            while (rows.next()) {
                relations.add(of(rows));
            }
        }
        return relations;
    }

    /** Returns the relation of one row. The positions of the key are NULL in the row if the relation has no key. */
    static Relation of(ResultSet row) throws SQLException {
        String[] columns = (String[]) row.getArray("columns").getArray();
        Array keys = row.getArray("key_positions");
        Integer[] positions = keys == null ? new Integer[0] : (Integer[]) keys.getArray();
        return new Relation(
                row.getLong("id"),
                row.getString("schema_name"),
                row.getString("table_name"),
                Arrays.asList(columns),
                Arrays.asList(positions));
    }
}
