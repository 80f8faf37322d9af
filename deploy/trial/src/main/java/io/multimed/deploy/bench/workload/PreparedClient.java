// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench.workload;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** A client whose transactions consist of prepared statements. Closes the statements. */
abstract class PreparedClient implements Workload.Client {
    private final Connection connection;
    private final List<PreparedStatement> statements = new ArrayList<>();

    /** @param connection with auto-commit off; belongs to the caller */
    PreparedClient(Connection connection) {
        this.connection = connection;
    }

    final PreparedStatement prepare(String sql) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        statements.add(statement);
        return statement;
    }

    /** As {@link Transactions#repeat}. */
    final void repeat(Transactions.Body transaction) throws SQLException {
        Transactions.repeat(connection, transaction);
    }

    final void commit() throws SQLException {
        connection.commit();
    }

    final void rollBack() throws SQLException {
        connection.rollback();
    }

    private static void set(PreparedStatement statement, Object... parameters) throws SQLException {
        for (int i = 0; i < parameters.length; i++) {
            statement.setObject(i + 1, parameters[i]);
        }
    }

    /** Returns the first value of the first row, and reads all values of all rows. */
    static Object one(PreparedStatement query, Object... parameters) throws SQLException {
        return all(query, parameters).get(0);
    }

    /**
     * Returns the first value of each row, and reads all values.
     *
     * @throws SQLException 02000 if there is no row
     */
    static List<Object> all(PreparedStatement query, Object... parameters) throws SQLException {
        set(query, parameters);
        List<Object> values = new ArrayList<>();
        try (ResultSet row = query.executeQuery()) {
            int columns = row.getMetaData().getColumnCount();
            while (row.next()) {
                values.add(row.getObject(1));
                for (int i = 2; i <= columns; i++) {
                    row.getObject(i);
                }
            }
        }
        require(!values.isEmpty());
        return values;
    }

    /**
     * Changes one row.
     *
     * @throws SQLException 02000 if the row does not exist
     */
    static void change(PreparedStatement change, Object... parameters) throws SQLException {
        set(change, parameters);
        require(change.executeUpdate() == 1);
    }

    private static void require(boolean found) throws SQLException {
        if (!found) {
            throw new SQLException("a row is missing", "02000");
        }
    }

    @Override
    public void close() throws SQLException {
        for (PreparedStatement statement : statements) {
            statement.close();
        }
    }
}
