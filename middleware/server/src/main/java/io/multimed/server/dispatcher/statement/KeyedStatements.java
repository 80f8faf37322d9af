// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.statement;

import io.multimed.protocol.statement.GeneratedKeys;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;

/** Creates and runs statements that return generated keys, in each of the ways in which clients request them. */
final class KeyedStatements {
    private KeyedStatements() {}

    /** Prepares a statement that returns the keys; an ordinary one if none are wanted. */
    static PreparedStatement prepare(Connection connection, String sql, GeneratedKeys keys) throws SQLException {
        if (!keys.wanted()) {
            return connection.prepareStatement(sql);
        }
        if (!keys.indexes().isEmpty()) {
            return connection.prepareStatement(sql, indexes(keys));
        }
        return keys.columns().isEmpty()
                ? connection.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS)
                : connection.prepareStatement(sql, columns(keys));
    }

    /** Runs a statement that returns the keys. Returns whether the first result has rows. */
    static boolean execute(Statement statement, String sql, GeneratedKeys keys) throws SQLException {
        if (!keys.wanted()) {
            return statement.execute(sql);
        }
        if (!keys.indexes().isEmpty()) {
            return statement.execute(sql, indexes(keys));
        }
        return keys.columns().isEmpty()
                ? statement.execute(sql, Statement.RETURN_GENERATED_KEYS)
                : statement.execute(sql, columns(keys));
    }

    /** Returns the names of the columns of keys, which the engine's driver writes into the text between quotes. */
    private static String[] columns(GeneratedKeys keys) throws SQLException {
        if (keys.columns().contains("")) {
            throw new SQLException("the name of a column of generated keys is empty", "22023");
        }
        return keys.columns().toArray(new String[0]);
    }

    private static int[] indexes(GeneratedKeys keys) {
        return keys.indexes().stream().mapToInt(Integer::intValue).toArray();
    }
}
