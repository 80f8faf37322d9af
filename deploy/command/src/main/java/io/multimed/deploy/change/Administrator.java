// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.change;

import io.multimed.tpcw.run.Target;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Runs administrative statements of Multimed, each over a connection of its own. Escape processing is off, because a
 * model in YAML may contain braces.
 */
record Administrator(Target target) {
    /** Runs a statement, and returns the rows of its result by the names of the columns. */
    List<Map<String, String>> rows(String sql) throws SQLException {
        try (Connection connection = target.connect();
                Statement statement = connection.createStatement()) {
            statement.setEscapeProcessing(false);
            List<Map<String, String>> rows = new ArrayList<>();
            if (statement.execute(sql)) {
                read(statement.getResultSet(), rows);
            }
            return rows;
        }
    }

    private static void read(ResultSet results, List<Map<String, String>> rows) throws SQLException {
        try (results) {
            while (results.next()) {
                Map<String, String> row = new LinkedHashMap<>();
                for (int i = 1; i <= results.getMetaData().getColumnCount(); i++) {
                    row.put(results.getMetaData().getColumnLabel(i), Objects.toString(results.getString(i), ""));
                }
                rows.add(row);
            }
        }
    }

    void run(String sql) throws SQLException {
        rows(sql);
    }

    /** Returns the role of each node, the master first. */
    Map<String, String> roles() throws SQLException {
        Map<String, String> roles = new LinkedHashMap<>();
        rows("SHOW MULTIMED STATUS").forEach(node -> roles.put(node.get("node"), node.get("role")));
        return roles;
    }
}
