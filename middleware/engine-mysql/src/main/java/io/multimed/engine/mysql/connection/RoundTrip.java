// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.connection;

import com.mysql.cj.NativeSession;
import com.mysql.cj.conf.PropertyKey;
import com.mysql.cj.conf.RuntimeProperty;
import com.mysql.cj.jdbc.JdbcConnection;
import io.multimed.engine.mysql.connection.Queries.RowReader;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/**
 * Collects statements and sends them to the engine in one text. The engine runs them in sequence, up to the first that
 * fails. Used by one thread; the connection belongs to the caller.
 */
public final class RoundTrip {
    private final List<String> statements = new ArrayList<>();
    private final Queue<Answer<?>> answers = new ArrayDeque<>();

    /** Collects the rows of one query. */
    private record Answer<T>(RowReader<T> reader, List<T> rows) {
        void read(ResultSet found) throws SQLException {
            while (found.next()) {
                rows.add(reader.read(found));
            }
        }
    }

    /** Uses a connection that takes several statements in one text. */
    @FunctionalInterface
    public interface Work<T> {
        public T run() throws SQLException;
    }

    /** Adds a statement that returns no rows. */
    public RoundTrip execute(String statement) {
        statements.add(statement);
        return this;
    }

    /** Adds a query and returns the list that contains its rows after {@link #send}. */
    public <T> List<T> ask(String query, RowReader<T> reader) {
        statements.add(query);
        List<T> rows = new ArrayList<>();
        answers.add(new Answer<>(reader, rows));
        return rows;
    }

    /** Adds a query and returns the list that contains its first column after {@link #send}. */
    public List<String> texts(String query) {
        return ask(query, row -> row.getString(1));
    }

    /**
     * Sends the statements, if there are any, and reads all their results. Statements that are added later belong to
     * the next call.
     */
    public void send(Connection connection) throws SQLException {
        if (!statements.isEmpty()) {
            together(connection, () -> {
                sendNow(connection);
                return true;
            });
            statements.clear();
        }
    }

    private void sendNow(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.setEscapeProcessing(false);
            boolean rows = statement.execute(String.join(";\n", statements));
            while (rows || statement.getUpdateCount() >= 0) {
                if (rows) {
                    answers.remove().read(statement.getResultSet());
                }
                rows = statement.getMoreResults();
            }
        }
    }

    /**
     * Runs work during which the connection takes several statements in one text. Clients' statements are sent one by
     * one (architecture 4.7), so that the connection refuses several statements again afterwards. If that cannot be
     * restored, the connection is closed.
     *
     * @throws SQLException that of the work, or of a broken connection
     */
    public static <T> T together(Connection connection, Work<T> work) throws SQLException {
        if (several(connection).getValue()) {
            return work.run();
        }
        permitSeveral(connection);
        T result;
        try {
            result = work.run();
        } catch (SQLException | RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
            forbid(connection, e);
            throw e;
        }
        refuseSeveral(connection);
        return result;
    }

    /** Makes the connection take several statements in one text, until {@link #refuseSeveral}. */
    public static void permitSeveral(Connection connection) throws SQLException {
        if (!several(connection).getValue()) {
            permit(session(connection)::enableMultiQueries);
            several(connection).setValue(true);
        }
    }

    /** Makes the connection refuse several statements in one text. If this fails, the connection must be closed. */
    public static void refuseSeveral(Connection connection) throws SQLException {
        if (several(connection).getValue()) {
            several(connection).setValue(false);
            permit(session(connection)::disableMultiQueries);
        }
    }

    /** Returns whether the connection takes several statements in one text. */
    public static boolean permitsSeveral(Connection connection) throws SQLException {
        return several(connection).getValue();
    }

    private static RuntimeProperty<Boolean> several(Connection connection) throws SQLException {
        return connection
                .unwrap(JdbcConnection.class)
                .getPropertySet()
                .getBooleanProperty(PropertyKey.allowMultiQueries);
    }

    private static NativeSession session(Connection connection) throws SQLException {
        return (NativeSession) connection.unwrap(JdbcConnection.class).getSession();
    }

    private static void forbid(Connection connection, Throwable failure) throws SQLException {
        NativeSession session = session(connection);
        try {
            refuseSeveral(connection);
        } catch (SQLException e) {
            session.forceClose(); // no client may use it
            failure.addSuppressed(e);
        }
    }

    /** Runs a change of the driver's protocol options, and translates the driver's internal exception. */
    private static void permit(Runnable option) throws SQLException {
        DriverProtocol.translated(() -> {
            option.run();
            return true;
        });
    }
}
