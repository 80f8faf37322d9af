// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc;

import io.multimed.jdbc.connection.ConnectionUrl;
import io.multimed.jdbc.settings.DriverProperty;
import io.multimed.jdbc.support.SqlStates;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;
import java.util.logging.Logger;
import javax.sql.CommonDataSource;
import org.jspecify.annotations.Nullable;

/**
 * Holds the bean properties that all three kinds of data sources share: either a URL, or the parts of a URL.
 * Application servers set the properties by reflection, under the names that the JDBC specification (table 9.1) gives
 * them.
 *
 * <p>All threads may call all methods. A property has an effect on the connections that are opened afterwards.
 */
abstract class DataSourceBean implements CommonDataSource {
    private final Properties properties = new Properties();
    private volatile @Nullable String url;
    private volatile @Nullable String model;
    private volatile String serverName = "127.0.0.1";
    private volatile int portNumber = ConnectionUrl.DEFAULT_PORT;
    private volatile String databaseName = "";
    private volatile @Nullable PrintWriter logWriter;

    /** Returns the URL; if none is set, that of the System Model, or the one of server, port and database. */
    public String getUrl() {
        String given = url;
        String file = model;
        if (given != null) {
            return given;
        }
        return file != null
                ? ConnectionUrl.ofModel(file)
                : "jdbc:multimed://" + serverName + ":" + portNumber + "/" + databaseName;
    }

    /** Sets the whole URL, which then takes precedence over server, port and database. */
    public void setUrl(String newUrl) {
        url = newUrl;
    }

    /** Returns the file of the System Model; null if none is set. */
    public @Nullable String getModel() {
        return model;
    }

    /**
     * Sets the file of a System Model, whose dispatcher then runs within this process, in place of server, port and
     * database; empty for the default model. Needs the artifact {@code io.multimed:multimed-embedded}.
     */
    public void setModel(@Nullable String file) {
        model = file;
    }

    /** Returns the host of the middleware, 127.0.0.1 by default. */
    public String getServerName() {
        return serverName;
    }

    public void setServerName(String name) {
        serverName = name;
    }

    /** Returns the port of the middleware, 7411 by default. */
    public int getPortNumber() {
        return portNumber;
    }

    public void setPortNumber(int port) {
        portNumber = port;
    }

    public String getDatabaseName() {
        return databaseName;
    }

    public void setDatabaseName(String name) {
        databaseName = name;
    }

    public String getUser() {
        return DriverProperty.USER.value(properties);
    }

    public void setUser(String user) {
        setProperty(DriverProperty.USER.key, user);
    }

    public String getPassword() {
        return DriverProperty.PASSWORD.value(properties);
    }

    public void setPassword(String password) {
        setProperty(DriverProperty.PASSWORD.key, password);
    }

    public String getApplicationName() {
        return DriverProperty.APPLICATION_NAME.value(properties);
    }

    public void setApplicationName(String name) {
        setProperty(DriverProperty.APPLICATION_NAME.key, name);
    }

    public boolean isReadOnly() {
        return DriverProperty.READ_ONLY.booleanValue(properties);
    }

    public void setReadOnly(boolean readOnly) {
        setProperty(DriverProperty.READ_ONLY.key, String.valueOf(readOnly));
    }

    /** Sets any other property of the driver, by the name that the property has in a URL. */
    public void setProperty(String name, String value) {
        properties.setProperty(name, value);
    }

    /** Returns a property; null if the property was not set by {@link #setProperty} or a bean property. */
    public @Nullable String getProperty(String name) {
        return properties.getProperty(name);
    }

    /**
     * Opens a connection.
     *
     * @param user null for the user of the bean properties
     * @param password null for the password of the bean properties
     */
    final Connection open(@Nullable String user, @Nullable String password) throws SQLException {
        Properties given = new Properties();
        given.putAll(properties);
        if (user != null) {
            given.setProperty(DriverProperty.USER.key, user);
        }
        if (password != null) {
            given.setProperty(DriverProperty.PASSWORD.key, password);
        }
        Connection connection = new MultimedDriver().connect(getUrl(), given);
        if (connection == null) {
            throw new SQLException(
                    "\"%s\" is not a URL of the Multimed driver".formatted(getUrl()), SqlStates.CANNOT_CONNECT);
        }
        return connection;
    }

    /** Returns the limit in seconds for connecting and for each response of the handshake. */
    @Override
    public int getLoginTimeout() throws SQLException {
        return DriverProperty.CONNECT_TIMEOUT.seconds(properties);
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        setProperty(DriverProperty.CONNECT_TIMEOUT.key, String.valueOf(seconds));
    }

    /** Returns the writer that the application has set; the driver writes nothing to the writer. */
    @Override
    public @Nullable PrintWriter getLogWriter() throws SQLException {
        return logWriter;
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter writer) throws SQLException {
        logWriter = writer;
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getLogger("io.multimed.jdbc");
    }
}
