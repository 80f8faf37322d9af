// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.result;

import io.multimed.jdbc.support.SelfWrapper;
import io.multimed.jdbc.support.SqlErrors;
import java.net.URL;
import java.sql.Ref;
import java.sql.ResultSet;
import java.sql.RowId;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Refuses the methods of ResultSet that this driver does not support: references, row identifiers and URLs are types
 * that no supported engine has. All throw 0A000.
 */
abstract class UnsupportedResultSetMethods implements ResultSet, SelfWrapper {
    @Override
    public Ref getRef(int column) throws SQLException {
        throw SqlErrors.unsupported("ResultSet.getRef");
    }

    @Override
    public Ref getRef(String label) throws SQLException {
        throw SqlErrors.unsupported("ResultSet.getRef");
    }

    @Override
    public RowId getRowId(int column) throws SQLException {
        throw SqlErrors.unsupported("ResultSet.getRowId");
    }

    @Override
    public RowId getRowId(String label) throws SQLException {
        throw SqlErrors.unsupported("ResultSet.getRowId");
    }

    @Override
    public URL getURL(int column) throws SQLException {
        throw SqlErrors.unsupported("ResultSet.getURL");
    }

    @Override
    public URL getURL(String label) throws SQLException {
        throw SqlErrors.unsupported("ResultSet.getURL");
    }

    @Override
    public void updateRef(int column, @Nullable Ref value) throws SQLException {
        throw SqlErrors.unsupported("ResultSet.updateRef");
    }

    @Override
    public void updateRef(String label, @Nullable Ref value) throws SQLException {
        throw SqlErrors.unsupported("ResultSet.updateRef");
    }

    @Override
    public void updateRowId(int column, @Nullable RowId value) throws SQLException {
        throw SqlErrors.unsupported("ResultSet.updateRowId");
    }

    @Override
    public void updateRowId(String label, @Nullable RowId value) throws SQLException {
        throw SqlErrors.unsupported("ResultSet.updateRowId");
    }
}
