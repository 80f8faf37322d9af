package io.multimed.jdbc;

import java.sql.Blob;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.NClob;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLXML;
import java.sql.ShardingKey;
import java.sql.Statement;
import java.sql.Struct;
import java.util.Map;

/** What this driver does not have of a connection: each method says so. The short forms of creating a statement lead to the long one. */
abstract class RefusingConnection implements Connection {
    @Override
    public Statement createStatement() throws SQLException {
        return createStatement(
                ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY, ResultSet.CLOSE_CURSORS_AT_COMMIT);
    }

    @Override
    public Statement createStatement(int type, int concurrency) throws SQLException {
        return createStatement(type, concurrency, ResultSet.CLOSE_CURSORS_AT_COMMIT);
    }

    @Override
    public PreparedStatement prepareStatement(String sql) throws SQLException {
        return prepareStatement(
                sql, ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY, ResultSet.CLOSE_CURSORS_AT_COMMIT);
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int type, int concurrency) throws SQLException {
        return prepareStatement(sql, type, concurrency, ResultSet.CLOSE_CURSORS_AT_COMMIT);
    }

    @Override
    public Map<String, Class<?>> getTypeMap() throws SQLException {
        throw Failures.unsupported("Connection.getTypeMap");
    }

    @Override
    public void setTypeMap(Map<String, Class<?>> first) throws SQLException {
        throw Failures.unsupported("Connection.setTypeMap");
    }

    @Override
    public Clob createClob() throws SQLException {
        throw Failures.unsupported("Connection.createClob");
    }

    @Override
    public Blob createBlob() throws SQLException {
        throw Failures.unsupported("Connection.createBlob");
    }

    @Override
    public NClob createNClob() throws SQLException {
        throw Failures.unsupported("Connection.createNClob");
    }

    @Override
    public SQLXML createSQLXML() throws SQLException {
        throw Failures.unsupported("Connection.createSQLXML");
    }

    @Override
    public Struct createStruct(String first, Object[] second) throws SQLException {
        throw Failures.unsupported("Connection.createStruct");
    }

    @Override
    public void setSchema(String first) throws SQLException {
        throw Failures.unsupported("Connection.setSchema");
    }

    @Override
    public boolean setShardingKeyIfValid(ShardingKey first, ShardingKey second, int third) throws SQLException {
        throw Failures.unsupported("Connection.setShardingKeyIfValid");
    }

    @Override
    public boolean setShardingKeyIfValid(ShardingKey first, int second) throws SQLException {
        throw Failures.unsupported("Connection.setShardingKeyIfValid");
    }

    @Override
    public void setShardingKey(ShardingKey first, ShardingKey second) throws SQLException {
        throw Failures.unsupported("Connection.setShardingKey");
    }

    @Override
    public void setShardingKey(ShardingKey first) throws SQLException {
        throw Failures.unsupported("Connection.setShardingKey");
    }
}
