// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.connection;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Saves and restores the settings in which the triggers store the state of the open transaction: its WriteSet, of at
 * most 4,000 bytes, and the place of its witness (triggers-sql/README.md). Needed around a statement that resets all
 * settings ({@code RESET ALL}). Belongs to one transaction.
 */
public final class OwnSettings {
    private static final String READ =
            "SELECT name, pg_catalog.current_setting(name, true) FROM pg_catalog.unnest('{multimed.writeset,multimed.witness,multimed.ddl}'::pg_catalog.text[]) name";
    private static final String WRITE = "SELECT pg_catalog.set_config(?, ?, true)";

    private final List<String[]> values = new ArrayList<>();

    private OwnSettings() {}

    /** Reads the settings that are not empty, within the caller's transaction. */
    public static OwnSettings of(Connection connection) throws SQLException {
        OwnSettings settings = new OwnSettings();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(READ)) {
            while (rows.next()) {
                String value = rows.getString(2);
                if (value != null && !value.isEmpty()) {
                    settings.values.add(new String[] {rows.getString(1), value});
                }
            }
        }
        return settings;
    }

    /** Sets the settings to the saved values for the rest of the transaction. */
    public void restore(Connection connection) throws SQLException {
        for (String[] value : values) {
            try (PreparedStatement statement = connection.prepareStatement(WRITE)) {
                statement.setString(1, value[0]);
                statement.setString(2, value[1]);
                statement.execute();
            }
        }
    }
}
