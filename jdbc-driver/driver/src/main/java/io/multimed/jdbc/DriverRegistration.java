// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc;

import io.multimed.jdbc.connection.Engines;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;

/**
 * Registers the driver with {@link DriverManager}.
 *
 * <p>Loading the driver registers this driver only, and leaves all other drivers as they are. DriverManager asks
 * drivers in the order of their registration. Only one of the formats of URLs, {@code
 * jdbc:ENGINE:multimed://host:port/database}, may also be accepted by another driver: that of the engine, which takes
 * the URL for a database on this host. An application that uses this format, and has the engine's driver on its class
 * path, calls {@link #preferMultimed()} once, before it connects. The other formats do not need this call.
 */
public final class DriverRegistration {
    private static final List<String> AMBIGUOUS_URLS = Engines.URL_NAMES.stream()
            .map(engine -> "jdbc:" + engine + ":multimed://127.0.0.1/database")
            .toList();

    private DriverRegistration() {}

    /**
     * Makes DriverManager ask the Multimed driver before all other drivers that accept a URL of the format
     * {@code jdbc:ENGINE:multimed://...}. For this, such drivers are deregistered and registered again, without their
     * {@link java.sql.DriverAction}; they stay in use for their own URLs. Drivers that are registered afterwards come
     * after the Multimed driver anyway.
     *
     * @throws SQLException if a driver cannot be registered
     * @throws SecurityException if the security manager does not allow to deregister a driver
     */
    public static void preferMultimed() throws SQLException {
        MultimedDriver.ensureRegistered();
        for (Driver driver : DriverManager.drivers().toList()) {
            if (!(driver instanceof MultimedDriver) && acceptsAmbiguousUrl(driver)) {
                DriverManager.deregisterDriver(driver);
                DriverManager.registerDriver(driver);
            }
        }
    }

    /** Returns whether a driver accepts, or may accept, a URL that is also for the Multimed driver. */
    private static boolean acceptsAmbiguousUrl(Driver driver) {
        return AMBIGUOUS_URLS.stream().anyMatch(url -> {
            try {
                return driver.acceptsURL(url);
            } catch (SQLException e) {
                // A driver that fails on this URL could also fail to open a connection, and DriverManager would stop
                // there.
                return true;
            }
        });
    }
}
