package io.multimed.tpcw.interaction;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One connection with its prepared statements, each prepared once, and the kinds of transactions that interactions run in. Used by one thread. */
public final class Statements implements AutoCloseable {
    private final Connection connection;
    private final Map<String, PreparedStatement> prepared = new HashMap<>();

    public Statements(Connection connection) {
        this.connection = connection;
    }

    /** Steps of an interaction. */
    @FunctionalInterface
    public interface Steps {
        void run() throws SQLException;
    }

    /** Steps whose result may be used once they are committed, and not before. */
    @FunctionalInterface
    public interface Work<T> {
        T run() throws SQLException;
    }

    /** Reads one row of a result. */
    @FunctionalInterface
    public interface RowReader<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** A single query that stands alone. */
    void alone(Steps steps) throws SQLException {
        ensure(true, false);
        steps.run();
    }

    /** Several queries that must agree: one read-only transaction. */
    void read(Steps steps) throws SQLException {
        ensure(false, true);
        inTransaction(steps);
    }

    /** Queries and updates in one transaction. */
    void write(Steps steps) throws SQLException {
        ensure(false, false);
        inTransaction(steps);
    }

    /** Queries and updates in one transaction, and what they have made. */
    <T> T writeAndGet(Work<T> work) throws SQLException {
        ensure(false, false);
        return inTransaction(work);
    }

    private void inTransaction(Steps steps) throws SQLException {
        inTransaction(() -> {
            steps.run();
            return true;
        });
    }

    @CanIgnoreReturnValue
    private <T> T inTransaction(Work<T> work) throws SQLException {
        try {
            T result = work.run();
            connection.commit();
            return result;
        } catch (SQLException | RuntimeException e) {
            rollBack(e);
            throw e;
        }
    }

    private void rollBack(Exception reason) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            reason.addSuppressed(e);
        }
    }

    private void ensure(boolean autoCommit, boolean readOnly) throws SQLException {
        if (connection.getAutoCommit() != autoCommit) {
            connection.setAutoCommit(autoCommit);
        }
        if (connection.isReadOnly() != readOnly) {
            connection.setReadOnly(readOnly);
        }
    }

    /** The first row, or null if there is none. */
    <T> @Nullable T first(String sql, RowReader<T> reader, Object... parameters) throws SQLException {
        try (ResultSet rows = bind(sql, parameters).executeQuery()) {
            return rows.next() ? reader.read(rows) : null;
        }
    }

    /** Reads all rows, as a page would show them. */
    void each(String sql, RowReader<?> reader, Object... parameters) throws SQLException {
        try (ResultSet rows = bind(sql, parameters).executeQuery()) {
            while (rows.next()) {
                reader.read(rows);
            }
        }
    }

    int update(String sql, Object... parameters) throws SQLException {
        return bind(sql, parameters).executeUpdate();
    }

    /** Inserts a row and returns the number that the engine gave it. */
    int insert(String sql, Object... parameters) throws SQLException {
        PreparedStatement statement = prepared.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS);
            prepared.put(sql, statement);
        }
        set(statement, parameters);
        statement.executeUpdate();
        try (ResultSet keys = statement.getGeneratedKeys()) {
            keys.next();
            return keys.getInt(1);
        }
    }

    private PreparedStatement bind(String sql, Object... parameters) throws SQLException {
        PreparedStatement statement = prepared.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            prepared.put(sql, statement);
        }
        set(statement, parameters);
        return statement;
    }

    private static void set(PreparedStatement statement, Object... parameters) throws SQLException {
        for (int i = 0; i < parameters.length; i++) {
            statement.setObject(i + 1, parameters[i]);
        }
    }

    static Timestamp now() {
        return new Timestamp(System.currentTimeMillis());
    }

    @Override
    public void close() throws SQLException {
        prepared.clear();
        connection.close();
    }
}
