// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** Compares the columns that names find: labels, and labels after the name or the alias of a table. */
final class LabelSuite {
    private static final List<String> QUERIES = List.of(
            "SELECT a.id, a.name, b.id, b.thing FROM things a JOIN parts b ON b.thing = a.id WHERE b.id = 3",
            "SELECT things.name, parts.id AS q, parts.id + 1 AS e FROM things JOIN parts ON parts.thing = things.id",
            "SELECT id AS \"b.name\", name FROM things b WHERE id = 2",
            "SELECT b.name, b.id FROM seen_things b WHERE id = 2",
            "SELECT b.name AS q FROM (SELECT name FROM things WHERE id = 2) b",
            "WITH b AS (SELECT id, name FROM things WHERE id = 2) SELECT b.id, b.name FROM b",
            "SELECT b.name AS id, b.id AS name FROM things b WHERE id = 2",
            "SELECT name FROM things WHERE id = 2 UNION SELECT name FROM things WHERE id = 2");

    private static final List<String> NAMES = List.of(
            "id",
            "NAME",
            "q",
            "e",
            "a.id",
            "b.id",
            "B.Id",
            "b.name",
            "b.b.name",
            "b.q",
            "b.thing",
            "things.name",
            "things.id",
            "parts.q",
            "parts.id",
            "seen_things.name",
            "shop.b.name",
            "`b`.`name`",
            ".name",
            ".e",
            "b.",
            ".",
            "");

    private final Comparisons comparisons;

    LabelSuite(Comparisons comparisons) {
        this.comparisons = comparisons;
    }

    void run(Connection engines, Connection ours) throws SQLException {
        String quote = engines.getMetaData().getIdentifierQuoteString();
        for (String query : QUERIES) {
            String sql = query.replace("\"", quote);
            for (String name : NAMES) {
                comparisons.compare(name + " of " + sql, engines, ours, side -> found(side, sql, name));
                comparisons.compare(name + " of prepared " + sql, engines, ours, side -> prepared(side, sql, name));
            }
        }
        comparisons.compare("update", engines, ours, LabelSuite::updated);
    }

    private static String found(Connection connection, String sql, String name) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.findColumn(name) + " " + rows.getString(name);
        }
    }

    /** Executes the statement twice: the driver knows the columns of the second result. */
    private static String prepared(Connection connection, String sql, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.executeQuery().close();
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return rows.getObject(name) + " " + rows.findColumn(name);
            }
        }
    }

    private static String updated(Connection connection) throws SQLException {
        try (Statement statement =
                        connection.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE);
                ResultSet rows = statement.executeQuery("SELECT b.id, b.name FROM things b WHERE id = 2")) {
            rows.next();
            rows.updateString("b.name", "changed");
            rows.updateRow();
            return rows.getString("b.name");
        }
    }
}
