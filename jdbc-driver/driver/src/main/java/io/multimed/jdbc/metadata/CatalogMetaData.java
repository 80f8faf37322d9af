// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.metadata;

import io.multimed.jdbc.support.DriverVersion;
import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.request.CatalogCall;
import io.multimed.protocol.response.CatalogAnswer;
import io.multimed.protocol.session.EngineIdentity;
import io.multimed.protocol.value.ArrayValue;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.DatabaseMetaData;
import java.sql.RowIdLifetime;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Implements DatabaseMetaData like the engine's own driver, by a dynamic proxy: most of its about 180 methods are
 * answered by that driver in the middleware. The names of the engine are known from the middleware's welcome, the names
 * of the driver are Multimed's. Every other method asks the master in one round trip. Answers that are not result sets
 * are constants of the engine, which are kept after the first call. All threads may call all methods.
 */
public final class CatalogMetaData implements InvocationHandler {
    private final CatalogContext connection;
    private final String url;

    /** Answers that do not change; used by all threads, each of which may ask the master for the same answer. */
    private final Map<String, @Nullable Object> own = Collections.synchronizedMap(new HashMap<>());

    private CatalogMetaData(CatalogContext connection, String url, String productName) {
        this.url = url;
        this.connection = connection;
        EngineIdentity engine = connection.channel().welcome().engine();
        own.put("getDatabaseProductName", productName);
        own.put("getDatabaseProductVersion", engine.productVersion());
        own.put("getDatabaseMajorVersion", engine.majorVersion());
        own.put("getDatabaseMinorVersion", engine.minorVersion());
        own.put("getDefaultTransactionIsolation", engine.defaultIsolation());
        own.put("getDriverName", DriverVersion.NAME);
        own.put("getDriverVersion", DriverVersion.MAJOR + "." + DriverVersion.MINOR);
        own.put("getDriverMajorVersion", DriverVersion.MAJOR);
        own.put("getDriverMinorVersion", DriverVersion.MINOR);
        own.put("getJDBCMajorVersion", 4);
        own.put("getJDBCMinorVersion", 3);
        own.put("getURL", url);
        own.put("getUserName", connection.channel().target().user());
        own.put("getConnection", connection);
    }

    /**
     * Returns the metadata of a connection.
     *
     * @param url without the part that may contain a password
     * @param productName the engine's name
     */
    public static DatabaseMetaData of(CatalogContext connection, String url, String productName) {
        return (DatabaseMetaData) Proxy.newProxyInstance(
                DatabaseMetaData.class.getClassLoader(),
                new Class<?>[] {DatabaseMetaData.class},
                new CatalogMetaData(connection, url, productName));
    }

    /** Answers the methods of Object and Wrapper locally, because their answers depend on the proxy. */
    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws SQLException {
        Object[] given = arguments == null ? new Object[0] : arguments;
        return switch (method.getName()) {
            case "unwrap" -> unwrap(proxy, (Class<?>) given[0]);
            case "isWrapperFor" -> ((Class<?>) given[0]).isInstance(proxy);
            case "equals" -> proxy == given[0];
            case "hashCode" -> System.identityHashCode(proxy);
            case "toString" -> "DatabaseMetaData of " + url;
            default -> answer(method, given);
        };
    }

    private static Object unwrap(Object proxy, Class<?> type) throws SQLException {
        if (type.isInstance(proxy)) {
            return proxy;
        }
        throw new SQLException("not a wrapper for " + type.getName(), SqlStates.NOT_SUPPORTED);
    }

    /** Returns the kept answer of a method, or asks the master. */
    private @Nullable Object answer(Method method, Object[] arguments) throws SQLException {
        String key =
                arguments.length == 0 ? method.getName() : method.getName() + java.util.Arrays.deepToString(arguments);
        if (own.containsKey(key)) {
            return own.get(key);
        }
        CatalogAnswer answer = connection
                .channel()
                .call(new CatalogCall(connection.mode(), method.getName(), wire(arguments)), CatalogAnswer.class);
        if (answer.rows() != null) {
            return connection.resultSet(answer.rows());
        }
        Object value = method.getReturnType() == RowIdLifetime.class
                ? RowIdLifetime.valueOf(String.valueOf(answer.value()))
                : answer.value();
        own.put(key, value);
        return value;
    }

    /** Returns the arguments in classes of the protocol. The engine's driver gets names and patterns unchanged. */
    private static List<@Nullable Object> wire(Object[] arguments) {
        List<@Nullable Object> values = new ArrayList<>();
        for (Object argument : arguments) {
            if (argument instanceof String[] texts) {
                values.add(new ArrayValue("text", Types.VARCHAR, List.of((Object[]) texts)));
            } else if (argument instanceof int[] numbers) {
                values.add(new ArrayValue(
                        "int4",
                        Types.INTEGER,
                        List.copyOf(IntStream.of(numbers).boxed().toList())));
            } else {
                values.add(argument);
            }
        }
        return values;
    }
}
