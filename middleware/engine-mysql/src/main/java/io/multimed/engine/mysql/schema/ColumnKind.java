package io.multimed.engine.mysql.schema;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;

/**
 * How values of a column travel: as a text that is exact, and the same whatever time zone, character set or {@code sql_mode} a session has set. The trigger computes it
 * from the column; a satellite puts it into its SQL as a literal that gives the same value again.
 */
public enum ColumnKind {
    /** Whole and decimal numbers, as they are. */
    NUMBER("%s", "tinyint|smallint|mediumint|int|bigint|decimal"),
    /** Bits, as a number. */
    BITS("%s + 0", "bit"),
    /** Binary fractions, with as many digits as make them exact: MySQL cuts the text of an expression, but not of a column, at 22 characters. */
    DOUBLE("CAST(%s AS CHAR)", "double"),
    /** By itself it shows six digits, of nine. */
    FLOAT("%s * 1e0", "float"),
    /** Characters, as the bytes of the column's own character set. */
    CHARACTERS("CAST(%s AS BINARY)", "char|varchar|tinytext|text|mediumtext|longtext"),
    /** Bytes; of geometries those of the engine's own form, which begins with the SRID. */
    BYTES(
            "CAST(%s AS BINARY)",
            "binary|varbinary|tinyblob|blob|mediumblob|longblob|vector|geometry|point|linestring|polygon|multipoint|multilinestring|multipolygon|geomcollection|geometrycollection"),
    /** A document in the engine's own form, as its text. */
    DOCUMENT("CAST(CAST(%s AS CHAR CHARACTER SET utf8mb4) AS BINARY)", "json"),
    /** What depends on no setting, in quotes; zero dates and impossible ones, too. */
    QUOTED("CAST(%s AS CHAR)", "date|datetime|time|year|uuid|inet4|inet6"),
    /** Seconds since 1970, UTC: exact also in the hour that a time zone has twice; 0 is the zero date. */
    MOMENT("IF(%1$s = 0, 0, UNIX_TIMESTAMP(%1$s))", "timestamp"),
    /** By its number: 0 is the empty value that an error left. */
    ENUM("CAST(%s AS UNSIGNED)", "enum"),
    /** By its bits. */
    SET("CAST(%s AS UNSIGNED)", "set");

    private static final HexFormat HEX = HexFormat.of();

    private final String expression;
    private final String types;

    /** @param types their names in the catalogue, as a pattern */
    ColumnKind(String expression, String types) {
        this.expression = expression;
        this.types = types;
    }

    /** By the type's name in the catalogue; empty if nothing is known of it. */
    static Optional<ColumnKind> of(String dataType) {
        return Arrays.stream(values())
                .filter(kind -> dataType.matches(kind.types))
                .findFirst();
    }

    /** The value's text, of a column as it must stand in SQL. */
    String captured(String column) {
        return expression.formatted(column);
    }

    /**
     * The value in SQL.
     *
     * @param text as captured, a byte in each character
     * @param characterSet of the column; empty if it has none
     */
    String literal(String text, String characterSet) {
        return switch (this) {
            case NUMBER, BITS, ENUM, SET -> text;
            case DOUBLE, FLOAT, QUOTED -> '\'' + text + '\'';
            case CHARACTERS -> '_' + characterSet + ' ' + hexadecimal(text);
            case DOCUMENT -> "_utf8mb4 " + hexadecimal(text);
            case BYTES -> hexadecimal(text);
            case MOMENT -> '\'' + moment(text) + '\'';
        };
    }

    /** What stands in SQL for a long value that is sent as its bytes; empty if there are none of this kind. A column of characters takes bytes as those of its own character set. */
    public String marker() {
        return switch (this) {
            case CHARACTERS, BYTES -> "?";
            case DOCUMENT -> "CONVERT(? USING utf8mb4)";
            case NUMBER, BITS, DOUBLE, FLOAT, QUOTED, MOMENT, ENUM, SET -> "";
        };
    }

    /** Whether a strict engine refuses this value, although a less strict one once stored it. */
    public boolean isUnfit(String text) {
        return this == ENUM && text.equals("0");
    }

    /** Bytes in SQL. */
    static String hexadecimal(String bytes) {
        return "x'" + HEX.formatHex(bytes.getBytes(ISO_8859_1)) + '\'';
    }

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
