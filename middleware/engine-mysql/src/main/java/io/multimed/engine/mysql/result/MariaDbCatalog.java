// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.result;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * Describes MariaDB by the metadata of MySQL's driver, except for the keywords: the driver asks for them by a column
 * that only MySQL has, and fails.
 */
public final class MariaDbCatalog implements InvocationHandler {
    private static final String WORDS =
            "SELECT word FROM information_schema.keywords WHERE word RLIKE '^[A-Z_]+$' ORDER BY word";

    private final DatabaseMetaData driver;

    private MariaDbCatalog(DatabaseMetaData driver) {
        this.driver = driver;
    }

    /** Returns metadata that is correct for the server; for MySQL, that of the driver. */
    public static DatabaseMetaData over(DatabaseMetaData driver) throws SQLException {
        return driver.getDatabaseProductVersion().contains("MariaDB")
                ? (DatabaseMetaData) Proxy.newProxyInstance(
                        DatabaseMetaData.class.getClassLoader(),
                        new Class<?>[] {DatabaseMetaData.class},
                        new MariaDbCatalog(driver))
                : driver;
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        if (method.getName().equals("getSQLKeywords")) {
            return words();
        }
        try {
            return method.invoke(driver, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    /** Returns all keywords, including those of the SQL standard, which JDBC permits to omit. */
    private String words() throws SQLException {
        try (Statement statement = driver.getConnection().createStatement();
                ResultSet rows = statement.executeQuery(WORDS)) {
            StringJoiner words = new StringJoiner(",");
            while (rows.next()) {
                words.add(rows.getString(1));
            }
            return words.toString();
        }
    }
}
