package io.multimed.jdbc;

import io.multimed.protocol.GeneratedKeys;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A CallableStatement with IN parameters by number: a prepared statement under another name. The escape {@code {call f(?)}} becomes a query of the function, as with
 * PostgreSQL's own driver. OUT parameters, and parameters by name, are refused.
 */
final class JdbcCall implements InvocationHandler {
    private static final Pattern ESCAPE = Pattern.compile(
            "\\s*\\{\\s*(\\?\\s*=)?\\s*call\\s+([^(){}]+?)\\s*(\\(.*\\))?\\s*\\}\\s*",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private final PreparedStatement statement;

    private JdbcCall(PreparedStatement statement) {
        this.statement = statement;
    }

    static CallableStatement of(JdbcConnection connection, ResultSetKind kind, String sql) throws SQLException {
        JdbcCall call = new JdbcCall(new JdbcPreparedStatement(connection, kind, plain(sql), GeneratedKeys.NONE));
        return (CallableStatement)
                Proxy.newProxyInstance(JdbcCall.class.getClassLoader(), new Class<?>[] {CallableStatement.class}, call);
    }

    /** The statement without JDBC's escape. */
    private static String plain(String sql) throws SQLException {
        Matcher escape = ESCAPE.matcher(sql);
        if (!escape.matches()) {
            return sql;
        }
        if (escape.group(1) != null) {
            throw Failures.unsupported("OUT parameters");
        }
        return "SELECT * FROM %s%s AS result"
                .formatted(escape.group(2), escape.group(3) == null ? "()" : escape.group(3));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        if (method.getDeclaringClass() == CallableStatement.class) {
            throw Failures.unsupported("CallableStatement." + method.getName());
        }
        if (method.getName().equals("equals") && arguments != null) {
            return proxy == arguments[0];
        }
        try {
            return method.invoke(statement, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }
}
