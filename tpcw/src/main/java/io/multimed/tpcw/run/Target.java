// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.run;

import java.io.IOException;
import java.io.InputStream;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;

/** A database to be measured. Reports contain the name and the URL without parameters, but not user and password. */
public record Target(String name, String url, String user, String password) {
    /** Opens a connection with the engine's default settings. */
    public Connection connect() throws SQLException {
        Properties properties = driverSettings();
        if (!user.isEmpty()) {
            properties.setProperty("user", user);
            properties.setProperty("password", password);
        }
        return DriverManager.getConnection(url, properties);
    }

    /**
     * Opens a connection at READ COMMITTED, so that all engines are compared at one isolation level. At higher levels,
     * some engines lock the gaps between rows, so that inserts of browsers deadlock.
     */
    public Connection connectToMeasure() throws SQLException {
        Connection connection = connect();
        try {
            if (connection.getTransactionIsolation() != Connection.TRANSACTION_READ_COMMITTED) {
                connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            }
            return connection;
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    /**
     * Returns the settings with which an engine's own driver is fast, so that the comparison does not put the plain
     * engine at a disadvantage.
     */
    private Properties driverSettings() throws SQLException {
        Properties settings = new Properties();
        String subprotocol = url.split(":", 3)[1];
        try (InputStream in = Target.class.getResourceAsStream(subprotocol + "/driver.properties")) {
            if (in != null) {
                settings.load(in);
            }
        } catch (IOException e) {
            throw new SQLException("cannot read the driver's settings", e);
        }
        return settings;
    }

    /** Returns the URL without its parameters, which may contain a password. */
    public String shownUrl() {
        int query = url.indexOf('?');
        return query < 0 ? url : url.substring(0, query);
    }

    /** Returns the name only, so that logs do not contain the password. */
    @Override
    public String toString() {
        return name;
    }
}
