// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc;

import io.multimed.jdbc.support.SelfWrapper;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Opens connections without a pool: each call of {@code getConnection} opens a new connection. */
public class MultimedDataSource extends DataSourceBean implements DataSource, SelfWrapper {
    @Override
    public Connection getConnection() throws SQLException {
        return open(null, null);
    }

    @Override
    public Connection getConnection(@Nullable String user, @Nullable String password) throws SQLException {
        return open(user, password);
    }
}
