// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.schema;

import io.multimed.engine.mysql.connection.Names;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A column as the engine's catalog describes it. Satellites store values that the master has computed and checked, so
 * that their columns have no defaults, expressions and checks, except for those that decide how the engine reads a
 * value.
 *
 * @param dataType the name of the type, in lower case
 * @param type the type with its length, values and attributes, as in CREATE TABLE
 * @param characters the character set; null if the column has none
 * @param collation null if the column has none
 * @param referenceSystem the clause with the spatial reference system; empty if the column has none
 */
record ColumnDefinition(
        String name,
        String dataType,
        String type,
        @Nullable String characters,
        @Nullable String collation,
        boolean nullable,
        boolean invisible,
        @Nullable Long referenceSystem) {
    /** The numbers beyond those of the EPSG that MySQL reserves for spatial reference systems of its own. */
    private static final long LAST_OF_EPSG = 32_767;

    private static final long FIRST_OF_MORE_EPSG = 60_000_000;
    private static final long LAST_OF_MORE_EPSG = 69_999_999;
    private static final long FIRST_OF_MYSQL = 2_000_000_000;

    private static final Set<String> ENUMERATIONS = Set.of("enum", "set");

    static ColumnDefinition of(ResultSet row) throws SQLException {
        return new ColumnDefinition(
                row.getString("COLUMN_NAME"),
                row.getString("DATA_TYPE").toLowerCase(Locale.ROOT),
                row.getString("COLUMN_TYPE"),
                row.getString("CHARACTER_SET_NAME"),
                row.getString("COLLATION_NAME"),
                row.getString("IS_NULLABLE").equals("YES"),
                row.getString("EXTRA").toUpperCase(Locale.ROOT).contains("INVISIBLE"),
                referenceSystem(row));
    }

    /** Returns the spatial reference system of a column, which an index requires. Only MySQL's catalog contains it. */
    private static @Nullable Long referenceSystem(ResultSet row) throws SQLException {
        for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
            if (row.getMetaData().getColumnName(i).equals("SRS_ID") && row.getString(i) != null) {
                return row.getLong(i);
            }
        }
        return null;
    }

    /** Returns whether a user has defined the spatial reference system, so that satellites lack it. */
    boolean hasReferenceSystemOfUser() {
        return referenceSystem != null
                && referenceSystem > LAST_OF_EPSG
                && (referenceSystem < FIRST_OF_MORE_EPSG || referenceSystem > LAST_OF_MORE_EPSG)
                && referenceSystem < FIRST_OF_MYSQL;
    }

    /**
     * Returns whether the column has values which the catalog may not show: the catalog replaces characters beyond the
     * Basic Multilingual Plane by question marks.
     */
    boolean mayHideValues() {
        return ENUMERATIONS.contains(dataType)
                && type.contains("?")
                && characters != null
                && (characters.startsWith("utf") || characters.startsWith("gb"));
    }

    /** Returns the same column with these values of its enumeration. */
    ColumnDefinition withValues(List<String> values) {
        String list = values.stream().map(ColumnDefinition::quoted).collect(Collectors.joining(",", "(", ")"));
        return new ColumnDefinition(
                name, dataType, dataType + list, characters, collation, nullable, invisible, referenceSystem);
    }

    /** Returns a text as the catalog quotes texts: on one line, with backslashes. */
    private static String quoted(String text) {
        return text.replace("\\", "\\\\")
                .replace("'", "''")
                .replace("\0", "\\0")
                .replace("\n", "\\n")
                .replace("\r", "\\r")
                .transform(content -> '\'' + content + '\'');
    }

    /**
     * Returns the definition on satellites.
     *
     * @param created the lines of the master's CREATE TABLE
     */
    String onSatellites(List<String> created) {
        return Stream.of(
                        Names.identifier(name),
                        type,
                        characterSet(),
                        nullable ? "NULL" : "NOT NULL",
                        nullable ? "" : value(),
                        referenceSystem == null ? "" : "SRID " + referenceSystem,
                        invisible ? "INVISIBLE" : "",
                        documentCheck(created))
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining(" "));
    }

    /** MySQL's catalog omits the character set of an enumeration of bytes. */
    private String characterSet() {
        if (characters != null) {
            return "CHARACTER SET %s COLLATE %s".formatted(characters, collation);
        }
        return ENUMERATIONS.contains(dataType) ? "CHARACTER SET binary" : "";
    }

    /**
     * Returns a default, which satellites never use: some engines demand one of invisible columns, and would accept
     * this one for each type; without one, some change the first TIMESTAMP column of a row with each update.
     */
    private String value() {
        if (invisible) {
            return "DEFAULT (UUID())";
        }
        return dataType.equals("timestamp") ? "DEFAULT '2000-01-01 00:00:00'" : "";
    }

    /** Returns the check from which MariaDB concludes that the column contains JSON documents. */
    private String documentCheck(List<String> created) {
        String column = Names.identifier(name);
        String check = "CHECK (json_valid(" + column + "))";
        return created.stream()
                        .map(TableReader::withoutComma)
                        .anyMatch(line -> line.startsWith(column + ' ') && line.endsWith(' ' + check))
                ? check
                : "";
    }
}
