package io.multimed.jdbc;

import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;

/** What this driver does not have of an array: each method says so. */
abstract class RefusingArray implements Array {
    @Override
    public Object getArray(Map<String, Class<?>> first) throws SQLException {
        throw Failures.unsupported("Array.getArray");
    }

    @Override
    public Object getArray(long first, int second) throws SQLException {
        throw Failures.unsupported("Array.getArray");
    }

    @Override
    public Object getArray(long first, int second, Map<String, Class<?>> third) throws SQLException {
        throw Failures.unsupported("Array.getArray");
    }

    @Override
    public ResultSet getResultSet() throws SQLException {
        throw Failures.unsupported("Array.getResultSet");
    }

    @Override
    public ResultSet getResultSet(Map<String, Class<?>> first) throws SQLException {
        throw Failures.unsupported("Array.getResultSet");
    }

    @Override
    public ResultSet getResultSet(long first, int second) throws SQLException {
        throw Failures.unsupported("Array.getResultSet");
    }

    @Override
    public ResultSet getResultSet(long first, int second, Map<String, Class<?>> third) throws SQLException {
        throw Failures.unsupported("Array.getResultSet");
    }
}
