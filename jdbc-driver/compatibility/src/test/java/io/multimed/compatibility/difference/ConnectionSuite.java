// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Compares calls on connections and statements, in the order in which pools and frameworks make them, and invalid
 * calls.
 */
final class ConnectionSuite {
    private final Map<String, Call<Connection>> calls = new LinkedHashMap<>();
    private final Comparisons comparisons;

    ConnectionSuite(Comparisons comparisons) {
        this.comparisons = comparisons;
        properties();
        transactions();
        statements();
        calls.putAll(comparisons.family().connectionCalls());
        calls.keySet().removeAll(comparisons.family().fatalCalls());
        afterwards();
    }

    private interface Action {
        void on(Connection connection) throws Exception;
    }

    private void put(String name, Action action) {
        calls.put(name, connection -> {
            action.on(connection);
            return "done";
        });
    }

    private void properties() {
        calls.put("getAutoCommit", Connection::getAutoCommit);
        calls.put("isReadOnly", Connection::isReadOnly);
        calls.put("getTransactionIsolation", Connection::getTransactionIsolation);
        calls.put("getCatalog", Connection::getCatalog);
        calls.put("getSchema", Connection::getSchema);
        calls.put("getHoldability", Connection::getHoldability);
        calls.put("getNetworkTimeout", Connection::getNetworkTimeout);
        calls.put("getWarnings", Connection::getWarnings);
        calls.put("getTypeMap", Connection::getTypeMap);
        calls.put("getClientInfo", connection -> connection.getClientInfo().keySet());
        calls.put("isClosed", Connection::isClosed);
        calls.put("isValid", connection -> connection.isValid(5));
        calls.put("isValid -1", connection -> connection.isValid(-1));
        calls.put("isValid 0", connection -> connection.isValid(0));
        calls.put("nativeSQL", connection -> connection.nativeSQL("SELECT {fn now()}"));
        calls.put("isWrapperFor", connection -> connection.isWrapperFor(Connection.class));
        calls.put("unwrap", connection -> connection.unwrap(Connection.class) != null);
        calls.put("isWrapperFor Thread", connection -> connection.isWrapperFor(Thread.class));
        put("setSchema", connection -> connection.setSchema(comparisons.family().home()));
        calls.put("getSchema again", Connection::getSchema);
        put("setCatalog", connection -> connection.setCatalog("nothing"));
        calls.put("getCatalog again", Connection::getCatalog);
        put("setClientInfo", connection -> connection.setClientInfo("ApplicationName", "compared"));
        calls.put("getClientInfo ApplicationName", connection -> connection.getClientInfo("ApplicationName"));
        put("setClientInfo unknown", connection -> connection.setClientInfo("Nothing", "x"));
        put("setHoldability", connection -> connection.setHoldability(ResultSet.HOLD_CURSORS_OVER_COMMIT));
        calls.put("getHoldability again", Connection::getHoldability);
        put("setHoldability back", connection -> connection.setHoldability(ResultSet.CLOSE_CURSORS_AT_COMMIT));
        put("setHoldability wrong", connection -> connection.setHoldability(42));
        calls.put("createArrayOf", connection -> connection.createArrayOf("int4", new Object[] {1, 2}));
        calls.put("createArrayOf text", connection -> connection.createArrayOf("text", new Object[] {"a", null}));
        calls.put("createArrayOf unknown", connection -> connection.createArrayOf("nothing", new Object[] {1}));
        calls.put("createStruct", connection -> connection.createStruct("pair", new Object[] {1, "two"}));
        calls.put("createNClob", Connection::createNClob);
    }

    private void transactions() {
        put("commit in auto-commit", Connection::commit);
        put("rollback in auto-commit", Connection::rollback);
        put("savepoint in auto-commit", Connection::setSavepoint);
        put("setTransactionIsolation 3", connection -> connection.setTransactionIsolation(3));
        put("setTransactionIsolation 0", connection -> connection.setTransactionIsolation(0));
        for (int level : new int[] {1, 4, 8, 2}) {
            put("setTransactionIsolation " + level, connection -> connection.setTransactionIsolation(level));
            calls.put("getTransactionIsolation " + level, Connection::getTransactionIsolation);
            calls.put(
                    "the engine's isolation " + level,
                    connection -> query(connection, comparisons.family().isolation()));
        }
        put("setAutoCommit false", connection -> connection.setAutoCommit(false));
        put("commit nothing", Connection::commit);
        put("rollback nothing", Connection::rollback);
        calls.put("SELECT 1", connection -> query(connection, "SELECT 1"));
        put("setReadOnly in a transaction", connection -> connection.setReadOnly(true));
        put("setTransactionIsolation in a transaction", connection -> connection.setTransactionIsolation(8));
        put("setAutoCommit true in a transaction", connection -> connection.setAutoCommit(true));
        put("setReadOnly", connection -> connection.setReadOnly(true));
        calls.put("INSERT read-only", connection -> update(connection, "INSERT INTO numbered (name) VALUES ('x')"));
        calls.put("CREATE read-only", connection -> update(connection, "CREATE TABLE refused (id int)"));
        put("setAutoCommit false read-only", connection -> connection.setAutoCommit(false));
        calls.put("SELECT read-only", connection -> query(connection, "SELECT count(*) FROM things"));
        calls.put(
                "INSERT in a read-only transaction",
                connection -> update(connection, "INSERT INTO numbered (name) VALUES ('x')"));
        calls.put("SELECT after it", connection -> query(connection, "SELECT count(*) FROM things"));
        put("commit after it", Connection::commit);
        put("setReadOnly false", connection -> connection.setReadOnly(false));
        savepoints();
    }

    private void savepoints() {
        calls.put("savepoints", connection -> {
            update(connection, "INSERT INTO numbered (name) VALUES ('kept')");
            Savepoint one = connection.setSavepoint("one");
            update(connection, "INSERT INTO numbered (name) VALUES ('undone')");
            connection.rollback(one);
            connection.releaseSavepoint(one);
            return query(connection, "SELECT count(*) FROM numbered") + one.getSavepointName();
        });
        calls.put(
                "savepoint id of a name",
                connection -> connection.setSavepoint("two").getSavepointId());
        calls.put(
                "savepoint name of an id",
                connection -> connection.setSavepoint().getSavepointName());
        calls.put("an error, then a savepoint", connection -> {
            Savepoint before = connection.setSavepoint();
            String failure = Rendering.outcome(connection, same -> update(same, "SELEC"));
            connection.rollback(before);
            return failure + query(connection, "SELECT 1");
        });
        calls.put("commit of a failed transaction", connection -> {
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

    private void statements() {
        Map<String, Call<Statement>> ofStatements = new LinkedHashMap<>();
        ofStatements.put("getUpdateCount", Statement::getUpdateCount);
        ofStatements.put("getResultSet", Statement::getResultSet);
        ofStatements.put("getMoreResults", Statement::getMoreResults);
        ofStatements.put("getMaxRows", Statement::getMaxRows);
        ofStatements.put("getMaxFieldSize", Statement::getMaxFieldSize);
        ofStatements.put("getQueryTimeout", Statement::getQueryTimeout);
        ofStatements.put("getFetchSize", Statement::getFetchSize);
        ofStatements.put("getFetchDirection", Statement::getFetchDirection);
        ofStatements.put("getResultSetType", Statement::getResultSetType);
        ofStatements.put("getResultSetConcurrency", Statement::getResultSetConcurrency);
        ofStatements.put("getResultSetHoldability", Statement::getResultSetHoldability);
        ofStatements.put("isPoolable", Statement::isPoolable);
        ofStatements.put("isCloseOnCompletion", Statement::isCloseOnCompletion);
        ofStatements.put("getGeneratedKeys", Statement::getGeneratedKeys);
        ofStatements.put("executeBatch", Statement::executeBatch);
        ofStatements.put(
                "executeQuery of an update", s -> s.executeQuery("UPDATE things SET price = price WHERE false"));
        ofStatements.put("executeUpdate of a query", s -> s.executeUpdate("SELECT 1"));
        ofStatements.put("executeQuery of nothing", s -> s.executeQuery(""));
        ofStatements.put("execute of nothing", s -> s.execute(""));
        ofStatements.put("execute of a comment", s -> s.execute("-- nothing"));
        ofStatements.put("enquoteIdentifier", s -> s.enquoteIdentifier("Some Name", false));
        ofStatements.put("enquoteLiteral", s -> s.enquoteLiteral("it's"));
        ofStatements.put("isSimpleIdentifier", s -> s.isSimpleIdentifier("name"));
        ofStatements.put("setMaxRows -1", s -> set(() -> s.setMaxRows(-1)));
        ofStatements.put("setQueryTimeout -1", s -> set(() -> s.setQueryTimeout(-1)));
        ofStatements.put("setFetchSize -1", s -> set(() -> s.setFetchSize(-1)));
        ofStatements.put("setFetchDirection", s -> set(() -> s.setFetchDirection(ResultSet.FETCH_REVERSE)));
        ofStatements.put("setFetchDirection wrong", s -> set(() -> s.setFetchDirection(42)));
        ofStatements.put("setMaxFieldSize", s -> set(() -> s.setMaxFieldSize(10)));
        ofStatements.put("column 0", s -> first(s).getInt(0));
        ofStatements.put("column 2", s -> first(s).getInt(2));
        ofStatements.put("no such label", s -> first(s).getInt("nothing"));
        ofStatements.put("before the first row", s -> s.executeQuery("SELECT 1").getInt(1));
        ofStatements.put("after the last row", s -> {
            ResultSet row = first(s);
            row.next();
            return row.getInt(1);
        });
        ofStatements.put("after close", s -> {
            ResultSet row = first(s);
            row.close();
            return row.getInt(1);
        });
        ofStatements.put("cursor name", s -> first(s).getCursorName());
        ofStatements.put("previous in a forward-only result", s -> first(s).previous());
        ofStatements.put("update of a read-only result", s -> set(() -> first(s).updateInt(1, 1)));
        ofStatements.put("closed by the next execution", s -> {
            ResultSet row = first(s);
            s.executeQuery("SELECT 2");
            return row.isClosed();
        });
        ofStatements.put("on a closed statement", s -> {
            s.close();
            return s.executeQuery("SELECT 1");
        });
        ofStatements.forEach((name, call) -> calls.put("statement " + name, connection -> {
            try (Statement statement = connection.createStatement()) {
                return Rendering.outcome(statement, call);
            }
        }));
        prepared();
    }

    private void prepared() {
        calls.put("prepared metadata before execution", connection -> {
            try (var statement = connection.prepareStatement("SELECT id, name FROM things WHERE id = ?")) {
                var data = statement.getMetaData();
                return data.getColumnCount() + data.getColumnName(2) + data.getColumnTypeName(1);
            }
        });
        calls.put("prepared metadata after its result was closed", connection -> {
            try (var statement = connection.prepareStatement("SELECT id, name FROM things")) {
                statement.executeQuery().close();
                return statement.getMetaData().getColumnCount();
            }
        });
        calls.put("keys of a closed statement", connection -> {
            ResultSet keys;
            try (var statement = connection.prepareStatement(
                    "INSERT INTO numbered (name) VALUES ('closed')", Statement.RETURN_GENERATED_KEYS)) {
                statement.executeUpdate();
                keys = statement.getGeneratedKeys();
            }
            return keys.isClosed();
        });
        calls.put("keys of a statement that runs again", connection -> {
            try (var statement =
                    connection.prepareStatement("UPDATE numbered SET name = name", Statement.RETURN_GENERATED_KEYS)) {
                statement.executeUpdate();
                ResultSet keys = statement.getGeneratedKeys();
                statement.executeUpdate();
                return keys.isClosed();
            }
        });
        calls.put("prepared metadata of an update", connection -> {
            try (var statement = connection.prepareStatement("UPDATE things SET name = ?")) {
                return statement.getMetaData();
            }
        });
        calls.put("prepared execute with a text", connection -> {
            try (var statement = connection.prepareStatement("SELECT 1")) {
                return statement.execute("SELECT 2");
            }
        });
        calls.put("prepared text", connection -> {
            try (var statement = connection.prepareStatement("SELECT ?, ?")) {
                statement.setInt(1, 5);
                return statement.toString().contains("SELECT");
            }
        });
        calls.put("prepared wrong statement", connection -> {
            connection.prepareStatement("SELEC ?").close();
            return "done";
        });
        calls.put("callable function", connection -> {
            try (var call = connection.prepareCall("{? = call doubled(?)}")) {
                call.registerOutParameter(1, java.sql.Types.INTEGER);
                call.setInt(2, 21);
                call.execute();
                return call.getInt(1);
            }
        });
    }

    private void afterwards() {
        put("close", Connection::close);
        put("close again", Connection::close);
        calls.put("isClosed after close", Connection::isClosed);
        calls.put("isValid after close", connection -> connection.isValid(1));
        calls.put("createStatement after close", Connection::createStatement);
        calls.put("prepareStatement after close", connection -> connection.prepareStatement("SELECT 1"));
        calls.put("getMetaData after close", Connection::getMetaData);
        calls.put("getAutoCommit after close", Connection::getAutoCommit);
        calls.put("getCatalog after close", Connection::getCatalog);
        calls.put("getWarnings after close", Connection::getWarnings);
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

    /** Makes the calls that a second connection to each database observes. */
    void run(Family.Observed engines, Family.Observed ours) {
        comparisons.family().observedCalls().forEach((name, call) -> comparisons.compare(name, engines, ours, call));
    }

    /** Closes both connections. */
    void run(Connection engines, Connection ours) {
        calls.forEach((name, call) -> comparisons.compare(name, engines, ours, call));
    }
}
