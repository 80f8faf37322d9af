// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.statement;

import io.multimed.engine.dialect.EngineValues;
import io.multimed.protocol.request.CatalogCall;
import io.multimed.protocol.response.CatalogAnswer;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.protocol.value.ArrayValue;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Executes the methods of a client's {@link DatabaseMetaData} on the engine's own driver. Calls exactly the methods of
 * that interface.
 */
public final class CatalogCalls {
    private CatalogCalls() {}

    static CatalogAnswer call(DatabaseMetaData engine, CatalogCall request, EngineValues values) throws SQLException {
        Method method = find(request);
        @Nullable Object[] arguments = arguments(method, request);
        Object answer;
        try {
            answer = method.invoke(engine, arguments);
        } catch (InvocationTargetException e) {
            throw cause(e);
        } catch (IllegalAccessException | IllegalArgumentException e) {
            throw wrongArguments(request, e);
        }
        if (answer instanceof ResultSet rows) {
            try (rows) {
                return new CatalogAnswer(
                        SessionStatus.NONE, null, StatementRunner.whole(rows, values, ResultEncoder.Origins.UNKNOWN));
            }
        }
        return new CatalogAnswer(SessionStatus.NONE, wireValue(method, answer), null);
    }

    /**
     * Returns the exception that the engine's driver threw. A defect of the driver is not an SQLException, and is
     * logged like a defect of Multimed.
     */
    private static SQLException cause(InvocationTargetException failure) throws SQLException {
        if (failure.getCause() instanceof SQLException told) {
            return told;
        } else if (failure.getCause() instanceof RuntimeException defect) {
            throw defect;
        }
        throw new IllegalStateException(failure.getCause());
    }

    /** Returns whether the answer is a result, which the engine's driver reads from the catalog. */
    public static boolean returnsRows(CatalogCall request) {
        return Arrays.stream(DatabaseMetaData.class.getDeclaredMethods())
                .anyMatch(method ->
                        method.getName().equals(request.method()) && method.getReturnType() == ResultSet.class);
    }

    private static Method find(CatalogCall request) throws SQLException {
        return Arrays.stream(DatabaseMetaData.class.getDeclaredMethods())
                .filter(method -> method.getName().equals(request.method())
                        && method.getParameterCount() == request.arguments().size())
                .findFirst()
                .orElseThrow(() -> new SQLException("DatabaseMetaData has no method " + request.method(), "0A000"));
    }

    /** Checks the arguments, which may come from another client than our driver, before the engine's driver runs. */
    private static @Nullable Object[] arguments(Method method, CatalogCall request) throws SQLException {
        @Nullable Object[] arguments = new @Nullable Object[request.arguments().size()];
        for (int i = 0; i < arguments.length; i++) {
            Class<?> type = method.getParameterTypes()[i];
            try {
                arguments[i] = argument(type, request.arguments().get(i));
            } catch (ClassCastException | ArrayStoreException | NullPointerException e) {
                throw wrongArguments(request, e);
            }
            if (arguments[i] == null && type.isPrimitive()) {
                throw wrongArguments(request, null);
            }
        }
        return arguments;
    }

    private static SQLException wrongArguments(CatalogCall request, @Nullable Exception cause) {
        return new SQLException("wrong arguments for DatabaseMetaData." + request.method(), "07001", cause);
    }

    private static @Nullable Object argument(Class<?> type, @Nullable Object value) {
        if (!(value instanceof ArrayValue array)) {
            return value;
        }
        return type == int[].class
                ? array.elements().stream()
                        .mapToInt(element -> (Integer) element)
                        .toArray()
                : array.elements().toArray(new String[0]);
    }

    /**
     * Returns the form of a value in the protocol: plain values are unchanged, an enum constant (RowIdLifetime) becomes
     * its name.
     */
    private static @Nullable Object wireValue(Method method, @Nullable Object answer) throws SQLException {
        if (answer == null || answer instanceof String || answer instanceof Number || answer instanceof Boolean) {
            return answer;
        }
        if (answer instanceof Enum<?> constant) {
            return constant.name();
        }
        throw new SQLException("DatabaseMetaData.%s is not supported".formatted(method.getName()), "0A000");
    }
}
