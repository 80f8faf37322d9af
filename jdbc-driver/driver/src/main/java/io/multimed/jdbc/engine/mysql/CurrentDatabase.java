package io.multimed.jdbc.engine.mysql;

import io.multimed.jdbc.engine.CurrentNamespace;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** A database is a catalog; there are no schemas. The session keeps its engine connection while its database is not the one that the URL names. */
public final class CurrentDatabase implements CurrentNamespace {
    private final Connection connection;
    private String database;

    public CurrentDatabase(Connection connection, String database) {
        this.connection = connection;
        this.database = database;
    }

    @Override
    public String catalog() {
        return database;
    }

    @Override
    @SuppressWarnings("NullAway") // an application may say so against the contract
    public void setCatalog(String catalog) throws SQLException {
        if (catalog == null) {
            throw new SQLException("Catalog can not be null", "S1009");
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
        // As with the engine's own driver: it has catalogs.
    }

    @Override
    public void setPath(String schemas) throws SQLException {
        throw new SQLFeatureNotSupportedException(
                "the property currentSchema is supported on PostgreSQL only: set the database in the URL", "0A000");
    }
}
