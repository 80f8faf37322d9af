package io.multimed.middleware.node.engine.mysql;

import com.zaxxer.hikari.HikariConfig;
import io.multimed.middleware.node.engine.KeepAfterRefusal;
import io.multimed.middleware.node.engine.NodeAccess;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;

/** How MySQL Connector/J is set for each kind of connection. */
final class Connections {
    private static final int CONNECT_MILLIS = 5_000;

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
        HikariConfig config = new HikariConfig();
        config.setPoolName(access.node() + "-" + kind);
        config.setJdbcUrl(access.url());
        config.setDataSourceProperties(properties(access));
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(Math.min(size, 2));
        config.setConnectionTimeout(CONNECT_MILLIS);
        config.setExceptionOverrideClassName(KeepAfterRefusal.class.getName());
        config.setInitializationFailTimeout(-1); // a node that is down at first is tried again, not given up
        return config;
    }

    private static Properties properties(NodeAccess access) {
        Properties properties = access.credentials();
        properties.setProperty("connectTimeout", String.valueOf(CONNECT_MILLIS));
        properties.setProperty("tcpKeepAlive", "true");
        properties.setProperty("characterEncoding", "UTF-8");
        properties.setProperty("allowPublicKeyRetrieval", "true");
        properties.setProperty("cacheServerConfiguration", "true");
        return properties;
    }
}
