// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.result;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Corrects the driver's DatabaseMetaData: the driver fails on {@code getFunctions} for another database, because its
 * empty result has a column without a description. All other calls are passed on.
 */
public final class CorrectedMetaData implements InvocationHandler {
    private final DatabaseMetaData driver;
    private final String database;

    private CorrectedMetaData(Connection connection) throws SQLException {
        driver = connection.getMetaData();
        database = connection.getCatalog();
    }

    /** Returns the metadata of a connection, which must stay open as long as the metadata is used. */
    public static DatabaseMetaData over(Connection connection) throws SQLException {
        return (DatabaseMetaData) Proxy.newProxyInstance(
                DatabaseMetaData.class.getClassLoader(),
                new Class<?>[] {DatabaseMetaData.class},
                new CorrectedMetaData(connection));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        try {
            return isOfAnotherDatabase(method, arguments)
                    ? driver.getFunctions(null, "", "") // no schema has an empty name
                    : method.invoke(driver, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    /** Returns whether the call asks for functions of a database other than the connection's. */
    private boolean isOfAnotherDatabase(Method method, @Nullable Object @Nullable [] arguments) {
        return method.getName().equals("getFunctions")
                && arguments != null
                && arguments[0] != null
                && !arguments[0].equals(database);
    }
}
