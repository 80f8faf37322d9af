package io.multimed.compatibility.difference;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** One of the two databases that are compared. */
record Side(String url, String user, String password) {
    Connection connect() throws SQLException {
        return DriverManager.getConnection(url, user, password);
    }
}
