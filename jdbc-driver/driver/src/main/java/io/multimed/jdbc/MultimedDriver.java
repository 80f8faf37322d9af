// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc;

import io.multimed.jdbc.connection.ConnectionUrl;
import io.multimed.jdbc.connection.Engines;
import io.multimed.jdbc.connection.JdbcConnection;
import io.multimed.jdbc.session.MiddlewareSession;
import io.multimed.jdbc.session.TransportProvider;
import io.multimed.jdbc.settings.DriverProperty;
import io.multimed.jdbc.settings.ForeignProperties;
import io.multimed.jdbc.support.DriverVersion;
import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.session.EngineIdentity;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Connects applications to Multimed. DriverManager finds this driver for {@code jdbc:multimed://host:port/database},
 * also with an engine's name before or after {@code multimed}. The driver is of type 3: it speaks Multimed's own
 * protocol to the middleware, and never loads an engine's driver.
 */
public final class MultimedDriver implements Driver {
    static {
        try {
            DriverManager.registerDriver(new MultimedDriver());
        } catch (SQLException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /**
     * Initializes this class, and thereby registers the driver. The method body is empty: the call alone has this
     * effect.
     */
    static void ensureRegistered() {
        // The static initializer has registered the driver.
    }

    @Override
    public boolean acceptsURL(@Nullable String url) {
        return ConnectionUrl.accepts(url);
    }

    /**
     * Opens a connection. Returns null for the URL of another driver, as {@link Driver#connect} requires, so that
     * DriverManager asks the next driver.
     */
    @Override
    public @Nullable Connection connect(String url, @Nullable Properties info) throws SQLException {
        if (!acceptsURL(url)) {
            return null;
        }
        ConnectionUrl parsed = ConnectionUrl.parse(url, info == null ? new Properties() : info);
        try {
            return open(
                    parsed.isEmbedded()
                            ? parsed.withDatabase(TransportProvider.find().database(parsed.model()))
                            : parsed);
        } catch (IllegalArgumentException e) {
            throw new SQLException(e.getMessage(), SqlStates.CANNOT_CONNECT, e);
        }
    }

    /**
     * Opens a session, checks the engine, and then creates the connection. If any of these steps fails, the session's
     * socket is closed before the exception is thrown.
     */
    private static Connection open(ConnectionUrl url) throws SQLException {
        Properties properties = url.properties();
        List<SQLWarning> warnings = ForeignProperties.check(properties);
        String user = user(properties);
        MiddlewareSession session =
                MiddlewareSession.open(url.target(user), DriverProperty.CONNECT_TIMEOUT.seconds(properties));
        try {
            checkEngine(url, session.welcome().engine());
            session.transport().setTimeout(DriverProperty.SOCKET_TIMEOUT.seconds(properties) * 1_000);
            JdbcConnection connection = new JdbcConnection(url, user, session);
            connection.applyProperties(warnings);
            return connection;
        } catch (SQLException | RuntimeException e) {
            session.transport().close();
            throw e;
        }
    }

    /**
     * Refuses an engine other than the one that the URL names: a tool that expects that engine would send the wrong
     * SQL.
     */
    private static void checkEngine(ConnectionUrl url, EngineIdentity found) throws SQLException {
        if (!Engines.matches(url.engine(), found)) {
            throw new SQLException(
                    "the URL names the engine %s, but the engine is %s: change the name, or begin the URL with jdbc:multimed://"
                            .formatted(url.engine(), found.productName()),
                    SqlStates.CANNOT_CONNECT);
        }
    }

    /** Returns the user of the properties, or the user of the operating system if there is none. */
    private static String user(Properties properties) {
        String user = DriverProperty.USER.value(properties);
        return user.isEmpty() ? System.getProperty("user.name", "") : user;
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, @Nullable Properties info) throws SQLException {
        Properties properties =
                ConnectionUrl.parse(url, info == null ? new Properties() : info).properties();
        return Arrays.stream(DriverProperty.values())
                .map(property -> property.info(properties))
                .toArray(DriverPropertyInfo[]::new);
    }

    @Override
    public int getMajorVersion() {
        return DriverVersion.MAJOR;
    }

    @Override
    public int getMinorVersion() {
        return DriverVersion.MINOR;
    }

    /**
     * Returns false: some methods of the JDBC interfaces are not supported. The driver's README lists these methods.
     */
    @Override
    public boolean jdbcCompliant() {
        return false;
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getLogger("io.multimed.jdbc");
    }
}
