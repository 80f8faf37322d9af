package io.multimed.tpcw.run;

import java.io.IOException;
import java.io.InputStream;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;

/** A database to be measured. The name stands in reports, user and password do not. */
public record Target(String name, String url, String user, String password) {
    /** A connection as the engine gives it. */
    public Connection connect() throws SQLException {
        Properties properties = driverSettings();
        if (!user.isEmpty()) {
            properties.setProperty("user", user);
            properties.setProperty("password", password);
        }
        return DriverManager.getConnection(url, properties);
    }

    /**
     * A connection at READ COMMITTED, whatever the engine's default is: engines are compared at one isolation, and above it some lock the gaps between rows, which makes the inserts of browsers
     * deadlock.
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

    /** What makes an engine's own driver fast, where its defaults do not; so that a plain engine is not slower than it need be. */
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

    /** The URL without what may hold a password. */
    public String shownUrl() {
        int query = url.indexOf('?');
        return query < 0 ? url : url.substring(0, query);
    }

    @Override
    public String toString() {
        return name;
    }
}
