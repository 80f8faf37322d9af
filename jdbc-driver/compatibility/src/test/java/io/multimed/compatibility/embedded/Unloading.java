// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.embedded;

import com.mysql.cj.jdbc.AbandonedConnectionCleanupThread;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Collections;

/** What application servers do at the end of an application, by a class in the application's class loader. */
public final class Unloading {
    private Unloading() {}

    /**
     * Removes the drivers that this class loader has registered, which only callers of the same class loader may do,
     * and ends the thread of MySQL's driver, as its manual asks for.
     */
    public static void deregisterDrivers() throws SQLException {
        AbandonedConnectionCleanupThread.checkedShutdown();
        for (Driver driver : Collections.list(DriverManager.getDrivers())) {
            if (driver.getClass().getClassLoader() == Unloading.class.getClassLoader()) {
                DriverManager.deregisterDriver(driver);
            }
        }
    }
}
