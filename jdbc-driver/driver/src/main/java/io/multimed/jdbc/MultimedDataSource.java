package io.multimed.jdbc;

import io.multimed.jdbc.support.SelfWrapper;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A data source without a pool: each connection is a new one. */
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
