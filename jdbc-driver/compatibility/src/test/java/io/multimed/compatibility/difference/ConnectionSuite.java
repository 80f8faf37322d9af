package io.multimed.compatibility.difference;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;

/** Calls on connections and statements themselves, in an order that real pools and frameworks use, and wrong ones. */
final class ConnectionSuite {
    private static final Map<String, Call<Connection>> CALLS = new LinkedHashMap<>();

    static {
        properties();
        transactions();
        statements();
        afterwards();
    }

    private interface Action {
        void on(Connection connection) throws Exception;
    }

    private static void put(String name, Action action) {
        CALLS.put(name, connection -> {
            action.on(connection);
            return "done";
        });
    }

    private static void properties() {
        CALLS.put("getAutoCommit", Connection::getAutoCommit);
        CALLS.put("isReadOnly", Connection::isReadOnly);
        CALLS.put("getTransactionIsolation", Connection::getTransactionIsolation);
        CALLS.put("getCatalog", Connection::getCatalog);
        CALLS.put("getSchema", Connection::getSchema);
        CALLS.put("getHoldability", Connection::getHoldability);
        CALLS.put("getNetworkTimeout", Connection::getNetworkTimeout);
        CALLS.put("getWarnings", Connection::getWarnings);
        CALLS.put("getTypeMap", Connection::getTypeMap);
        CALLS.put("getClientInfo", connection -> connection.getClientInfo().keySet());
        CALLS.put("isClosed", Connection::isClosed);
        CALLS.put("isValid", connection -> connection.isValid(5));
        CALLS.put("isValid -1", connection -> connection.isValid(-1));
        CALLS.put("isValid 0", connection -> connection.isValid(0));
        CALLS.put("nativeSQL", connection -> connection.nativeSQL("SELECT {fn now()}"));
        CALLS.put("isWrapperFor", connection -> connection.isWrapperFor(Connection.class));
        CALLS.put("unwrap", connection -> connection.unwrap(Connection.class) != null);
        CALLS.put("isWrapperFor Thread", connection -> connection.isWrapperFor(Thread.class));
        put("setSchema", connection -> connection.setSchema("public"));
        CALLS.put("getSchema again", Connection::getSchema);
        put("setCatalog", connection -> connection.setCatalog("nothing"));
        CALLS.put("getCatalog again", Connection::getCatalog);
        put("setClientInfo", connection -> connection.setClientInfo("ApplicationName", "compared"));
        CALLS.put("getClientInfo ApplicationName", connection -> connection.getClientInfo("ApplicationName"));
        put("setClientInfo unknown", connection -> connection.setClientInfo("Nothing", "x"));
        put("setHoldability", connection -> connection.setHoldability(ResultSet.HOLD_CURSORS_OVER_COMMIT));
        CALLS.put("getHoldability again", Connection::getHoldability);
        put("setHoldability back", connection -> connection.setHoldability(ResultSet.CLOSE_CURSORS_AT_COMMIT));
        put("setHoldability wrong", connection -> connection.setHoldability(42));
        CALLS.put("createArrayOf", connection -> connection.createArrayOf("int4", new Object[] {1, 2}));
        CALLS.put("createArrayOf text", connection -> connection.createArrayOf("text", new Object[] {"a", null}));
        CALLS.put("createArrayOf unknown", connection -> connection.createArrayOf("nothing", new Object[] {1}));
        CALLS.put("createStruct", connection -> connection.createStruct("pair", new Object[] {1, "two"}));
        CALLS.put("createNClob", Connection::createNClob);
    }

    private static void transactions() {
        put("commit in auto-commit", Connection::commit);
        put("rollback in auto-commit", Connection::rollback);
        put("savepoint in auto-commit", Connection::setSavepoint);
        put("setTransactionIsolation 3", connection -> connection.setTransactionIsolation(3));
        put("setTransactionIsolation 0", connection -> connection.setTransactionIsolation(0));
        for (int level : new int[] {1, 4, 8, 2}) {
            put("setTransactionIsolation " + level, connection -> connection.setTransactionIsolation(level));
            CALLS.put("getTransactionIsolation " + level, Connection::getTransactionIsolation);
            CALLS.put(
                    "SHOW transaction_isolation " + level,
                    connection -> query(connection, "SHOW transaction_isolation"));
        }
        put("setAutoCommit false", connection -> connection.setAutoCommit(false));
        put("commit nothing", Connection::commit);
        put("rollback nothing", Connection::rollback);
        CALLS.put("SELECT 1", connection -> query(connection, "SELECT 1"));
        put("setReadOnly in a transaction", connection -> connection.setReadOnly(true));
        put("setTransactionIsolation in a transaction", connection -> connection.setTransactionIsolation(8));
        put("setAutoCommit true in a transaction", connection -> connection.setAutoCommit(true));
        put("setReadOnly", connection -> connection.setReadOnly(true));
        CALLS.put("INSERT read-only", connection -> update(connection, "INSERT INTO numbered (name) VALUES ('x')"));
        CALLS.put("CREATE read-only", connection -> update(connection, "CREATE TABLE refused (id int)"));
        put("setAutoCommit false read-only", connection -> connection.setAutoCommit(false));
        CALLS.put("SELECT read-only", connection -> query(connection, "SELECT count(*) FROM things"));
        CALLS.put(
                "INSERT in a read-only transaction",
                connection -> update(connection, "INSERT INTO numbered (name) VALUES ('x')"));
        CALLS.put("SELECT after it", connection -> query(connection, "SELECT count(*) FROM things"));
        put("commit after it", Connection::commit);
        put("setReadOnly false", connection -> connection.setReadOnly(false));
        savepoints();
    }

    private static void savepoints() {
        CALLS.put("savepoints", connection -> {
            update(connection, "INSERT INTO numbered (name) VALUES ('kept')");
            Savepoint one = connection.setSavepoint("one");
            update(connection, "INSERT INTO numbered (name) VALUES ('undone')");
            connection.rollback(one);
            connection.releaseSavepoint(one);
            return query(connection, "SELECT count(*) FROM numbered") + one.getSavepointName();
        });
        CALLS.put(
                "savepoint id of a name",
                connection -> connection.setSavepoint("two").getSavepointId());
        CALLS.put(
                "savepoint name of an id",
                connection -> connection.setSavepoint().getSavepointName());
        CALLS.put("an error, then a savepoint", connection -> {
            Savepoint before = connection.setSavepoint();
            String failure = Rendering.outcome(connection, same -> update(same, "SELEC"));
            connection.rollback(before);
            return failure + query(connection, "SELECT 1");
        });
        CALLS.put("commit of a failed transaction", connection -> {
            String failure = Rendering.outcome(connection, same -> update(same, "SELEC"));
            String commit = Rendering.outcome(connection, same -> {
                same.commit();
                return "done";
            });
            connection.rollback();
            return failure + commit;
        });
        put("rollback at the end", Connection::rollback);
        put("setAutoCommit true", connection -> connection.setAutoCommit(true));
    }

    private static void statements() {
        Map<String, Call<Statement>> calls = new LinkedHashMap<>();
        calls.put("getUpdateCount", Statement::getUpdateCount);
        calls.put("getResultSet", Statement::getResultSet);
        calls.put("getMoreResults", Statement::getMoreResults);
        calls.put("getMaxRows", Statement::getMaxRows);
        calls.put("getMaxFieldSize", Statement::getMaxFieldSize);
        calls.put("getQueryTimeout", Statement::getQueryTimeout);
        calls.put("getFetchSize", Statement::getFetchSize);
        calls.put("getFetchDirection", Statement::getFetchDirection);
        calls.put("getResultSetType", Statement::getResultSetType);
        calls.put("getResultSetConcurrency", Statement::getResultSetConcurrency);
        calls.put("getResultSetHoldability", Statement::getResultSetHoldability);
        calls.put("isPoolable", Statement::isPoolable);
        calls.put("isCloseOnCompletion", Statement::isCloseOnCompletion);
        calls.put("getGeneratedKeys", Statement::getGeneratedKeys);
        calls.put("executeBatch", Statement::executeBatch);
        calls.put("executeQuery of an update", s -> s.executeQuery("UPDATE things SET price = price WHERE false"));
        calls.put("executeUpdate of a query", s -> s.executeUpdate("SELECT 1"));
        calls.put("executeQuery of nothing", s -> s.executeQuery(""));
        calls.put("execute of nothing", s -> s.execute(""));
        calls.put("execute of a comment", s -> s.execute("-- nothing"));
        calls.put("enquoteIdentifier", s -> s.enquoteIdentifier("Some Name", false));
        calls.put("enquoteLiteral", s -> s.enquoteLiteral("it's"));
        calls.put("isSimpleIdentifier", s -> s.isSimpleIdentifier("name"));
        calls.put("setMaxRows -1", s -> set(() -> s.setMaxRows(-1)));
        calls.put("setQueryTimeout -1", s -> set(() -> s.setQueryTimeout(-1)));
        calls.put("setFetchSize -1", s -> set(() -> s.setFetchSize(-1)));
        calls.put("setFetchDirection", s -> set(() -> s.setFetchDirection(ResultSet.FETCH_REVERSE)));
        calls.put("setFetchDirection wrong", s -> set(() -> s.setFetchDirection(42)));
        calls.put("setMaxFieldSize", s -> set(() -> s.setMaxFieldSize(10)));
        calls.put("column 0", s -> first(s).getInt(0));
        calls.put("column 2", s -> first(s).getInt(2));
        calls.put("no such label", s -> first(s).getInt("nothing"));
        calls.put("before the first row", s -> s.executeQuery("SELECT 1").getInt(1));
        calls.put("after the last row", s -> {
            ResultSet row = first(s);
            row.next();
            return row.getInt(1);
        });
        calls.put("after close", s -> {
            ResultSet row = first(s);
            row.close();
            return row.getInt(1);
        });
        calls.put("cursor name", s -> first(s).getCursorName());
        calls.put("previous in a forward-only result", s -> first(s).previous());
        calls.put("update of a read-only result", s -> set(() -> first(s).updateInt(1, 1)));
        calls.put("closed by the next execution", s -> {
            ResultSet row = first(s);
            s.executeQuery("SELECT 2");
            return row.isClosed();
        });
        calls.put("on a closed statement", s -> {
            s.close();
            return s.executeQuery("SELECT 1");
        });
        calls.forEach((name, call) -> CALLS.put("statement " + name, connection -> {
            try (Statement statement = connection.createStatement()) {
                return Rendering.outcome(statement, call);
            }
        }));
        prepared();
    }

    private static void prepared() {
        CALLS.put("prepared metadata before execution", connection -> {
            try (var statement = connection.prepareStatement("SELECT id, name FROM things WHERE id = ?")) {
                var data = statement.getMetaData();
                return data.getColumnCount() + data.getColumnName(2) + data.getColumnTypeName(1);
            }
        });
        CALLS.put("prepared metadata of an update", connection -> {
            try (var statement = connection.prepareStatement("UPDATE things SET name = ?")) {
                return statement.getMetaData();
            }
        });
        CALLS.put("prepared execute with a text", connection -> {
            try (var statement = connection.prepareStatement("SELECT 1")) {
                return statement.execute("SELECT 2");
            }
        });
        CALLS.put("prepared text", connection -> {
            try (var statement = connection.prepareStatement("SELECT ?, ?")) {
                statement.setInt(1, 5);
                return statement.toString().contains("SELECT");
            }
        });
        CALLS.put("prepared wrong statement", connection -> {
            connection.prepareStatement("SELEC ?").close();
            return "done";
        });
        CALLS.put("prepared operator", connection -> {
            try (var statement = connection.prepareStatement("SELECT '{\"a\": 1}'::jsonb ?? ?")) {
                statement.setString(1, "a");
                return Rendering.value(statement.executeQuery());
            }
        });
        CALLS.put("callable function", connection -> {
            try (var call = connection.prepareCall("{? = call doubled(?)}")) {
                call.registerOutParameter(1, java.sql.Types.INTEGER);
                call.setInt(2, 21);
                call.execute();
                return call.getInt(1);
            }
        });
    }

    private static void afterwards() {
        put("close", Connection::close);
        put("close again", Connection::close);
        CALLS.put("isClosed after close", Connection::isClosed);
        CALLS.put("isValid after close", connection -> connection.isValid(1));
        CALLS.put("createStatement after close", Connection::createStatement);
        CALLS.put("prepareStatement after close", connection -> connection.prepareStatement("SELECT 1"));
        CALLS.put("getMetaData after close", Connection::getMetaData);
        CALLS.put("getAutoCommit after close", Connection::getAutoCommit);
        CALLS.put("getCatalog after close", Connection::getCatalog);
        CALLS.put("getWarnings after close", Connection::getWarnings);
        put("commit after close", Connection::commit);
        put("setReadOnly after close", connection -> connection.setReadOnly(true));
    }

    private static String query(Connection connection, String sql) throws Exception {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return Rendering.rows(rows);
        }
    }

    private static int update(Connection connection, String sql) throws Exception {
        try (Statement statement = connection.createStatement()) {
            return statement.executeUpdate(sql);
        }
    }

    private static ResultSet first(Statement statement) throws Exception {
        ResultSet row = statement.executeQuery("SELECT 1 AS v");
        row.next();
        return row;
    }

    private interface Step {
        void run() throws Exception;
    }

    private static String set(Step step) throws Exception {
        step.run();
        return "done";
    }

    private final Comparisons comparisons;

    ConnectionSuite(Comparisons comparisons) {
        this.comparisons = comparisons;
    }

    /** Closes both connections. */
    void run(Connection engines, Connection ours) {
        CALLS.forEach((name, call) -> comparisons.compare(name, engines, ours, call));
    }
}
