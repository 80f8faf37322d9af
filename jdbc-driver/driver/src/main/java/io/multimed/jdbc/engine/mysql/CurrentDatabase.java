// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.engine.mysql;

import io.multimed.jdbc.engine.CurrentNamespace;
import io.multimed.jdbc.support.SqlStates;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * Implements catalog and schema for engines in which a database is a catalog, and which have no schemas. While the
 * current database differs from the database of the URL, the session keeps its engine connection.
 */
public final class CurrentDatabase implements CurrentNamespace {
    private final Connection connection;
    /** Changed by {@link #setCatalog}, of which one runs at a time. */
    private volatile String database;

    public CurrentDatabase(Connection connection, String database) {
        this.connection = connection;
        this.database = database;
    }

    @Override
    public String catalog() {
        return database;
    }

    /** Changes the current database by USE. An unknown database raises the engine's error and changes nothing. */
    @Override
    @SuppressWarnings("NullAway") // Applications may pass null although the contract forbids null.
    public void setCatalog(String catalog) throws SQLException {
        if (catalog == null) {
            throw new SQLException("Catalog can not be null", SqlStates.ILLEGAL_ARGUMENT);
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute("USE `" + catalog.replace("`", "``") + "`");
        }
        database = catalog;
    }

    @Override
    public @Nullable String schema() {
        return null;
    }

    @Override
    public void setSchema(@Nullable String schema) {
        // Connector/J ignores the schema, too: a database is a catalog.
    }

    @Override
    public void setSearchPath(String schemas) throws SQLException {
        throw new SQLFeatureNotSupportedException(
                "the property currentSchema is supported on PostgreSQL only: set the database in the URL",
                SqlStates.NOT_SUPPORTED);
    }
}
