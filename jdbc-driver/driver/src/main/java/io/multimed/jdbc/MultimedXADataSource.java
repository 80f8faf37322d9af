// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc;

import io.multimed.jdbc.support.SqlErrors;
import java.sql.SQLException;
import javax.sql.XAConnection;
import javax.sql.XADataSource;
import org.jspecify.annotations.Nullable;

/**
 * Refuses to open connections. Multimed determines the order of commits itself, so an external coordinator cannot delay
 * a commit. The class exists for tools that configure all kinds of data sources.
 */
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
