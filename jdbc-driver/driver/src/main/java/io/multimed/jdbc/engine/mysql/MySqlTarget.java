// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.engine.mysql;

import java.sql.JDBCType;
import java.sql.Types;

/**
 * A type to which setObject converts a moment.
 *
 * @param name by which Connector/J names the type in messages
 */
record MySqlTarget(Kind kind, String name) {
    /** What Connector/J does with moments of a type. */
    enum Kind {
        DATE,
        TIME,
        TIMESTAMP,
        TEXT,
        /** The class of the value determines the conversion. */
        OBJECT,
        /** No moment can be converted to the type. */
        UNSUITABLE,
        /** Connector/J refuses the type itself. */
        NOT_AVAILABLE
    }

    static MySqlTarget of(int sqlType) {
        return switch (sqlType) {
            case Types.DATE -> new MySqlTarget(Kind.DATE, "DATE");
            case Types.TIME -> new MySqlTarget(Kind.TIME, "TIME");
            case Types.TIMESTAMP -> new MySqlTarget(Kind.TIMESTAMP, "TIMESTAMP");
            case Types.CHAR,
                    Types.NCHAR,
                    Types.VARCHAR,
                    Types.NVARCHAR,
                    Types.LONGVARCHAR,
                    Types.LONGNVARCHAR,
                    Types.CLOB,
                    Types.NCLOB,
                    Types.SQLXML,
                    Types.DATALINK -> new MySqlTarget(Kind.TEXT, "VARCHAR");
            case Types.TIME_WITH_TIMEZONE, Types.TIMESTAMP_WITH_TIMEZONE, Types.REF_CURSOR ->
                new MySqlTarget(Kind.NOT_AVAILABLE, JDBCType.valueOf(sqlType).getName());
            default -> unsuitable(sqlType);
        };
    }

    /** Returns a numeric or binary type, or one that does not determine the conversion. */
    private static MySqlTarget unsuitable(int sqlType) {
        String name = switch (sqlType) {
            case Types.BIT -> "BIT";
            case Types.BOOLEAN -> "BOOLEAN";
            case Types.TINYINT -> "TINYINT";
            case Types.SMALLINT -> "SMALLINT";
            case Types.INTEGER -> "INT";
            case Types.BIGINT -> "BIGINT";
            case Types.DECIMAL, Types.NUMERIC -> "DECIMAL";
            case Types.REAL -> "FLOAT";
            case Types.DOUBLE, Types.FLOAT -> "DOUBLE";
            case Types.BINARY -> "BINARY";
            case Types.VARBINARY -> "VARBINARY";
            case Types.LONGVARBINARY, Types.BLOB, Types.JAVA_OBJECT -> "BLOB";
            default -> "";
        };
        return new MySqlTarget(name.isEmpty() ? Kind.OBJECT : Kind.UNSUITABLE, name);
    }
}
