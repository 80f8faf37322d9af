// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Runs a query of the catalog that is repeated after each DDL statement. The query is prepared: on a connection that
 * the caller keeps, the engine plans it once. Planning takes about as long as execution here.
 */
public final class CatalogQuery {
    /** Uses a row of a result. */
    @FunctionalInterface
    public interface Row {
        void use(ResultSet row) throws SQLException;
    }

    private static final String OWN = "coalesce(to_regnamespace('multimed'), 0)";

    private CatalogQuery() {}

    /**
     * Returns a query in a form for masters on which nothing is installed: a schema {@code multimed} that exists
     * nevertheless is a user's.
     */
    public static String withoutOwnSchema(String query) {
        return query.replace(OWN, "0").replace("('multimed', 'information_schema')", "('information_schema')");
    }

    /** Runs a query without parameters, and passes each row. */
    public static void forEach(Connection connection, String query, Row consumer) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(query);
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                consumer.use(rows);
            }
        }
    }
}
