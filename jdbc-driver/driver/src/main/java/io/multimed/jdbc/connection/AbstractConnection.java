// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.connection;

import io.multimed.jdbc.support.SqlErrors;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.ShardingKey;
import java.sql.Statement;
import java.sql.Struct;

/**
 * Implements the short forms of methods that create statements, by the longest form, and refuses the methods of
 * Connection that this driver does not support.
 */
abstract class AbstractConnection implements Connection {
    @Override
    public Statement createStatement() throws SQLException {
        return createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY, getHoldability());
    }

    @Override
    public Statement createStatement(int type, int concurrency) throws SQLException {
        return createStatement(type, concurrency, getHoldability());
    }

    @Override
    public PreparedStatement prepareStatement(String sql) throws SQLException {
        return prepareStatement(sql, ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY, getHoldability());
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int type, int concurrency) throws SQLException {
        return prepareStatement(sql, type, concurrency, getHoldability());
    }

    @Override
    public CallableStatement prepareCall(String sql) throws SQLException {
        return prepareCall(sql, ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY, getHoldability());
    }

    @Override
    public CallableStatement prepareCall(String sql, int type, int concurrency) throws SQLException {
        return prepareCall(sql, type, concurrency, getHoldability());
    }

    @Override
    public Struct createStruct(String first, Object[] second) throws SQLException {
        throw SqlErrors.unsupported("Connection.createStruct");
    }

    @Override
    public boolean setShardingKeyIfValid(ShardingKey first, ShardingKey second, int third) throws SQLException {
        throw SqlErrors.unsupported("Connection.setShardingKeyIfValid");
    }

    @Override
    public boolean setShardingKeyIfValid(ShardingKey first, int second) throws SQLException {
        throw SqlErrors.unsupported("Connection.setShardingKeyIfValid");
    }

    @Override
    public void setShardingKey(ShardingKey first, ShardingKey second) throws SQLException {
        throw SqlErrors.unsupported("Connection.setShardingKey");
    }

    @Override
    public void setShardingKey(ShardingKey first) throws SQLException {
        throw SqlErrors.unsupported("Connection.setShardingKey");
    }
}
