// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.statement;

import io.multimed.jdbc.support.SqlStates;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Map;

/**
 * Checks the types of OUT parameters. As in the engine's own driver, a getter reads only parameters of its own type;
 * getObject reads all.
 */
final class OutParameterTypes {
    /** The type that each getter reads. */
    private static final Map<String, Integer> OF_GETTERS = Map.ofEntries(
            Map.entry("getString", Types.VARCHAR),
            Map.entry("getBoolean", Types.BIT),
            Map.entry("getByte", Types.SMALLINT),
            Map.entry("getShort", Types.SMALLINT),
            Map.entry("getInt", Types.INTEGER),
            Map.entry("getLong", Types.BIGINT),
            Map.entry("getFloat", Types.REAL),
            Map.entry("getDouble", Types.DOUBLE),
            Map.entry("getBigDecimal", Types.NUMERIC),
            Map.entry("getBytes", Types.BINARY),
            Map.entry("getDate", Types.DATE),
            Map.entry("getTime", Types.TIME),
            Map.entry("getTimestamp", Types.TIMESTAMP),
            Map.entry("getArray", Types.ARRAY),
            Map.entry("getSQLXML", Types.SQLXML));

    private OutParameterTypes() {}

    /** Returns the type under which a type is registered: several constants are the same type for the engine. */
    static int registered(int type) {
        return switch (type) {
            case Types.TINYINT -> Types.SMALLINT;
            case Types.LONGVARCHAR -> Types.VARCHAR;
            case Types.DECIMAL -> Types.NUMERIC;
            case Types.FLOAT -> Types.DOUBLE;
            case Types.VARBINARY, Types.LONGVARBINARY -> Types.BINARY;
            case Types.BOOLEAN -> Types.BIT;
            default -> type;
        };
    }

    /**
     * Checks that a getter may read a parameter.
     *
     * @param registered the registered type; 0 for a parameter that is not registered
     * @throws SQLException 2200G if the getter is for another type
     */
    static void check(String getter, int registered) throws SQLException {
        Integer own = OF_GETTERS.get(getter);
        int tested = registered == Types.CHAR ? Types.VARCHAR : registered;
        if (own != null && own != tested) {
            int told = own == Types.BINARY ? Types.VARBINARY : own;
            throw new SQLException(
                    "Parameter of type java.sql.Types=%d was registered, but call to %s (sqltype=java.sql.Types=%d) was made."
                            .formatted(tested, getter, told),
                    SqlStates.TYPE_MISMATCH);
        }
    }
}
