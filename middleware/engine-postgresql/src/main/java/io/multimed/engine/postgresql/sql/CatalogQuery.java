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

    private CatalogQuery() {}

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
