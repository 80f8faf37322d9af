package io.multimed.engine.mysql.connection;

import com.mysql.cj.conf.PropertyKey;
import com.mysql.cj.conf.RuntimeProperty;
import com.mysql.cj.jdbc.JdbcConnection;
import com.zaxxer.hikari.HikariConfig;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.pool.Pools;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.util.Properties;
import java.util.regex.Pattern;

/** How MySQL Connector/J is set for each kind of connection. */
public final class Connections {
    private static final PropertyKey LOCAL_STATE = PropertyKey.useLocalSessionState;

    /** A trigger keeps the mode that it is created under. */
    public static final String STEADY_MODE =
            "STRICT_ALL_TABLES,ALLOW_INVALID_DATES,NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION,NO_BACKSLASH_ESCAPES";

    /** For connections whose values must not depend on what the server or an application has set. */
    private static final String STEADY =
            "time_zone='+00:00',sql_mode='" + Connections.STEADY_MODE + "',sql_select_limit=" + SessionChanges.NO_LIMIT;

    private static final String SESSION_VARIABLES = PropertyKey.sessionVariables.getKeyName();
    private static final Pattern JOINING =
            Pattern.compile("(allowMultiQueries|rewriteBatchedStatements)=[^&#]*", Pattern.CASE_INSENSITIVE);

    private static final String SOCKETS = PropertyKey.socketFactory.getKeyName();
    private static final String STREAMING_TIMEOUT = PropertyKey.netTimeoutForStreamingResults.getKeyName();

    /** How long the engine waits for somebody to read on before it closes the connection: a day. Whoever keeps others waiting loses it sooner, to the node. */
    private static final int READER_SECONDS = 86_400;

    private Connections() {}

    /** For Multimed's own work, with auto-commit off. */
    public static Connection own(NodeAccess access) throws SQLException {
        Connection connection = steady(access, "", properties(access));
        connection.setAutoCommit(false);
        return connection;
    }

    /** For the copy on a satellite, with settings as they stand in SET; in auto-commit. A seeding that was broken off may have left no database. */
    public static Connection ofCopy(NodeAccess access, String settings) throws SQLException {
        Properties properties = properties(access);
        properties.setProperty(PropertyKey.createDatabaseIfNotExist.getKeyName(), "true");
        return steady(access, settings, properties);
    }

    private static Connection steady(NodeAccess access, String settings, Properties properties) throws SQLException {
        properties.setProperty("allowMultiQueries", "true");
        properties.setProperty(SESSION_VARIABLES, STEADY + settings);
        properties.setProperty("connectionTimeZone", "UTC");
        properties.setProperty("jdbcCompliantTruncation", "false"); // or the driver adds a strict mode of its own
        try {
            return DriverManager.getConnection(access.url(), properties);
        } catch (SQLException e) {
            throw placed(e, access.url());
        }
    }

    /** The driver says what failed, and not where. */
    private static SQLException placed(SQLException failure, String url) {
        String state = String.valueOf(failure.getSQLState());
        if (!state.startsWith("08")) {
            return failure;
        }
        String address =
                url.replaceFirst("^[a-z:]*//", "").replaceFirst("[/?].*", "").replaceFirst(".*@", "");
        return new SQLNonTransientConnectionException(
                "no connection to %s: %s".formatted(address, failure.getMessage()),
                state,
                failure.getErrorCode(),
                failure);
    }

    public static HikariConfig pool(NodeAccess access, int size, String kind) {
        Properties properties = properties(access);
        properties.setProperty(PropertyKey.trackSessionState.getKeyName(), "true");
        if (!access.url().contains(SESSION_VARIABLES)) {
            properties.setProperty(SESSION_VARIABLES, "net_write_timeout=" + READER_SECONDS);
            properties.setProperty(STREAMING_TIMEOUT, "0"); // or the driver sets it before and after each result
        }
        if (!access.url().contains(SOCKETS)) {
            properties.setProperty(SOCKETS, BoundedSockets.class.getName());
        }
        HikariConfig config = Pools.of(access, size, kind, properties, new MySqlErrors());
        config.setJdbcUrl(oneByOne(access.url()));
        return config;
    }

    /**
     * Statements are classified one by one, and sent to the engine one by one, regardless of the parameters in the URL
     * of the engine.
     */
    public static String oneByOne(String url) {
        return JOINING.matcher(url).replaceAll("$1=false");
    }

    private static Properties properties(NodeAccess access) {
        Properties properties = access.credentials();
        properties.setProperty("connectTimeout", String.valueOf(Pools.CONNECT_MILLIS));
        properties.setProperty("tcpKeepAlive", "true");
        properties.setProperty("characterEncoding", "UTF-8");
        properties.setProperty("allowPublicKeyRetrieval", "true");
        properties.setProperty(LOCAL_STATE.getKeyName(), "true");
        properties.setProperty(STREAMING_TIMEOUT, String.valueOf(READER_SECONDS));
        return properties;
    }

    /**
     * Whether the driver knows by itself what it has set: auto-commit, isolation, read-only, the database. If not, it asks and tells the engine again and again, even before each
     * statement. It must not rely on itself once a client may have changed these by SQL.
     */
    static void trustDriver(Connection connection, boolean trusted) throws SQLException {
        connection
                .unwrap(JdbcConnection.class)
                .getPropertySet()
                .<Boolean>getProperty(LOCAL_STATE)
                .setValue(trusted);
    }

    /** Tells the pool that no transaction is open, after an answer of the engine's that has said so: the driver sends nothing then. */
    public static void noteEnd(Connection connection) throws SQLException {
        RuntimeProperty<Boolean> believed = connection
                .unwrap(JdbcConnection.class)
                .getPropertySet()
                .getProperty(PropertyKey.useLocalTransactionState);
        believed.setValue(true); // not for good: after an error the driver does not know it
        try {
            connection.commit();
        } finally {
            believed.setValue(false);
        }
    }
}
