// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
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

/**
 * The connection of a browser, its prepared statements, and the kinds of transactions of interactions. Each SQL text is
 * prepared once and kept until {@link #close}; the number of texts is fixed by the interactions. Used by one thread.
 */
public final class Statements implements AutoCloseable {
    private final Connection connection;
    private final Map<String, PreparedStatement> prepared = new HashMap<>();

    /** Whether reads are declared as such. */
    private final boolean declared;

    /** The text of Best Sellers. */
    private final String bestSellers;

    /** @param connection belongs to the caller */
    public Statements(Connection connection, ReadOptions reads) {
        this.connection = connection;
        this.declared = reads.declared();
        this.bestSellers = reads.bestSellersLag().isEmpty()
                ? BestSellers.BEST
                : "/*+ multimed: freshness=%s */ %s".formatted(reads.bestSellersLag(), BestSellers.BEST);
    }

    String bestSellers() {
        return bestSellers;
    }

    /** Steps of an interaction. */
    @FunctionalInterface
    public interface Steps {
        void run() throws SQLException;
    }

    /** Steps with a result, which is valid only after the commit. */
    @FunctionalInterface
    public interface Work<T> {
        T run() throws SQLException;
    }

    /** Reads one row of a result. */
    @FunctionalInterface
    public interface RowReader<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** Runs a single query in auto-commit mode, which needs no commit and hence one round trip less. */
    void alone(Steps steps) throws SQLException {
        if (!declared) {
            write(steps);
            return;
        }
        ensure(true, false);
        steps.run();
    }

    /** Runs several queries that need a common snapshot in one read-only transaction. */
    void read(Steps steps) throws SQLException {
        ensure(false, declared);
        inTransaction(steps);
    }

    /** Runs queries and updates in one transaction. */
    void write(Steps steps) throws SQLException {
        ensure(false, false);
        inTransaction(steps);
    }

    /** Runs queries and updates in one transaction, and returns their result after the commit. */
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

    /**
     * Commits after the work, or rolls back and throws the exception of the work. An exception of the rollback is added
     * as suppressed.
     */
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

    /** Changes the modes of the connection only if necessary, because each change may cost a round trip. */
    private void ensure(boolean autoCommit, boolean readOnly) throws SQLException {
        if (connection.getAutoCommit() != autoCommit) {
            connection.setAutoCommit(autoCommit);
        }
        if (connection.isReadOnly() != readOnly) {
            connection.setReadOnly(readOnly);
        }
    }

    /** Returns the first row, or null if there is none. */
    <T> @Nullable T first(String sql, RowReader<T> reader, Object... parameters) throws SQLException {
        try (ResultSet rows = bind(sql, parameters).executeQuery()) {
            return rows.next() ? reader.read(rows) : null;
        }
    }

    /** Reads all rows, as an application that shows them does. */
    void each(String sql, RowReader<?> reader, Object... parameters) throws SQLException {
        try (ResultSet rows = bind(sql, parameters).executeQuery()) {
            while (rows.next()) {
                reader.read(rows);
            }
        }
    }

    /** Runs an update and returns the number of changed rows. */
    int update(String sql, Object... parameters) throws SQLException {
        return bind(sql, parameters).executeUpdate();
    }

    /**
     * Inserts a row and returns the number that the engine assigned, which is the first generated key. A text passed to
     * this method must not be passed to {@link #update}: the statement is prepared for generated keys.
     */
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

    /** Sets the parameters from Java types that every driver maps: no target type is passed. */
    private static void set(PreparedStatement statement, Object... parameters) throws SQLException {
        for (int i = 0; i < parameters.length; i++) {
            statement.setObject(i + 1, parameters[i]);
        }
    }

    /** Returns the time of the client, as TPC-W's application server does; the engine's clock is not read. */
    static Timestamp now() {
        return new Timestamp(System.currentTimeMillis());
    }

    @Override
    public void close() throws SQLException {
        for (PreparedStatement statement : prepared.values()) {
            statement.close();
        }
        prepared.clear();
    }
}
