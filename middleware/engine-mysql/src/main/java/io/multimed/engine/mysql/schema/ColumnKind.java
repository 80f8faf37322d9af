// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.schema;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;

/**
 * The representation of a column's values in WriteSets: a text that is exact, and independent of the time zone,
 * character set and {@code sql_mode} of any session. The trigger computes the text from the column. A satellite writes
 * the text into its SQL as a literal with the same value.
 */
public enum ColumnKind {
    /** Integers and decimal numbers, unchanged. */
    NUMBER("%s", "tinyint|smallint|mediumint|int|bigint|decimal"),
    /** Bit strings, as a number. */
    BITS("%s + 0", "bit"),
    /**
     * Binary floating-point numbers, with all significant digits. The cast is needed for MySQL, which truncates the
     * text of an expression, unlike that of a column, at 22 characters.
     */
    DOUBLE("CAST(%s AS CHAR)", "double"),
    /**
     * Single-precision numbers, as double-precision ones: by themselves they are displayed with six digits, and need
     * nine.
     */
    FLOAT("%s * 1e0", "float"),
    /** Texts, as bytes in the column's own character set. */
    CHARACTERS("CAST(%s AS BINARY)", "char|varchar|tinytext|text|mediumtext|longtext"),
    /** Bytes. Geometries are in the engine's own format, which begins with the SRID. */
    BYTES(
            "CAST(%s AS BINARY)",
            "binary|varbinary|tinyblob|blob|mediumblob|longblob|vector|geometry|point|linestring|polygon|multipoint|multilinestring|multipolygon|geomcollection|geometrycollection"),
    /** Documents of MySQL's type JSON, as UTF-8 text; MariaDB's JSON is a text type. */
    DOCUMENT("CAST(CAST(%s AS CHAR CHARACTER SET utf8mb4) AS BINARY)", "json"),
    /** Types whose text depends on no setting, in quotes; includes zero dates and impossible dates. */
    QUOTED("CAST(%s AS CHAR)", "date|datetime|time|year|uuid|inet4|inet6"),
    /**
     * Seconds since 1970 in UTC, which are unambiguous in the hour that occurs twice in a time zone. 0 is the zero
     * date.
     */
    MOMENT("IF(%1$s = 0, 0, UNIX_TIMESTAMP(%1$s))", "timestamp"),
    /** The number of the value; 0 is the empty value that an error has left. */
    ENUM("CAST(%s AS UNSIGNED)", "enum"),
    /** The bits of the values. */
    SET("CAST(%s AS UNSIGNED)", "set");

    private static final HexFormat HEX = HexFormat.of();

    private final String expression;
    private final String types;

    /**
     * @param expression computes the captured text from the column {@code %s}
     * @param types names of the types in the catalog, as a pattern
     */
    ColumnKind(String expression, String types) {
        this.expression = expression;
        this.types = types;
    }

    /** Returns the kind for the name of a type in the catalog; empty if the type is unknown. */
    static Optional<ColumnKind> of(String dataType) {
        return Arrays.stream(values())
                .filter(kind -> dataType.matches(kind.types))
                .findFirst();
    }

    /**
     * Returns the expression for the captured text.
     *
     * @param column the column as it must stand in SQL
     */
    String captured(String column) {
        return expression.formatted(column);
    }

    /**
     * Returns a captured value as an SQL literal.
     *
     * @param text the captured text, with one character for each byte
     * @param characterSet of the column; empty if it has none
     */
    String literal(String text, String characterSet) {
        return switch (this) {
            case NUMBER, BITS, ENUM, SET -> text;
            case DOUBLE, FLOAT, QUOTED -> '\'' + text + '\'';
            case CHARACTERS -> '_' + characterSet + ' ' + hexadecimal(text);
            case DOCUMENT -> ExactNumbers.restored(text, "_utf8mb4 " + hexadecimal(text));
            case BYTES -> hexadecimal(text);
            case MOMENT -> '\'' + moment(text) + '\'';
        };
    }

    /**
     * Returns the SQL for a long value that is sent as bytes, apart from the statement; empty if values of this kind
     * are never long. A text column takes the bytes as those of its own character set.
     *
     * @param text the captured text, with one character for each byte
     */
    public String marker(String text) {
        return switch (this) {
            case CHARACTERS, BYTES -> "?";
            case DOCUMENT -> ExactNumbers.restored(text, "CONVERT(? USING utf8mb4)");
            case NUMBER, BITS, DOUBLE, FLOAT, QUOTED, MOMENT, ENUM, SET -> "";
        };
    }

    /** Returns whether a server in strict mode refuses this value, which a server without strict mode has stored. */
    public boolean isUnfit(String text) {
        return this == ENUM && text.equals("0");
    }

    /** Returns bytes as a hexadecimal literal. */
    static String hexadecimal(String bytes) {
        return "x'" + HEX.formatHex(bytes.getBytes(ISO_8859_1)) + '\'';
    }

    /** Returns the timestamp in UTC, because satellites are written in sessions with this time zone. */
    private static String moment(String seconds) {
        BigDecimal exact = new BigDecimal(seconds);
        if (exact.signum() == 0) {
            return "0000-00-00 00:00:00";
        }
        long whole = exact.longValue();
        int nanos = exact.subtract(BigDecimal.valueOf(whole)).movePointRight(9).intValueExact();
        return LocalDateTime.ofEpochSecond(whole, nanos, ZoneOffset.UTC)
                .toString()
                .replace('T', ' ');
    }
}
