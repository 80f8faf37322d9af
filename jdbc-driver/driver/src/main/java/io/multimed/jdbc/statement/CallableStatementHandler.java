// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.statement;

import io.multimed.jdbc.metadata.RoutineParameterNames;
import io.multimed.jdbc.result.JdbcResultSet;
import io.multimed.jdbc.result.ResultSetKind;
import io.multimed.jdbc.support.SqlErrors;
import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.response.Executed;
import io.multimed.protocol.response.Outcome;
import io.multimed.protocol.statement.CallOptions;
import io.multimed.protocol.statement.GeneratedKeys;
import io.multimed.protocol.value.Parameter;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLType;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Implements CallableStatement: a prepared statement with registered OUT parameters. The getters are those of a result
 * set with one row, which contains the OUT parameters. Parameters have numbers, and also names if the engine's own
 * driver has names. The names are read from the catalog when the first one is used. The guard of the prepared statement
 * protects the registered parameters, the names and the cursors.
 */
public final class CallableStatementHandler implements InvocationHandler {
    /** The beginning of a call's text; any other statement is executed like a prepared statement. */
    private static final Pattern CALL = Pattern.compile("\\s*(?:\\{|CALL\\s)", Pattern.CASE_INSENSITIVE);

    private final Call call;

    /** Types of the registered OUT parameters, by their index. */
    private final Map<Integer, Integer> registered;

    private @Nullable RoutineParameterNames names;

    private CallableStatementHandler(Call call) {
        this.call = call;
        this.registered = call.outs;
    }

    public static CallableStatement statement(StatementContext connection, ResultSetKind kind, String sql) {
        return (CallableStatement) Proxy.newProxyInstance(
                CallableStatement.class.getClassLoader(),
                new Class<?>[] {CallableStatement.class},
                new CallableStatementHandler(new Call(connection, kind, sql)));
    }

    /** The prepared statement behind the callable statement. */
    private static final class Call extends JdbcPreparedStatement {
        /** Types of the registered OUT parameters, by their index. */
        private final Map<Integer, Integer> outs = new TreeMap<>();

        private final String text;

        /** The rows of OUT parameters that are cursors. The value of such a parameter is the index in this list. */
        private final List<JdbcResultSet> cursors = new ArrayList<>();

        Call(StatementContext connection, ResultSetKind kind, String sql) {
            super(connection, kind, sql, GeneratedKeys.NONE);
            text = sql;
        }

        RoutineParameterNames names() throws SQLException {
            return RoutineParameterNames.of(connection, text);
        }

        @Override
        CallOptions call() {
            return new CallOptions(
                    outs.entrySet().stream()
                            .map(out -> new CallOptions.Out(out.getKey(), out.getValue()))
                            .toList(),
                    ZoneId.systemDefault().getId());
        }

        /** Returns the results before the rows of the cursors. */
        @Override
        List<Outcome> statementResults(Executed executed) throws SQLException {
            cursors.clear();
            Outcome.Rowset row = executed.keys();
            int given = row == null
                    ? 0
                    : (int) row.head().columns().stream()
                            .filter(behavior()::isCursor)
                            .count();
            int own = executed.outcomes().size() - given;
            for (Outcome cursor :
                    executed.outcomes().subList(own, executed.outcomes().size())) {
                cursors.add(detachedResultSet((Outcome.Rowset) cursor));
            }
            return executed.outcomes().subList(0, own);
        }

        /** Returns whether the statement is a call, which may return rows. */
        @Override
        boolean returnsNoCount() {
            return !behavior().countsRowsOfCalls() && CALL.matcher(text).lookingAt();
        }

        /** Returns a placeholder for an OUT parameter, which needs no value. */
        @Override
        @Nullable
        Parameter defaultParameter(int index) {
            Integer type = outs.get(index);
            return type == null ? null : new Parameter(type, CallOptions.OUT_ONLY);
        }

        @Override
        int parameters(int set) {
            return outs.keySet().stream().mapToInt(Integer::intValue).reduce(set, Math::max);
        }
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        Object[] given = arguments == null ? new Object[0] : arguments;
        return switch (method.getName()) {
            case "equals" -> proxy == given[0];
            case "hashCode" -> System.identityHashCode(proxy);
            case "toString" -> call.toString();
            case "unwrap" -> ((Class<?>) given[0]).isInstance(proxy) ? proxy : call.unwrap((Class<?>) given[0]);
            case "isWrapperFor" -> ((Class<?>) given[0]).isInstance(proxy) || call.isWrapperFor((Class<?>) given[0]);
            default -> isOwn(method) ? guarded(method, given) : reflect(call, method, given);
        };
    }

    private @Nullable Object guarded(Method method, Object[] given) throws Throwable {
        call.guard().acquire();
        try {
            return method.getName().equals("registerOutParameter") ? register(method, given) : out(method, given);
        } finally {
            call.guard().release();
        }
    }

    private static boolean isOwn(Method method) {
        return method.getDeclaringClass() == CallableStatement.class;
    }

    /** Registers an OUT parameter by its index or name. */
    private @Nullable Object register(Method method, Object[] given) throws SQLException {
        call.checkOpen();
        int index = given[0] instanceof Integer number ? number : index(method, given[0], true);
        int type = given[1] instanceof SQLType named ? named.getVendorTypeNumber() : (Integer) given[1];
        registered.put(index, call.behavior().checksOutParameterTypes() ? OutParameterTypes.registered(type) : type);
        return null;
    }

    /** Runs a method of CallableStatement: a setter by name, or a getter of an OUT parameter. */
    private @Nullable Object out(Method method, Object[] given) throws Throwable {
        boolean isNamed = given.length > 0 && !(given[0] instanceof Integer);
        int named = isNamed ? index(method, given[0], false) : 0;
        if (isNamed && method.getName().startsWith("set")) {
            return reflect(call, numbered(PreparedStatement.class, method), numbered(named, given));
        }
        if (method.getName().startsWith("set") || method.getName().matches("getRef|getRowId|getURL")) {
            throw SqlErrors.unsupported("CallableStatement." + method.getName());
        }
        JdbcResultSet row = row();
        Object[] passed = given.clone();
        if (given.length > 0) {
            int index = isNamed ? named : (Integer) given[0];
            if (call.behavior().checksOutParameterTypes()) {
                OutParameterTypes.check(method.getName(), registered.getOrDefault(index, 0));
            }
            passed[0] = place(index);
            if (method.getName().equals("getObject")) {
                int place = (Integer) passed[0];
                if (call.behavior().isCursor(row.column(place))) {
                    return cursor(row, place, given);
                } else if (given.length == 1) {
                    return row.outParameter(place, registered.getOrDefault(index, 0));
                }
            }
        }
        Method getter = isNamed
                ? numbered(ResultSet.class, method)
                : ResultSet.class.getMethod(method.getName(), method.getParameterTypes());
        return reflect(row, getter, passed);
    }

    /** Returns the rows of an OUT parameter that is a cursor. */
    private ResultSet cursor(JdbcResultSet row, int place, Object[] given) throws SQLException {
        if (given.length > 1 && given[1] instanceof Class<?> type && !type.isAssignableFrom(ResultSet.class)) {
            throw new SQLException("Unsupported type conversion to %s.".formatted(type), SqlStates.INVALID_PARAMETER);
        }
        return call.cursors.get(row.getInt(place));
    }

    /**
     * Returns the row of the OUT parameters.
     *
     * @throws SQLException 55000 if no parameter is registered, 02000 if the statement has not run
     */
    private JdbcResultSet row() throws SQLException {
        call.checkOpen();
        JdbcResultSet row = call.outParameterRow();
        if (row == null || (!row.isFirst() && !row.first())) {
            throw registered.isEmpty()
                    ? new SQLException(
                            "A CallableStatement was declared, but no call to registerOutParameter(1, <some type>) was made.",
                            SqlStates.OBJECT_NOT_IN_STATE)
                    : new SQLException(
                            "Results cannot be retrieved from a CallableStatement before it is executed.",
                            SqlStates.NO_DATA);
        }
        return row;
    }

    /** Returns the position of an OUT parameter in the row, from 1: the middleware orders them by index. */
    private int place(int index) throws SQLException {
        int place = 1;
        for (int known : registered.keySet()) {
            if (known == index) {
                return place;
            }
            place++;
        }
        throw new SQLException(
                "Parameter %d was not registered by registerOutParameter.".formatted(index),
                SqlStates.INVALID_PARAMETER);
    }

    /**
     * Returns the index of a named parameter.
     *
     * @param asOut whether the parameter must return a value
     */
    private int index(Method method, @Nullable Object name, boolean asOut) throws SQLException {
        call.checkOpen();
        if (!call.behavior().hasParameterNames()) {
            throw SqlErrors.unsupported("CallableStatement." + method.getName() + " by a parameter's name");
        }
        RoutineParameterNames known = names;
        if (known == null) {
            known = call.names();
            names = known;
        }
        return known.index((String) name, asOut);
    }

    /** Returns the method of the same name and parameters whose first parameter is an index. */
    private static Method numbered(Class<?> type, Method named) throws NoSuchMethodException {
        Class<?>[] types = named.getParameterTypes();
        types[0] = int.class;
        return type.getMethod(named.getName(), types);
    }

    private static Object[] numbered(int index, Object[] given) {
        Object[] numbered = given.clone();
        numbered[0] = index;
        return numbered;
    }

    /** Calls a method, and throws the exception that the method throws. */
    private static @Nullable Object reflect(Object target, Method method, Object[] given) throws Throwable {
        try {
            return method.invoke(target, given);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }
}
