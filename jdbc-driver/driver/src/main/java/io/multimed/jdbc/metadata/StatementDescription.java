// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.metadata;

import io.multimed.jdbc.session.SessionContext;
import io.multimed.protocol.request.Describe;
import io.multimed.protocol.response.Described;
import io.multimed.protocol.response.Described.ColumnDescription;
import io.multimed.protocol.response.Described.ParameterDescription;
import io.multimed.protocol.statement.CallOptions;
import io.multimed.protocol.statement.GeneratedKeys;
import io.multimed.protocol.value.Column;
import io.multimed.protocol.value.Parameter;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Describes a statement without execution: its parameters, and the tables of its columns. The first use of the
 * description asks the engine; later uses return the same answer.
 */
public final class StatementDescription {
    /** The description of results that do not come from a statement. */
    public static final StatementDescription NONE =
            new StatementDescription(null, false, "", GeneratedKeys.NONE, null, List.of());

    private final @Nullable SessionContext session;
    private final boolean catalogs;
    private final String sql;
    private final GeneratedKeys keys;
    private final List<Parameter> types;
    private final @Nullable CallOptions call;
    /** The answer of the engine; several threads may ask for the same one. */
    private volatile @Nullable Described known;

    /**
     * Creates a description.
     *
     * @param session null for a result that does not come from a statement
     * @param catalogs whether the engine's schemas are catalogs in JDBC
     * @param sql of a prepared statement
     * @param keys the generated keys that the statement returns
     * @param call options of a CallableStatement; otherwise null
     * @param types those of the parameters that are set, see {@link io.multimed.jdbc.value.ParameterTypes}
     */
    public StatementDescription(
            @Nullable SessionContext session,
            boolean catalogs,
            String sql,
            GeneratedKeys keys,
            @Nullable CallOptions call,
            List<Parameter> types) {
        this.session = session;
        this.catalogs = catalogs;
        this.sql = sql;
        this.keys = keys;
        this.call = call;
        this.types = types;
    }

    /** Returns whether the engine's schemas are catalogs in JDBC. */
    boolean hasCatalogs() {
        return catalogs;
    }

    /**
     * Asks the engine the first time; null if there is no statement.
     *
     * @param ofResult as for {@link Describe}
     */
    private @Nullable Described described(boolean ofResult) throws SQLException {
        Described described = known;
        SessionContext asked = session;
        if (described == null && asked != null) {
            Describe request = new Describe(asked.mode(), sql, keys, call, ofResult, types);
            described = asked.channel().call(request, Described.class);
            known = described;
        }
        return described;
    }

    /** Returns the columns in order; empty if the statement returns no rows. */
    public List<ColumnDescription> columns() throws SQLException {
        return columns(false);
    }

    private List<ColumnDescription> columns(boolean ofResult) throws SQLException {
        Described described = described(ofResult);
        return described == null ? List.of() : described.columns();
    }

    /**
     * Returns the columns of a result with their origins: as far as known from the result itself, otherwise as the
     * engine describes the statement.
     */
    public List<ColumnDescription> of(List<Column> result) throws SQLException {
        boolean isKnown = result.stream().allMatch(StatementDescription::isDescribed);
        return isKnown ? result.stream().map(ColumnDescription::of).toList() : columns();
    }

    /**
     * Returns one column of a result with its origin; null if the statement cannot be described, as after the table has
     * been dropped.
     *
     * @param index from 1
     */
    @Nullable
    ColumnDescription of(List<Column> result, int index) throws SQLException {
        Column column = result.get(index - 1);
        if (isDescribed(column)) {
            return ColumnDescription.of(column);
        }
        List<ColumnDescription> described = columns(true);
        return described.size() == result.size() ? described.get(index - 1) : null;
    }

    /** Returns whether the result itself contains everything about a column. */
    private static boolean isDescribed(Column column) {
        return column.origin() != null && column.nullable() != ResultSetMetaData.columnNullableUnknown;
    }

    /** Returns the parameters in order. */
    public List<ParameterDescription> parameters() throws SQLException {
        Described described = described(false);
        return described == null ? List.of() : described.parameters();
    }
}
