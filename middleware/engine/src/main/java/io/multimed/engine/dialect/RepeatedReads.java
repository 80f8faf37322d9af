// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.dialect;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Executes a text that contains the read several times, see {@link io.multimed.engine.sql.SqlReader#repeated}. */
final class RepeatedReads implements JoinedReads {
    private static final String NOT_SUPPORTED = "0A000";

    private final PreparedStatement statement;
    private final int parameters;

    /** Index of the next execution's first parameter. */
    private int first = 1;

    /** Whether the next result has rows. */
    private boolean rows;

    private boolean begun;

    /** @param parameters number of parameters of one execution */
    RepeatedReads(Connection connection, String text, int parameters) throws SQLException {
        this.statement = connection.prepareStatement(text);
        this.parameters = parameters;
    }

    @Override
    public void add(Binding binding) throws SQLException {
        binding.bind(statement, first);
        first += parameters;
    }

    @Override
    public void send() throws SQLException {
        rows = statement.execute();
    }

    @Override
    public ResultSet next() throws SQLException {
        if (begun) {
            rows = statement.getMoreResults();
        }
        begun = true;
        if (!rows) {
            throw new SQLException("the engine has sent fewer results than expected", NOT_SUPPORTED);
        }
        return statement.getResultSet();
    }

    @Override
    public void finish() throws SQLException {
        if (statement.getMoreResults() || statement.getUpdateCount() != -1 || statement.getWarnings() != null) {
            throw new SQLException("the engine has sent more than the results", NOT_SUPPORTED);
        }
    }

    @Override
    public void close() throws SQLException {
        statement.close();
    }
}
