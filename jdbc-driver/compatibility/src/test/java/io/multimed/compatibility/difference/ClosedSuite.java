// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.sql.Array;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.JDBCType;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLType;
import java.sql.SQLXML;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;

/**
 * Compares every method of the interfaces of java.sql on an object that was closed, or that belongs to a closed one:
 * whether the method returns or throws an SQLException.
 */
final class ClosedSuite {
    private static final String QUERY = "SELECT id, name FROM things ORDER BY id";

    /** Creates an object on a connection, and closes the object or what it belongs to. */
    private interface Maker {
        Object make(Connection connection) throws SQLException;
    }

    private record Kind(Class<?> type, Maker maker) {}

    private static final Map<String, Kind> KINDS = new LinkedHashMap<>();

    static {
        KINDS.put("closed ResultSet", new Kind(ResultSet.class, connection -> closed(rows(statement(connection)))));
        KINDS.put("ResultSet of a closed statement", new Kind(ResultSet.class, connection -> {
            Statement statement = statement(connection);
            return after(rows(statement), statement::close);
        }));
        KINDS.put("ResultSet of another execution", new Kind(ResultSet.class, connection -> {
            Statement statement = statement(connection);
            return after(rows(statement), () -> statement.executeQuery(QUERY));
        }));
        KINDS.put(
                "ResultSet of a closed connection",
                new Kind(ResultSet.class, connection -> after(rows(statement(connection)), connection::close)));
        KINDS.put("closed Statement", new Kind(Statement.class, connection -> closed(executed(statement(connection)))));
        KINDS.put(
                "Statement of a closed connection",
                new Kind(Statement.class, connection -> after(statement(connection), connection::close)));
        KINDS.put(
                "closed PreparedStatement",
                new Kind(PreparedStatement.class, connection -> closed(prepared(connection))));
        KINDS.put(
                "PreparedStatement of a closed connection",
                new Kind(PreparedStatement.class, connection -> after(prepared(connection), connection::close)));
        KINDS.put(
                "closed CallableStatement",
                new Kind(CallableStatement.class, connection -> closed(connection.prepareCall("{call doubled(?)}"))));
        KINDS.put("closed Connection", new Kind(Connection.class, connection -> closed(connection)));
        KINDS.put(
                "DatabaseMetaData of a closed connection",
                new Kind(DatabaseMetaData.class, connection -> after(connection.getMetaData(), connection::close)));
        KINDS.put("ResultSetMetaData of a closed result", new Kind(ResultSetMetaData.class, connection -> {
            ResultSet rows = rows(statement(connection));
            return after(rows.getMetaData(), rows::close);
        }));
        KINDS.put("ParameterMetaData of a closed statement", new Kind(ParameterMetaData.class, connection -> {
            PreparedStatement statement = prepared(connection);
            return after(statement.getParameterMetaData(), statement::close);
        }));
        values();
        KINDS.put("released Savepoint", new Kind(Savepoint.class, connection -> {
            connection.setAutoCommit(false);
            Savepoint savepoint = connection.setSavepoint("one");
            return after(savepoint, () -> connection.releaseSavepoint(savepoint));
        }));
        KINDS.put("Savepoint of an ended transaction", new Kind(Savepoint.class, connection -> {
            connection.setAutoCommit(false);
            return after(connection.setSavepoint(), connection::commit);
        }));
    }

    private static void values() {
        KINDS.put("freed Blob", new Kind(Blob.class, connection -> {
            Blob value = connection.createBlob();
            return after(value, value::free);
        }));
        KINDS.put("freed Clob", new Kind(Clob.class, connection -> {
            Clob value = connection.createClob();
            return after(value, value::free);
        }));
        KINDS.put("freed Array", new Kind(Array.class, connection -> {
            Array value = connection.createArrayOf("int4", new Object[] {1, 2});
            return after(value, value::free);
        }));
        KINDS.put("freed SQLXML", new Kind(SQLXML.class, connection -> {
            SQLXML value = connection.createSQLXML();
            value.setString("<a/>");
            return after(value, value::free);
        }));
    }

    private static Statement statement(Connection connection) throws SQLException {
        return connection.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE);
    }

    private static Statement executed(Statement statement) throws SQLException {
        rows(statement);
        return statement;
    }

    private static PreparedStatement prepared(Connection connection) throws SQLException {
        PreparedStatement statement = connection.prepareStatement("SELECT id, name FROM things WHERE id = ?");
        statement.setInt(1, 1);
        statement.executeQuery().next();
        return statement;
    }

    private static ResultSet rows(Statement statement) throws SQLException {
        ResultSet rows = statement.executeQuery(QUERY);
        rows.next();
        return rows;
    }

    private interface Step {
        void run() throws SQLException;
    }

    private static <T> T after(T object, Step step) throws SQLException {
        step.run();
        return object;
    }

    private static <T extends AutoCloseable> T closed(T object) throws SQLException {
        try {
            object.close();
            return object;
        } catch (SQLException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private final Comparisons comparisons;
    private final TwoDatabases databases;

    ClosedSuite(Comparisons comparisons, TwoDatabases databases) {
        this.comparisons = comparisons;
        this.databases = databases;
    }

    void run() throws Exception {
        for (Map.Entry<String, Kind> kind : KINDS.entrySet()) {
            try (Objects engines =
                            new Objects(databases.engines(), kind.getValue().maker());
                    Objects ours = new Objects(databases.ours(), kind.getValue().maker())) {
                for (Method method : methods(kind.getValue().type())) {
                    comparisons.compare(
                            kind.getKey() + "." + name(method), outcome(engines, method), outcome(ours, method));
                }
            }
        }
    }

    private static List<Method> methods(Class<?> type) {
        return Arrays.stream(type.getMethods())
                .filter(method -> !Modifier.isStatic(method.getModifiers()))
                .sorted(Comparator.comparing(ClosedSuite::name))
                .toList();
    }

    /** Creates objects of one kind on one side, on the same connection as long as they leave it open. */
    private static final class Objects implements AutoCloseable {
        private final Side side;
        private final Maker maker;
        private Connection connection;
        private DatabaseMetaData stateless;

        Objects(Side side, Maker maker) {
            this.side = side;
            this.maker = maker;
        }

        Object next() throws SQLException {
            if (stateless != null) {
                return stateless;
            }
            if (connection == null || connection.isClosed()) {
                connection = side.connect();
            } else if (!connection.getAutoCommit()) {
                connection.rollback();
                connection.setAutoCommit(true);
            }
            Object made = maker.make(connection);
            if (made instanceof DatabaseMetaData data) {
                stateless = data;
            }
            return made;
        }

        @Override
        public void close() throws SQLException {
            connection.close();
        }
    }

    private static String name(Method method) {
        return Arrays.stream(method.getParameterTypes())
                .map(Class::getSimpleName)
                .collect(Collectors.joining(", ", method.getName() + "(", ")"));
    }

    private static String outcome(Objects objects, Method method) throws Exception {
        Object object;
        try {
            object = objects.next();
        } catch (SQLException e) {
            return "no such object";
        }
        try {
            return returned(method.invoke(object, arguments(method)));
        } catch (InvocationTargetException e) {
            return e.getCause() instanceof SQLException
                    ? "SQLException"
                    : e.getCause().getClass().getSimpleName();
        }
    }

    private static String returned(Object value) {
        return value == null || value instanceof Boolean ? "returns " + value : "returns a value";
    }

    private static Object[] arguments(Method method) {
        return Arrays.stream(method.getParameterTypes())
                .map(type -> argument(method, type))
                .toArray();
    }

    private static final Map<Class<?>, Object> ARGUMENTS = new HashMap<>(Map.of(
            int.class,
            1,
            long.class,
            1L,
            short.class,
            (short) 1,
            byte.class,
            (byte) 1,
            boolean.class,
            true,
            float.class,
            1f,
            double.class,
            1d,
            byte[].class,
            new byte[] {1},
            SQLType.class,
            JDBCType.VARCHAR,
            Executor.class,
            (Executor) Runnable::run));

    static {
        ARGUMENTS.put(Properties.class, new Properties());
        ARGUMENTS.put(int[].class, new int[] {1});
        ARGUMENTS.put(String[].class, new String[] {"id"});
        ARGUMENTS.put(Object[].class, new Object[] {"id"});
    }

    private static Object argument(Method method, Class<?> type) {
        if (method.getName().equals("setFetchDirection")) {
            return ResultSet.FETCH_FORWARD;
        } else if (type == String.class) {
            return method.getName().startsWith("execute") || method.getName().startsWith("prepare") ? QUERY : "id";
        } else if (type == Class.class) {
            return method.getDeclaringClass() == java.sql.Wrapper.class ? Thread.class : String.class;
        }
        return ARGUMENTS.get(type);
    }
}
