package io.multimed.jdbc;

import io.multimed.protocol.CatalogAnswer;
import io.multimed.protocol.CatalogCall;
import io.multimed.protocol.Outcome;
import io.multimed.protocol.session.EngineIdentity;
import io.multimed.protocol.value.ArrayValue;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.RowIdLifetime;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * DatabaseMetaData as the engine's own driver answers it: what names the engine is known from the welcome, what names the driver is ours, everything else is asked of
 * the master in one round trip. Plain answers are constants of the engine and are asked for once.
 */
final class Catalog implements InvocationHandler {
    private final JdbcConnection connection;
    private final Map<String, @Nullable Object> own = new HashMap<>();

    private Catalog(JdbcConnection connection) {
        this.connection = connection;
        EngineIdentity engine = connection.channel().welcome().engine();
        own.put("getDatabaseProductName", connection.channel().url().nameOf(engine));
        own.put("getDatabaseProductVersion", engine.productVersion());
        own.put("getDatabaseMajorVersion", engine.majorVersion());
        own.put("getDatabaseMinorVersion", engine.minorVersion());
        own.put("getDefaultTransactionIsolation", engine.defaultIsolation());
        own.put("getDriverName", MultimedDriver.NAME);
        own.put("getDriverVersion", MultimedDriver.MAJOR + "." + MultimedDriver.MINOR);
        own.put("getDriverMajorVersion", MultimedDriver.MAJOR);
        own.put("getDriverMinorVersion", MultimedDriver.MINOR);
        own.put("getJDBCMajorVersion", 4);
        own.put("getJDBCMinorVersion", 3);
        own.put("getURL", connection.channel().url().url());
        own.put("getUserName", connection.channel().user());
        own.put("getConnection", connection);
    }

    static DatabaseMetaData of(JdbcConnection connection) {
        return (DatabaseMetaData) Proxy.newProxyInstance(
                DatabaseMetaData.class.getClassLoader(),
                new Class<?>[] {DatabaseMetaData.class},
                new Catalog(connection));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws SQLException {
        Object[] given = arguments == null ? new Object[0] : arguments;
        return switch (method.getName()) {
            case "unwrap" -> unwrap(proxy, (Class<?>) given[0]);
            case "isWrapperFor" -> ((Class<?>) given[0]).isInstance(proxy);
            case "equals" -> proxy == given[0];
            case "hashCode" -> System.identityHashCode(proxy);
            case "toString" ->
                "DatabaseMetaData of " + connection.channel().url().url();
            default -> answer(method, given);
        };
    }

    private static Object unwrap(Object proxy, Class<?> type) throws SQLException {
        if (type.isInstance(proxy)) {
            return proxy;
        }
        throw new SQLException("not a wrapper for " + type.getName(), SqlStates.NOT_SUPPORTED);
    }

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
            return resultSet(answer.rows());
        }
        Object value = method.getReturnType() == RowIdLifetime.class
                ? RowIdLifetime.valueOf(String.valueOf(answer.value()))
                : answer.value();
        own.put(key, value);
        return value;
    }

    private ResultSet resultSet(Outcome.Rowset rows) {
        return new JdbcResultSet(
                connection,
                null,
                new RowSource(connection, rows, 0),
                rows.head().columns(),
                ResultSetKind.SCROLLS);
    }

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
