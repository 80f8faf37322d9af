// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.value;

import java.sql.Types;
import java.util.Map;

/** Maps the engine's names of types to constants of java.sql.Types, for elements of arrays. */
final class ElementTypes {
    private static final Map<String, Integer> BY_NAME = Map.ofEntries(
            Map.entry("int2", Types.SMALLINT),
            Map.entry("int4", Types.INTEGER),
            Map.entry("integer", Types.INTEGER),
            Map.entry("int8", Types.BIGINT),
            Map.entry("bigint", Types.BIGINT),
            Map.entry("text", Types.VARCHAR),
            Map.entry("varchar", Types.VARCHAR),
            Map.entry("bpchar", Types.CHAR),
            Map.entry("bool", Types.BIT),
            Map.entry("float4", Types.REAL),
            Map.entry("float8", Types.DOUBLE),
            Map.entry("numeric", Types.NUMERIC),
            Map.entry("date", Types.DATE),
            Map.entry("time", Types.TIME),
            Map.entry("timestamp", Types.TIMESTAMP),
            Map.entry("timestamptz", Types.TIMESTAMP),
            Map.entry("bytea", Types.BINARY),
            Map.entry("timetz", Types.TIME),
            Map.entry("char", Types.CHAR),
            Map.entry("name", Types.VARCHAR),
            Map.entry("oid", Types.BIGINT),
            Map.entry("bit", Types.BIT),
            Map.entry("money", Types.DOUBLE),
            Map.entry("xml", Types.SQLXML));

    private ElementTypes() {}

    /** Returns the constant for the name of an element type without length; OTHER for a type that is not listed. */
    static int byEngineName(String name) {
        return BY_NAME.getOrDefault(name, Types.OTHER);
    }
}
