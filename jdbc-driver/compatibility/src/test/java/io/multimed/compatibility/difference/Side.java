// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;

/** One of the two databases that are compared. */
record Side(String url, String user, String password) {
    Connection connect() throws SQLException {
        return DriverManager.getConnection(url, user, password);
    }

    /** Connects with further properties. */
    Connection connect(Properties further) throws SQLException {
        Properties properties = new Properties();
        properties.putAll(further);
        properties.setProperty("user", user);
        properties.setProperty("password", password);
        return DriverManager.getConnection(url, properties);
    }
}
