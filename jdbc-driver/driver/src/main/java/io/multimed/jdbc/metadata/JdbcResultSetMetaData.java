// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.metadata;

import io.multimed.jdbc.support.SelfWrapper;
import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.response.Described.ColumnDescription;
import io.multimed.protocol.value.Column;
import io.multimed.protocol.value.ColumnOrigin;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Describes the columns of a result. Labels and types are known from the result itself, and on some engines also the
 * origin of the columns. Otherwise the origin (table, nullability, auto-increment) costs one round trip, on the first
 * call of a method that needs the origin.
 */
public record JdbcResultSetMetaData(List<Column> columns, StatementDescription description)
        implements ResultSetMetaData, SelfWrapper {
    private Column column(int index) throws SQLException {
        if (index < 1 || index > columns.size()) {
            throw new SQLException(
                    "The column index is out of range: %d, number of columns: %d.".formatted(index, columns.size()),
                    SqlStates.INVALID_PARAMETER);
        }
        return columns.get(index - 1);
    }

    /** Returns the column as the engine's catalog describes it; null if the result cannot be described. */
    private @Nullable ColumnDescription origin(int index) throws SQLException {
        column(index);
        return description.of(columns, index);
    }

    /** Returns the names of the column's table, which may be known from the result itself; null if nothing is known. */
    private @Nullable ColumnOrigin names(int index) throws SQLException {
        ColumnOrigin sent = column(index).origin();
        ColumnDescription described = sent == null ? origin(index) : null;
        return described == null ? sent : described.origin();
    }

    /**
     * Returns the column as the engine's catalog describes it; null also if the engine refuses to describe it: in a
     * failed transaction, or because its table is no longer there.
     */
    private @Nullable ColumnDescription originIfAvailable(int index) throws SQLException {
        try {
            return origin(index);
        } catch (SQLException e) {
            String state = String.valueOf(e.getSQLState());
            if (state.equals(SqlStates.IN_FAILED_TRANSACTION) || state.startsWith(SqlStates.CLASS_OF_WRONG_SQL)) {
                return null;
            }
            throw e;
        }
    }

    @Override
    public int getColumnCount() {
        return columns.size();
    }

    @Override
    public boolean isAutoIncrement(int index) throws SQLException {
        ColumnDescription origin = origin(index);
        return origin != null && origin.column().autoIncrement();
    }

    @Override
    public boolean isCaseSensitive(int index) throws SQLException {
        return column(index).caseSensitive();
    }

    @Override
    public boolean isSearchable(int index) {
        return true;
    }

    @Override
    public boolean isCurrency(int index) throws SQLException {
        return column(index).currency();
    }

    @Override
    public int isNullable(int index) throws SQLException {
        ColumnDescription origin = origin(index);
        return origin == null ? columnNullableUnknown : origin.column().nullable();
    }

    @Override
    public boolean isSigned(int index) throws SQLException {
        return column(index).signed();
    }

    @Override
    public int getColumnDisplaySize(int index) throws SQLException {
        return column(index).displaySize();
    }

    @Override
    public String getColumnLabel(int index) throws SQLException {
        return column(index).label();
    }

    @Override
    public String getColumnName(int index) throws SQLException {
        return column(index).name();
    }

    @Override
    public String getSchemaName(int index) throws SQLException {
        ColumnOrigin names = names(index);
        return names == null ? "" : names.schema();
    }

    @Override
    public int getPrecision(int index) throws SQLException {
        return column(index).precision();
    }

    @Override
    public int getScale(int index) throws SQLException {
        return column(index).scale();
    }

    @Override
    public String getTableName(int index) throws SQLException {
        ColumnOrigin names = names(index);
        return names == null ? "" : names.table();
    }

    @Override
    public String getCatalogName(int index) throws SQLException {
        column(index);
        ColumnOrigin names = description.hasCatalogs() ? names(index) : null;
        return names == null ? "" : names.baseSchema();
    }

    @Override
    public int getColumnType(int index) throws SQLException {
        return column(index).sqlType();
    }

    @Override
    public String getColumnTypeName(int index) throws SQLException {
        Column column = column(index);
        boolean mayCount = column.origin() == null
                && (column.sqlType() == Types.SMALLINT
                        || column.sqlType() == Types.INTEGER
                        || column.sqlType() == Types.BIGINT);
        // Only the master's catalog knows which columns are auto-increment columns; some engines' drivers add this
        // to the name.
        ColumnDescription origin = mayCount ? originIfAvailable(index) : null;
        return origin == null ? column.typeName() : origin.column().typeName();
    }

    @Override
    public boolean isReadOnly(int index) {
        return false;
    }

    @Override
    public boolean isWritable(int index) {
        return true;
    }

    @Override
    public boolean isDefinitelyWritable(int index) {
        return false;
    }

    @Override
    public String getColumnClassName(int index) throws SQLException {
        return column(index).className();
    }
}
