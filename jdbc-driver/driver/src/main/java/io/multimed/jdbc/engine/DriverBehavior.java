// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.engine;

import io.multimed.protocol.value.Column;
import io.multimed.protocol.value.Parameter;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Describes the behavior of the engine's own driver that does not depend on the server: the parameters that setObject
 * creates, the SQL that methods of Connection run, and the exceptions that the driver itself throws. Applications that
 * were written for that driver rely on these details, such as SQLStates and messages. Stateless, hence safe for all
 * threads.
 */
public interface DriverBehavior {
    /** Returns the parameter for setObject without a type. */
    Parameter parameter(@Nullable Object value) throws SQLException;

    /**
     * Returns the parameter for setObject with a type.
     *
     * @param scale number of digits after the decimal point of a decimal number; -1 for all digits
     */
    Parameter parameter(@Nullable Object value, int sqlType, int scale) throws SQLException;

    /** Returns the parameter for setNull with the engine's name of the type. */
    Parameter nullParameter(int sqlType, String typeName);

    /**
     * Formats a value for the text of a statement, in {@code PreparedStatement.toString}. The text is for people and
     * logs; the driver never sends it.
     */
    String literal(Parameter value);

    /**
     * Returns the parameter to send in place of a parameter that the application has set. The default sends every
     * parameter unchanged.
     *
     * @param before the parameter in the same place until now; null if there was none
     */
    default Parameter parameterToSend(@Nullable Parameter before, Parameter given) {
        return given;
    }

    /**
     * Refuses a statement that, by its first words, cannot have the kind of result that the called method returns.
     *
     * @param rowsWanted whether executeQuery was called
     */
    default void checkStatement(String sql, boolean rowsWanted, boolean prepared) throws SQLException {}

    /** Refuses a statement that changes data on a read-only connection, if the driver and not the engine does so. */
    default void checkReadOnly(String sql) throws SQLException {}

    /** Returns the exception of executeQuery if the statement returns no rows. */
    SQLException noRows();

    /** Returns the exception of executeUpdate if the statement returns rows. */
    SQLException unexpectedRows();

    /**
     * Returns whether executeQuery returns the first of several results. If not, executeQuery fails on a statement with
     * several results.
     */
    boolean returnsFirstOfSeveralResults();

    /** Returns whether the end of a connection closes its statements and result sets. */
    boolean closesStatementsWithConnection();

    /**
     * Returns whether a result set on its insert row reports the position to which it returns from there, and the
     * insert row consists of nulls until it is inserted. If not, the position is hidden, and the insert row shows the
     * values at the position.
     */
    boolean insertRowHasPosition();

    /** Returns whether a statement that fails also fails the transaction, until a rollback. */
    boolean failsWithStatement();

    /** Returns whether a parameter is refused whose stream has fewer bytes than announced. */
    boolean checksLengthsOfStreams();

    /** Returns whether a result set begins with the fetch direction of its statement. */
    boolean resultsHaveFetchDirection();

    /** Returns whether a negative fetch size requests streaming. All other negative sizes are refused with 22023. */
    default boolean streamsWithFetchSize(int fetchSize) {
        return false;
    }

    /** Returns whether an OUT parameter can be read only by the getter of its registered type. */
    boolean checksOutParameterTypes();

    /**
     * Returns the statement that sets the isolation of the session's transactions.
     *
     * @param level in SQL
     */
    String setIsolationSql(String level);

    /** Returns whether isReadOnly also reports a mode that SQL has set. The session status then contains this mode. */
    boolean reportsReadOnlyOfSql();

    /**
     * Returns the statement that sets whether the session's transactions are read-only. The driver runs this statement
     * only to replace a mode that SQL has set.
     */
    String setReadOnlySql(boolean on);

    /**
     * Returns whether executeUpdate of a query succeeds if generated keys were requested. If so, the rows remain
     * available by getResultSet.
     */
    boolean returnsRowsBesideKeys();

    /** Returns a number of rows as an int, for methods that return an int although the number may not fit. */
    int toInt(long rows);

    /** Returns whether executeUpdate of a call returns the number of changed rows. */
    boolean countsRowsOfCalls();

    /**
     * Returns whether getTransactionIsolation asks the engine for a level that SQL may have set. If not, the level in
     * the session status is current.
     */
    boolean queriesIsolation();

    default boolean isCursor(Column column) {
        return false;
    }

    /** Returns whether the parameters of a call have names, which the catalog contains. */
    boolean hasParameterNames();

    /**
     * Returns whether UPDATE, INSERT and DELETE have a RETURNING clause. If not, an updatable result set reads a
     * changed row again by its key.
     */
    boolean hasReturning();

    /**
     * Returns whether several rows may have the same key: in tables that inherit from each other, or until the end of a
     * transaction. If so, an updatable result set asks for the number of rows before a change.
     */
    boolean permitsDuplicateKeys();

    /** The comments that the engine knows. */
    enum Comments {
        /** A comment may contain other comments. */
        NESTED,
        /** A comment ends with the first mark, and comments of one line may begin with a sharp. */
        PLAIN
    }

    Comments comments();

    /** Returns whether a database is a catalog in JDBC. If so, the engine has no schemas. */
    boolean hasCatalogs();

    /** Returns the exception of a result set that is closed. */
    SQLException closedResult();

    /** Returns the exception for the index of a column that does not exist. */
    SQLException noSuchColumn(int index, int columns);

    /** Returns the exception for the label of a column that does not exist. */
    SQLException noSuchLabel(String label);

    /**
     * Returns the exception for the index of a parameter that does not exist.
     *
     * @param parameters number of parameters of the statement
     */
    SQLException noSuchParameter(int index, int parameters);

    /** Returns an upper bound of the number of parameters of a statement. */
    default int maxParameters(String sql) {
        return 65_535;
    }

    /** Returns whether each request for generated keys returns all of them, with a result set of its own. */
    default boolean returnsKeysAgain() {
        return false;
    }

    /** Returns the exception for a parameter that has no value. */
    SQLException unsetParameter(int index);

    /**
     * Returns the exception of a commit or rollback in auto-commit mode.
     *
     * @param what commit or rollback
     */
    SQLException inAutoCommit(String what);
}
