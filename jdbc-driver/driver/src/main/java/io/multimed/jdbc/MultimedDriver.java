package io.multimed.jdbc;

import io.multimed.jdbc.connection.ConnectionUrl;
import io.multimed.jdbc.connection.Engines;
import io.multimed.jdbc.connection.JdbcConnection;
import io.multimed.jdbc.session.MiddlewareSession;
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
 * Multimed's JDBC driver (paper §3.1: type 3). DriverManager finds it for {@code jdbc:multimed://host:port/database},
 * and with an engine's name before or after {@code multimed}; it never loads the engine's own driver.
 */
public final class MultimedDriver implements Driver {
    static {
        try {
            DriverManager.registerDriver(new MultimedDriver());
        } catch (SQLException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Has no effect but that this class is initialized, and thereby registered. */
    static void ensureRegistered() {
        // See the static initializer.
    }

    @Override
    public boolean acceptsURL(@Nullable String url) {
        return ConnectionUrl.isOurs(url);
    }

    @Override
    public @Nullable Connection connect(String url, @Nullable Properties info) throws SQLException {
        if (!acceptsURL(url)) {
            return null;
        }
        ConnectionUrl parsed = ConnectionUrl.parse(url, info == null ? new Properties() : info);
        try {
            return open(parsed);
        } catch (IllegalArgumentException e) {
            throw new SQLException(e.getMessage(), SqlStates.CANNOT_CONNECT, e);
        }
    }

    private static Connection open(ConnectionUrl url) throws SQLException {
        Properties properties = url.properties();
        List<SQLWarning> warnings = ForeignProperties.check(properties);
        String user = user(properties);
        MiddlewareSession session =
                MiddlewareSession.open(url.target(user), DriverProperty.CONNECT_TIMEOUT.seconds(properties));
        try {
            checkEngine(url, session.welcome().engine());
            session.wire().setTimeout(DriverProperty.SOCKET_TIMEOUT.seconds(properties) * 1_000);
            JdbcConnection connection = new JdbcConnection(url, user, session);
            connection.begin(warnings);
            return connection;
        } catch (SQLException | RuntimeException e) {
            session.wire().close();
            throw e;
        }
    }

    /** A tool that was told the wrong engine would speak the wrong SQL. */
    private static void checkEngine(ConnectionUrl url, EngineIdentity found) throws SQLException {
        if (!Engines.isCalled(url.engine(), found)) {
            throw new SQLException(
                    "the URL names the engine %s, but the engine is %s: change the name, or begin the URL with jdbc:multimed://"
                            .formatted(url.engine(), found.productName()),
                    SqlStates.CANNOT_CONNECT);
        }
    }

    private static String user(Properties properties) {
        String user = DriverProperty.USER.of(properties);
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

    /** Not yet: some methods of the interfaces are refused. */
    @Override
    public boolean jdbcCompliant() {
        return false;
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getLogger("io.multimed.jdbc");
    }
}
