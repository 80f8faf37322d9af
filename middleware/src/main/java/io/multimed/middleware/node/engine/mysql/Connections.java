package io.multimed.middleware.node.engine.mysql;

import com.zaxxer.hikari.HikariConfig;
import io.multimed.middleware.node.engine.NodeAccess;
import io.multimed.middleware.node.engine.Pools;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;

/** How MySQL Connector/J is set for each kind of connection. */
final class Connections {
    /** A trigger keeps the mode that it is created under. */
    static final String STEADY_MODE =
            "STRICT_ALL_TABLES,ALLOW_INVALID_DATES,NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION,NO_BACKSLASH_ESCAPES";

    /** For connections whose values must not depend on what the server or an application has set. */
    private static final String STEADY = "time_zone='+00:00',sql_mode='" + Connections.STEADY_MODE + '\'';

    private Connections() {}

    /** For Multimed's own work, with auto-commit off. */
    static Connection own(NodeAccess access) throws SQLException {
        Connection connection = steady(access, "");
        connection.setAutoCommit(false);
        return connection;
    }

    /** With steady settings and others, as they stand in SET; in auto-commit. */
    static Connection steady(NodeAccess access, String settings) throws SQLException {
        Properties properties = properties(access);
        properties.setProperty("allowMultiQueries", "true");
        properties.setProperty("sessionVariables", STEADY + settings);
        properties.setProperty("connectionTimeZone", "UTC");
        properties.setProperty("jdbcCompliantTruncation", "false"); // or the driver adds a strict mode of its own
        return DriverManager.getConnection(access.url(), properties);
    }

    static HikariConfig pool(NodeAccess access, int size, String kind) {
        return Pools.of(access, size, kind, properties(access));
    }

    private static Properties properties(NodeAccess access) {
        Properties properties = access.credentials();
        properties.setProperty("connectTimeout", String.valueOf(Pools.CONNECT_MILLIS));
        properties.setProperty("tcpKeepAlive", "true");
        properties.setProperty("characterEncoding", "UTF-8");
        properties.setProperty("allowPublicKeyRetrieval", "true");
        properties.setProperty("cacheServerConfiguration", "true");
        return properties;
    }
}
