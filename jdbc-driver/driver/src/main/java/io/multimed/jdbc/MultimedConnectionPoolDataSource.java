// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc;

import io.multimed.jdbc.connection.MultimedPooledConnection;
import java.sql.SQLException;
import javax.sql.ConnectionPoolDataSource;
import javax.sql.PooledConnection;
import org.jspecify.annotations.Nullable;

/**
 * Opens physical connections for the connection pool of an application server. The pool owns the connections, and gives
 * applications handles (JDBC specification, chapter 11). Stand-alone pools, such as HikariCP, use {@link
 * MultimedDataSource} instead.
 */
public class MultimedConnectionPoolDataSource extends DataSourceBean implements ConnectionPoolDataSource {
    @Override
    public PooledConnection getPooledConnection() throws SQLException {
        return new MultimedPooledConnection(open(null, null));
    }

    @Override
    public PooledConnection getPooledConnection(@Nullable String user, @Nullable String password) throws SQLException {
        return new MultimedPooledConnection(open(user, password));
    }
}
