// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
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
import javax.net.ssl.SSLException;

/** Opens connections of MySQL Connector/J and configures them for each purpose. */
public final class Connections {
    /** The driver's property that makes it rely on the session state that it has set itself. */
    private static final PropertyKey LOCAL_STATE = PropertyKey.useLocalSessionState;

    /**
     * The {@code sql_mode} of Multimed's own sessions. Triggers are created under this mode, and an engine executes a
     * trigger under the mode of its creation. Backslashes quote characters, as in the texts of the engine's catalog:
     * MySQL reads the expressions of a table, such as those of generated columns, under the mode of the session that
     * opens the table first, for all sessions.
     */
    public static final String STEADY_MODE =
            "STRICT_ALL_TABLES,ALLOW_INVALID_DATES,NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION";

    /** Settings of connections whose values must not depend on the settings of the server or of an application. */
    private static final String STEADY =
            "time_zone='+00:00',sql_mode='" + Connections.STEADY_MODE + "',sql_select_limit=" + SessionChanges.NO_LIMIT;

    private static final String SESSION_VARIABLES = PropertyKey.sessionVariables.getKeyName();

    /** URL parameters by which the driver would send several statements in one text. */
    private static final Pattern JOINING =
            Pattern.compile("(allowMultiQueries|rewriteBatchedStatements)=[^&#]*", Pattern.CASE_INSENSITIVE);

    private static final String SOCKETS = PropertyKey.socketFactory.getKeyName();
    private static final String STREAMING_TIMEOUT = PropertyKey.netTimeoutForStreamingResults.getKeyName();

    /**
     * Time for which the engine waits for a reader of rows before it closes the connection: a day. The node revokes the
     * connection of a slow reader sooner if the applier or another client needs the connection.
     */
    private static final int READER_SECONDS = 86_400;

    /** Number of texts that a connection remembers in parsed form. */
    private static final String REMEMBERED_TEXTS = "256";

    /** Length in characters. */
    private static final String MAX_REMEMBERED_TEXT_LENGTH = "4096";

    /** Maximum time for each answer of the engine until a connection of Multimed's own is usable. */
    private static final String OPEN_MILLIS = "10000";

    static {
        // Java registers drivers once in a process: not those of an application that is loaded later, into a class
        // loader of its own. The driver registers itself when its class is loaded, and starts a thread then: not
        // before a connection is wanted.
        try {
            Class.forName("com.mysql.cj.jdbc.Driver", true, Connections.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private Connections() {}

    /**
     * Opens a connection for Multimed's own work, with auto-commit off. The caller closes the connection.
     *
     * @throws SQLException 08xxx with the address of the engine if the engine cannot be reached
     */
    public static Connection own(NodeAccess access) throws SQLException {
        Connection connection = steady(access, "", properties(access));
        connection.setAutoCommit(false);
        endOpening(connection);
        return connection;
    }

    /**
     * Opens a connection as a client would, in auto-commit. The caller closes the connection.
     *
     * @param millis maximum time for the connection, and for each answer
     */
    public static Connection login(NodeAccess access, int millis) throws SQLException {
        Properties properties = properties(access);
        properties.setProperty("connectTimeout", String.valueOf(millis));
        properties.setProperty(PropertyKey.socketTimeout.getKeyName(), String.valueOf(millis));
        return DriverManager.getConnection(oneByOne(access.url()), properties);
    }

    /**
     * Opens a connection for writing the copy on a satellite, in auto-commit. Creates the database of the URL if a
     * seeding that was interrupted has left none. The caller closes the connection, or calls {@link #endOpening} before
     * statements that may take long.
     *
     * @param settings further session settings in the notation of SET, each after a comma
     */
    public static Connection ofCopy(NodeAccess access, String settings) throws SQLException {
        Properties properties = properties(access);
        properties.setProperty(PropertyKey.createDatabaseIfNotExist.getKeyName(), "true");
        return steady(access, settings, properties);
    }

    /**
     * Removes the limit for the time of an answer, which keeps the opening of a connection from waiting for an engine
     * that does not answer.
     */
    public static void endOpening(Connection connection) throws SQLException {
        connection.setNetworkTimeout(Runnable::run, 0);
    }

    /** Several statements in one text are permitted on these connections, because only Multimed writes their texts. */
    private static Connection steady(NodeAccess access, String settings, Properties properties) throws SQLException {
        properties.setProperty("allowMultiQueries", "true");
        properties.setProperty(SESSION_VARIABLES, STEADY + settings);
        properties.setProperty("connectionTimeZone", "UTC");
        properties.setProperty(PropertyKey.socketTimeout.getKeyName(), OPEN_MILLIS);
        // Otherwise the driver adds a strict mode of its own.
        properties.setProperty("jdbcCompliantTruncation", "false");
        try {
            return DriverManager.getConnection(access.url(), properties);
        } catch (SQLException e) {
            throw placed(e, access.url());
        }
    }

    /**
     * Adds the engine's address to an error of class 08, because the driver's message does not contain it. The user
     * and the parameters of the URL, which may be secret, are removed.
     */
    private static SQLException placed(SQLException failure, String url) {
        String state = String.valueOf(failure.getSQLState());
        if (!state.startsWith("08")) {
            return failure;
        }
        String address =
                url.replaceFirst("^[a-z:]*//", "").replaceFirst("[/?].*", "").replaceFirst(".*@", "");
        return new SQLNonTransientConnectionException(
                "no connection to %s: %s".formatted(address, reason(failure)), state, failure.getErrorCode(), failure);
    }

    /** Returns the message of a failure. If TLS has failed, the driver's message does not say so, but a cause does. */
    private static String reason(SQLException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SSLException) {
                return "TLS: %s; check the server's certificate, and sslMode and the trusted certificates in the url of the node"
                        .formatted(cause.getMessage());
            }
        }
        return String.valueOf(failure.getMessage());
    }

    /**
     * Configures a pool for clients' statements. The engine reports changes of the session with each answer, and
     * answers are bounded by {@link BoundedSockets}. If the URL in the System Model sets session variables or a socket
     * factory itself, these remain.
     *
     * @param kind purpose of the connections, part of the pool's name
     */
    public static HikariConfig pool(NodeAccess access, int size, String kind) {
        Properties properties = properties(access);
        properties.setProperty(PropertyKey.trackSessionState.getKeyName(), "true");
        if (!access.url().contains(SESSION_VARIABLES)) {
            properties.setProperty(SESSION_VARIABLES, "net_write_timeout=" + READER_SECONDS);
            // Otherwise the driver sets the timeout before and after each streamed result, in round trips of its own.
            properties.setProperty(STREAMING_TIMEOUT, "0");
        }
        if (!access.url().contains(SOCKETS)) {
            properties.setProperty(SOCKETS, BoundedSockets.class.getName());
        }
        HikariConfig config = Pools.of(access, size, kind, properties, new MySqlErrors());
        config.setJdbcUrl(oneByOne(access.url()));
        return config;
    }

    /**
     * Makes the driver parse a text once per connection, instead of once per execution. The result depends on
     * {@code sql_mode}: for pools that close a connection whose session a client has changed.
     */
    public static void rememberTexts(HikariConfig config) {
        config.addDataSourceProperty(PropertyKey.cachePrepStmts.getKeyName(), "true");
        config.addDataSourceProperty(PropertyKey.prepStmtCacheSize.getKeyName(), REMEMBERED_TEXTS);
        config.addDataSourceProperty(PropertyKey.prepStmtCacheSqlLimit.getKeyName(), MAX_REMEMBERED_TEXT_LENGTH);
    }

    /**
     * Returns the URL without multi-statement parameters: each statement of a client is classified alone, and must
     * reach the engine alone (architecture 4.7).
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
        access.socket().ifPresent(path -> {
            properties.setProperty(SOCKETS, EngineSockets.class.getName());
            properties.setProperty(EngineSockets.PATH, path.toString());
            properties.setProperty(PropertyKey.authenticationPlugins.getKeyName(), UnixSocketPassword.class.getName());
        });
        return properties;
    }

    /**
     * Sets whether the driver relies on its own record of auto-commit, isolation level, read-only mode and database.
     * Without this trust the driver asks the engine again, even before each statement. The trust is withdrawn as soon
     * as a client may have changed one of these by SQL.
     */
    static void trustDriver(Connection connection, boolean trusted) throws SQLException {
        connection
                .unwrap(JdbcConnection.class)
                .getPropertySet()
                .<Boolean>getProperty(LOCAL_STATE)
                .setValue(trusted);
    }

    /** Returns the isolation level that the driver has set or read last. Sends no request. */
    static int believedIsolation(JdbcConnection driver) throws SQLException {
        RuntimeProperty<Boolean> trusted = driver.getPropertySet().getProperty(LOCAL_STATE);
        boolean before = trusted.getValue();
        trusted.setValue(true);
        try {
            return driver.getTransactionIsolation();
        } finally {
            trusted.setValue(before);
        }
    }

    /**
     * Informs the driver and the pool that no transaction is open, after an answer of the engine has said so. Sends
     * nothing to the engine: with local transaction state, the driver omits a COMMIT outside a transaction.
     */
    public static void noteEnd(Connection connection) throws SQLException {
        RuntimeProperty<Boolean> believed = connection
                .unwrap(JdbcConnection.class)
                .getPropertySet()
                .getProperty(PropertyKey.useLocalTransactionState);
        // Only for this call: after an error, the driver's record of the transaction is not reliable.
        believed.setValue(true);
        try {
            connection.commit();
        } finally {
            believed.setValue(false);
        }
    }
}
