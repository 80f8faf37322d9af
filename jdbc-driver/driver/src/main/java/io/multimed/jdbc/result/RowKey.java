// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.result;

import io.multimed.protocol.response.Described.ColumnDescription;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds the columns of a result that identify its rows: those of the primary key, or of a unique key without nulls. */
final class RowKey {
    private RowKey() {}

    /**
     * Reads the keys of a table from the engine's catalog.
     *
     * @param of any column of the table
     * @param catalogs whether the engine's schemas are catalogs in JDBC
     * @return positions in the result, from 0; empty if the result does not contain a whole key
     */
    static List<Integer> of(
            DatabaseMetaData engine, List<ColumnDescription> columns, ColumnDescription of, boolean catalogs)
            throws SQLException {
        String catalog = catalogs ? of.baseSchema() : null;
        String schema = catalogs ? null : of.baseSchema();
        List<String> names = new ArrayList<>();
        try (ResultSet rows = engine.getPrimaryKeys(catalog, schema, of.table())) {
            while (rows.next()) {
                names.add(String.valueOf(rows.getString("COLUMN_NAME")));
            }
        }
        List<Integer> primary = places(columns, names);
        return primary.isEmpty()
                ? unique(engine.getIndexInfo(catalog, schema, of.table(), true, true), columns)
                : primary;
    }

    /**
     * Returns the positions of the columns of the first unique index that has no condition, and whose columns are not
     * nullable and all in the result; empty if there is none.
     */
    private static List<Integer> unique(ResultSet of, List<ColumnDescription> columns) throws SQLException {
        Map<String, List<String>> indexes = new LinkedHashMap<>();
        try (ResultSet rows = of) {
            while (rows.next()) {
                if (rows.getString("FILTER_CONDITION") == null) {
                    indexes.computeIfAbsent(String.valueOf(rows.getString("INDEX_NAME")), name -> new ArrayList<>())
                            .add(String.valueOf(rows.getString("COLUMN_NAME")));
                }
            }
        }
        return indexes.values().stream()
                .map(names -> places(columns, names))
                .filter(places -> !places.isEmpty() && places.stream().allMatch(place -> isNeverNull(columns, place)))
                .findFirst()
                .orElse(List.of());
    }

    private static boolean isNeverNull(List<ColumnDescription> columns, int place) {
        return columns.get(place).column().nullable() == ResultSetMetaData.columnNoNulls;
    }

    /** Returns the positions of columns; empty if the result does not contain all of them. */
    private static List<Integer> places(List<ColumnDescription> columns, List<String> names) {
        List<Integer> places = names.stream().map(name -> place(columns, name)).toList();
        return places.contains(-1) ? List.of() : places;
    }

    private static int place(List<ColumnDescription> columns, @Nullable String name) {
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).baseColumn().equals(name)) {
                return i;
            }
        }
        return -1;
    }
}
