// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.jdbc.MultimedConnectionPoolDataSource;
import io.multimed.jdbc.MultimedDataSource;
import io.multimed.jdbc.MultimedDriver;
import io.multimed.jdbc.MultimedXADataSource;
import io.multimed.server.testing.TestCluster;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Array;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.Driver;
import java.sql.NClob;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLType;
import java.sql.SQLXML;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Types;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.sql.ConnectionPoolDataSource;
import javax.sql.DataSource;
import javax.sql.PooledConnection;
import javax.sql.XADataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Every method of java.sql and javax.sql works, or is in the table of the driver's README and throws an exception which
 * says that the method is not supported.
 */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
@Tag("exhaustive")
class JdbcInterfacesTest {
    private static final Path TABLE = Path.of("../../jdbc-driver/README.md");
    private static final Pattern ROW =
            Pattern.compile("^\\| `([A-Za-z*]+\\.[^`]+)` \\| ([^|]+) \\|", Pattern.MULTILINE);
    private static final Map<String, String> TITLES =
            Map.of("postgresql", "PostgreSQL", "mariadb", "MariaDB", "mysql", "MySQL");
    private static final Map<String, String> FUNCTIONS = Map.of(
            "postgresql", "CREATE FUNCTION up(v text) RETURNS text LANGUAGE sql AS 'SELECT upper(v)'",
            "mariadb", "CREATE FUNCTION up(v varchar(20)) RETURNS varchar(20) DETERMINISTIC NO SQL RETURN UPPER(v)",
            "mysql", "CREATE FUNCTION up(v varchar(20)) RETURNS varchar(20) DETERMINISTIC NO SQL RETURN UPPER(v)");
    private static TestCluster cluster;

    private final String engine;

    JdbcInterfacesTest(String engine) {
        this.engine = engine;
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = TestCluster.withSatellites(engine, 0);
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE t (id int PRIMARY KEY, v text)");
            statement.execute("INSERT INTO t VALUES (1, 'one')");
            statement.execute(FUNCTIONS.get(engine));
        }
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    /** Makes a fresh object on a connection. */
    private interface Maker {
        Object make(Connection connection) throws SQLException;
    }

    /** An interface, and the way to get an object of the interface. */
    private record Kind(Class<?> type, Maker maker) {}

    private static List<Kind> kinds() {
        return List.of(
                new Kind(Driver.class, connection -> new MultimedDriver()),
                new Kind(Connection.class, connection -> connection),
                new Kind(Statement.class, Connection::createStatement),
                new Kind(PreparedStatement.class, JdbcInterfacesTest::prepared),
                new Kind(CallableStatement.class, JdbcInterfacesTest::called),
                new Kind(ResultSet.class, JdbcInterfacesTest::rows),
                new Kind(ResultSetMetaData.class, connection -> rows(connection).getMetaData()),
                new Kind(
                        ParameterMetaData.class,
                        connection -> prepared(connection).getParameterMetaData()),
                new Kind(DatabaseMetaData.class, Connection::getMetaData),
                new Kind(Savepoint.class, connection -> {
                    connection.setAutoCommit(false);
                    return connection.setSavepoint("s");
                }),
                new Kind(Array.class, connection -> connection.createArrayOf("int4", new Object[] {1, 2})),
                new Kind(Blob.class, Connection::createBlob),
                new Kind(Clob.class, Connection::createClob),
                new Kind(NClob.class, Connection::createNClob),
                new Kind(SQLXML.class, Connection::createSQLXML),
                new Kind(DataSource.class, connection -> configured(new MultimedDataSource())),
                new Kind(ConnectionPoolDataSource.class, connection -> pooling()),
                new Kind(PooledConnection.class, connection -> pooling().getPooledConnection()),
                new Kind(XADataSource.class, connection -> new MultimedXADataSource()));
    }

    private static MultimedDataSource configured(MultimedDataSource source) {
        source.setUrl(cluster.url());
        return source;
    }

    private static MultimedConnectionPoolDataSource pooling() {
        MultimedConnectionPoolDataSource source = new MultimedConnectionPoolDataSource();
        source.setUrl(cluster.url());
        return source;
    }

    private static PreparedStatement prepared(Connection connection) throws SQLException {
        PreparedStatement statement = connection.prepareStatement("SELECT v FROM t WHERE id = ?");
        statement.setInt(1, 1);
        return statement;
    }

    private static CallableStatement called(Connection connection) throws SQLException {
        CallableStatement call = connection.prepareCall("{? = call up(?)}");
        call.registerOutParameter(1, Types.VARCHAR);
        call.setString(2, "x");
        call.execute();
        return call;
    }

    private static ResultSet rows(Connection connection) throws SQLException {
        ResultSet rows = connection
                .createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE)
                .executeQuery("SELECT v, id FROM t");
        rows.next();
        return rows;
    }

    @Test
    void shouldSupportEveryMethodOrListItAsNotSupported() throws Exception {
        Set<String> rows = ROW.matcher(Files.readString(TABLE))
                .results()
                .filter(row -> concerns(row.group(2)))
                .map(row -> row.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> unused = new TreeSet<>(rows);
        Set<String> missing = new TreeSet<>();
        for (Kind kind : kinds()) {
            for (Method method : kind.type().getMethods()) {
                if (!Modifier.isStatic(method.getModifiers()) && method.getDeclaringClass() != Object.class) {
                    String refused = refusal(kind, method);
                    String name = name(kind, method);
                    boolean listed = !refused.isEmpty() && unused(rows, unused, name);
                    if (!refused.isEmpty() && !(listed && refused.contains(method.getName()))) {
                        missing.add(name + ": " + refused);
                    }
                }
            }
        }
        assertThat(missing)
                .as("refused, but not in the table, or without naming the method")
                .isEmpty();
        assertThat(unused).as("in the table, but not refused").isEmpty();
    }

    /** Returns true if the row applies to this engine; the second column names the engines. */
    private boolean concerns(String engines) {
        return engines.equals("all") || List.of(engines.split(", ", -1)).contains(TITLES.get(engine));
    }

    private static boolean unused(Set<String> rows, Set<String> unused, String name) {
        boolean found = false;
        for (String row : rows) {
            String pattern =
                    Pattern.quote(row.contains("(") ? row : row + "(*)").replace("*", "\\E.*\\Q");
            if (Pattern.matches(pattern, name)) {
                unused.remove(row);
                found = true;
            }
        }
        return found;
    }

    private static String name(Kind kind, Method method) {
        String types = Arrays.stream(method.getParameterTypes())
                .map(Class::getSimpleName)
                .collect(Collectors.joining(", "));
        return kind.type().getSimpleName() + "." + method.getName() + "(" + types + ")";
    }

    /** Returns the message of a method that is not supported; empty if the method is supported. */
    private static String refusal(Kind kind, Method method) throws SQLException, IOException {
        try (Connection connection = cluster.connect()) {
            Object target = kind.maker().make(connection);
            method.invoke(target, arguments(method));
            return "";
        } catch (InvocationTargetException e) {
            Throwable cause = e.getCause();
            if (cause instanceof SQLFeatureNotSupportedException) {
                return String.valueOf(cause.getMessage());
            }
            return cause instanceof SQLException || cause instanceof NullPointerException ? "" : cause.toString();
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Object[] arguments(Method method) {
        Class<?>[] types = method.getParameterTypes();
        Object[] arguments = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            arguments[i] = argument(method, types[i]);
        }
        return arguments;
    }

    private static Object argument(Method method, Class<?> type) {
        if (type == int.class) {
            return method.getName().equals("setTransactionIsolation") ? Connection.TRANSACTION_READ_COMMITTED : 1;
        } else if (type == long.class) {
            return 1L;
        } else if (type == short.class) {
            return (short) 1;
        } else if (type == byte.class) {
            return (byte) 1;
        } else if (type == boolean.class) {
            return true;
        } else if (type == float.class) {
            return 1f;
        } else if (type == double.class) {
            return 1d;
        } else if (type == String.class) {
            return "SELECT 1";
        } else if (type == Class.class) {
            return String.class;
        } else if (type == SQLType.class) {
            return java.sql.JDBCType.VARCHAR;
        } else if (type == byte[].class) {
            return new byte[] {1};
        }
        return null;
    }
}
