package io.multimed.jdbc.statement;

import io.multimed.jdbc.support.SqlStates;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Map;

/** The types of OUT parameters. As with the engine's own driver, a getter gives parameters of its own type only; getObject gives all. */
final class OutParameterTypes {
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

    /** What a type is registered as: several constants are one type to the engine. */
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
     * Whether a getter may read a parameter.
     *
     * @param registered 0 if it is none
     */
    static void check(String getter, int registered) throws SQLException {
        Integer own = OF_GETTERS.get(getter);
        int tested = registered == Types.CHAR ? Types.VARCHAR : registered;
        if (own != null && own != tested) {
            int told = own == Types.BINARY ? Types.VARBINARY : own;
            throw new SQLException(
                    "Parameter of type java.sql.Types=%d was registered, but call to %s (sqltype=java.sql.Types=%d) was made."
                            .formatted(tested, getter, told),
                    SqlStates.WRONG_OUT_TYPE);
        }
    }
}
