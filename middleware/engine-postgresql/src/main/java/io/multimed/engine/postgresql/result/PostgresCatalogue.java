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
 * The driver's DatabaseMetaData, except for the functions of another database: the driver's empty result for these has
 * a column without a description, on which the driver itself fails.
 */
public final class PostgresCatalogue implements InvocationHandler {
    private final DatabaseMetaData driver;
    private final String database;

    private PostgresCatalogue(Connection connection) throws SQLException {
        driver = connection.getMetaData();
        database = connection.getCatalog();
    }

    public static DatabaseMetaData over(Connection connection) throws SQLException {
        return (DatabaseMetaData) Proxy.newProxyInstance(
                DatabaseMetaData.class.getClassLoader(),
                new Class<?>[] {DatabaseMetaData.class},
                new PostgresCatalogue(connection));
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

    private boolean isOfAnotherDatabase(Method method, @Nullable Object @Nullable [] arguments) {
        return method.getName().equals("getFunctions")
                && arguments != null
                && arguments[0] != null
                && !arguments[0].equals(database);
    }
}
