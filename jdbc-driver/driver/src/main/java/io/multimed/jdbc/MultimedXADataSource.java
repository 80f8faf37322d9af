package io.multimed.jdbc;

import io.multimed.jdbc.support.SqlErrors;
import java.sql.SQLException;
import javax.sql.XAConnection;
import javax.sql.XADataSource;
import org.jspecify.annotations.Nullable;

/** Can be configured, but gives no connections: Multimed's commits are ordered by itself, so no other coordinator can hold one back. */
public class MultimedXADataSource extends DataSourceBean implements XADataSource {
    @Override
    public XAConnection getXAConnection() throws SQLException {
        throw SqlErrors.unsupported("XADataSource.getXAConnection");
    }

    @Override
    public XAConnection getXAConnection(@Nullable String user, @Nullable String password) throws SQLException {
        throw SqlErrors.unsupported("XADataSource.getXAConnection");
    }
}
