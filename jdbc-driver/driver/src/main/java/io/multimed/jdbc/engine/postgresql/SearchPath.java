// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.engine.postgresql;

import io.multimed.jdbc.engine.CurrentNamespace;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Implements catalog and schema for engines whose connections stay in their database. The schema is the first one of
 * the search path.
 */
record SearchPath(Connection connection, String database) implements CurrentNamespace {
    private static final Pattern NAME = Pattern.compile("\\s*(?:\"((?:[^\"]|\"\")*)\"|([^,\"]+))\\s*(?:,|$)");

    @Override
    public String catalog() {
        return database;
    }

    /** Does nothing, like PgJDBC: a connection stays in its database. */
    @Override
    public void setCatalog(String catalog) {
        // PgJDBC ignores the catalog, too.
    }

    @Override
    public @Nullable String schema() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT current_schema()")) {
            return row.next() ? row.getString(1) : null;
        }
    }

    /**
     * Makes the schema the whole search path of the session, like PgJDBC. The session then keeps its engine connection.
     */
    @Override
    public void setSchema(@Nullable String schema) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(
                    schema == null
                            ? "SET SESSION search_path TO DEFAULT"
                            : "SET SESSION search_path TO '" + schema.replace("'", "''") + "'");
        }
    }

    /** Sets the search path. Names without quotes are folded to lower case, as the engine does. */
    @Override
    public void setSearchPath(String schemas) throws SQLException {
        List<String> literals = new ArrayList<>();
        Matcher name = NAME.matcher(schemas);
        while (name.find()) {
            String quoted = name.group(1);
            String plain =
                    quoted == null ? name.group(2).trim().toLowerCase(Locale.ROOT) : quoted.replace("\"\"", "\"");
            literals.add("'" + plain.replace("'", "''") + "'");
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET SESSION search_path TO " + String.join(", ", literals));
        }
    }
}
