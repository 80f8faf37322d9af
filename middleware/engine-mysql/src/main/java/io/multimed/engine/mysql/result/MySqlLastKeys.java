// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.result;

import com.mysql.cj.jdbc.StatementImpl;
import io.multimed.engine.dialect.LastKeys;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Reads and restores the session's LAST_INSERT_ID(). */
public final class MySqlLastKeys implements LastKeys {
    /** Returns the session's key, and sets it to 0: the engine evaluates the columns in their order. */
    public static final String TAKE = "SELECT LAST_INSERT_ID(), LAST_INSERT_ID(0)";

    /**
     * Returns whether the engine's answer contained a key. The engine also reports a key that the statement supplied,
     * although this does not change LAST_INSERT_ID(): the result may be true without a change.
     */
    @Override
    public boolean mayHaveChanged(Statement executed) throws SQLException {
        long key = executed.unwrap(StatementImpl.class).getLastInsertID();
        return key != 0 && key != -1;
    }

    /** Returns an unsigned number, which may exceed the range of a long. */
    @Override
    public String take(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(TAKE)) {
            row.next();
            return row.getString(1);
        }
    }

    /** Sets the session's key to 0. */
    public static void forget(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET last_insert_id = 0");
        }
    }

    @Override
    public void restore(Connection connection, String key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SET last_insert_id = CAST(? AS UNSIGNED)")) {
            statement.setString(1, key);
            statement.execute();
        }
    }
}
