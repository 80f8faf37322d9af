// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.metadata;

import io.multimed.jdbc.support.SelfWrapper;
import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.response.Described.ParameterDescription;
import java.sql.ParameterMetaData;
import java.sql.SQLException;
import java.util.List;

/** Describes the parameters of a statement as the engine has derived them from the SQL. Indexes count from 1. */
public record JdbcParameterMetaData(List<ParameterDescription> parameters) implements ParameterMetaData, SelfWrapper {
    /**
     * Returns a parameter.
     *
     * @throws SQLException 22023 if there is no such parameter, S1C00 if the engine's own driver does not describe it
     */
    private ParameterDescription parameter(int index) throws SQLException {
        if (index < 1 || index > parameters.size()) {
            throw new SQLException(
                    "The parameter index is out of range: %d, number of parameters: %d."
                            .formatted(index, parameters.size()),
                    SqlStates.INVALID_PARAMETER);
        }
        ParameterDescription parameter = parameters.get(index - 1);
        if (parameter.equals(ParameterDescription.UNKNOWN)) {
            throw new SQLException(
                    "Parameter metadata not available for the given statement", SqlStates.DRIVER_NOT_CAPABLE);
        }
        return parameter;
    }

    @Override
    public int getParameterCount() {
        return parameters.size();
    }

    @Override
    public int isNullable(int index) throws SQLException {
        return parameter(index).nullable();
    }

    @Override
    public boolean isSigned(int index) throws SQLException {
        return parameter(index).signed();
    }

    @Override
    public int getPrecision(int index) throws SQLException {
        return parameter(index).precision();
    }

    @Override
    public int getScale(int index) throws SQLException {
        return parameter(index).scale();
    }

    @Override
    public int getParameterType(int index) throws SQLException {
        return parameter(index).sqlType();
    }

    @Override
    public String getParameterTypeName(int index) throws SQLException {
        return parameter(index).typeName();
    }

    @Override
    public String getParameterClassName(int index) throws SQLException {
        return parameter(index).className();
    }

    @Override
    public int getParameterMode(int index) throws SQLException {
        return parameter(index).mode();
    }
}
