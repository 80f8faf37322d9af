package io.multimed.jdbc;

import io.multimed.jdbc.connection.Engines;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;

/**
 * The order in which DriverManager asks drivers. An engine's own driver may take whatever stands behind the engine's name in a URL for a database on this host, and would be asked
 * first if it was registered first; so drivers that claim our URLs are moved behind ours. They stay registered for their own.
 */
final class DriverRegistration {
    private static final List<String> CLAIMED = Engines.WORDS.stream()
            .map(engine -> "jdbc:" + engine + ":multimed://127.0.0.1/database")
            .toList();

    private DriverRegistration() {}

    /** Called once, when this driver has been registered. Loads no driver of its own accord. */
    static void claim() throws SQLException {
        for (Driver driver : DriverManager.drivers().toList()) {
            if (!(driver instanceof MultimedDriver) && claims(driver)) {
                moveBack(driver);
            }
        }
    }

    private static boolean claims(Driver driver) {
        return CLAIMED.stream().anyMatch(url -> {
            try {
                return driver.acceptsURL(url);
            } catch (SQLException e) {
                // It has something to say about this URL, so it would be asked.
                return true;
            }
        });
    }

    private static void moveBack(Driver driver) throws SQLException {
        try {
            DriverManager.deregisterDriver(driver);
        } catch (SecurityException e) {
            // Of a class loader that we may not touch: DriverManager then asks it first, and us after it has failed.
            return;
        }
        DriverManager.registerDriver(driver);
    }
}
