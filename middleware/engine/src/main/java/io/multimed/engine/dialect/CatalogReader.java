// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.dialect;

import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.SchemaFacts;
import io.multimed.engine.sql.TableNames;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the engine's catalog, determines which changes affect the results, and describes statements. Stateless.
 */
public interface CatalogReader {
    /** Reads the facts on the schema that classification depends on from the master's catalog. */
    SchemaFacts schemaFacts(Connection master) throws SQLException;

    /**
     * Reads the tables that queries can name on satellites from the master's catalog, as the satellites know them
     * when they have applied everything that is committed now. May run several queries with one snapshot each, because
     * the caller reads the names again after each schema change. May leave a transaction open that only reads.
     */
    default TableNames tableNames(Connection master) throws SQLException {
        return TableNames.NONE;
    }

    /**
     * Returns the values of a captured row, in the order of {@link TableNames#columns}; null for NULL.
     *
     * @throws IllegalArgumentException if the text is not that of a row
     */
    List<@Nullable String> rowValues(String row);

    /** Returns whether changes may alter the {@link #schemaFacts}. */
    default boolean mayChangeFacts(WriteSet writeSet) {
        return writeSet.mayChangeSchema();
    }

    /**
     * Returns whether changes may outdate the schema information that the drivers of connections have cached, in a way
     * that {@link ErrorClassifier#isOutdatedConnection} detects.
     */
    default boolean outdatesConnections(WriteSet writeSet) {
        return false;
    }

    /** Prepares a statement with the engine's driver. */
    @FunctionalInterface
    interface Preparation {
        PreparedStatement prepare() throws SQLException;

        /** Returns whether the statement is a CallableStatement, whose OUT parameters are registered. */
        default boolean isCall() {
            return false;
        }
    }

    /** Receives the description of a statement. */
    @FunctionalInterface
    interface Described<T> {
        /** @param columns null if the statement returns no rows, or if its rows are not known before its execution */
        T of(ParameterMetaData parameters, @Nullable ResultSetMetaData columns) throws SQLException;
    }

    /**
     * Describes a statement of a client without running the statement, in the session of the connection.
     *
     * @param classification of the text, from which the engine's module may conclude what would run
     * @param own whether the session may contain state of the client, or a transaction; otherwise the session is
     *     read-only, and other clients use it afterwards
     * @param preparation prepares the statement with the generated keys that it returns, if they are its columns
     * @param result receives the metadata of the engine's driver, which end with the call
     */
    default <T> T describe(
            Connection connection,
            String sql,
            Classification classification,
            boolean own,
            Preparation preparation,
            Described<T> result)
            throws SQLException {
        try (PreparedStatement statement = preparation.prepare()) {
            return result.of(statement.getParameterMetaData(), statement.getMetaData());
        }
    }

    /** Returns the engine's metadata: those of its driver, with corrections where they are wrong. */
    default DatabaseMetaData catalog(Connection connection) throws SQLException {
        return connection.getMetaData();
    }

    /** Sets the parameters of a statement that is about to be checked. */
    @FunctionalInterface
    interface Parameters {
        void bind(PreparedStatement statement) throws SQLException;
    }

    /**
     * Has the engine check, without running the query, that the user of the connection may read everything that the
     * query reads. The engine's own parser decides what that is.
     *
     * @throws SQLException the engine's error if a privilege is missing, or if the engine cannot check the query so
     */
    void checkPrivileges(Connection connection, String query, Parameters parameters) throws SQLException;

    /** Returns the schema of the table from which a column of a result comes; empty if it comes from none. */
    String baseSchema(ResultSetMetaData columns, int index) throws SQLException;

    /**
     * Returns the name of a result's column in its table; empty if it comes from none. Sends at most one request to the
     * engine for all columns.
     */
    String baseColumn(ResultSetMetaData columns, int index) throws SQLException;
}
