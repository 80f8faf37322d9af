// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.statement;

import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An array of which the engine's own text is known, as a parameter: an engine's driver sends the text of an array that
 * it has not created itself. The text shows more than the elements do, such as the lower bounds of the dimensions.
 */
final class TextArray implements Array {
    private final String elementType;
    private final int sqlType;
    private final String text;

    TextArray(String elementType, int sqlType, String text) {
        this.elementType = elementType;
        this.sqlType = sqlType;
        this.text = text;
    }

    @Override
    public String getBaseTypeName() {
        return elementType;
    }

    @Override
    public int getBaseType() {
        return sqlType;
    }

    @Override
    public String toString() {
        return text;
    }

    @Override
    public void free() {}

    private static SQLException textOnly() {
        return new SQLFeatureNotSupportedException(
                "this array is a parameter, of which only the text is known", "0A000");
    }

    @Override
    public Object getArray() throws SQLException {
        throw textOnly();
    }

    @Override
    public Object getArray(@Nullable Map<String, Class<?>> map) throws SQLException {
        throw textOnly();
    }

    @Override
    public Object getArray(long index, int count) throws SQLException {
        throw textOnly();
    }

    @Override
    public Object getArray(long index, int count, @Nullable Map<String, Class<?>> map) throws SQLException {
        throw textOnly();
    }

    @Override
    public ResultSet getResultSet() throws SQLException {
        throw textOnly();
    }

    @Override
    public ResultSet getResultSet(@Nullable Map<String, Class<?>> map) throws SQLException {
        throw textOnly();
    }

    @Override
    public ResultSet getResultSet(long index, int count) throws SQLException {
        throw textOnly();
    }

    @Override
    public ResultSet getResultSet(long index, int count, @Nullable Map<String, Class<?>> map) throws SQLException {
        throw textOnly();
    }
}
