package io.multimed.tpcw.run;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;

/** A database to be measured. The name stands in reports, user and password do not. */
public record Target(String name, String url, String user, String password) {
    public Connection connect() throws SQLException {
        Properties properties = new Properties();
        if (!user.isEmpty()) {
            properties.setProperty("user", user);
            properties.setProperty("password", password);
        }
        return DriverManager.getConnection(url, properties);
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
