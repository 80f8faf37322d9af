// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.engine.postgresql;

import io.multimed.jdbc.engine.DriverBehavior;
import io.multimed.jdbc.support.SqlStates;
import io.multimed.jdbc.value.ParameterFactory;
import io.multimed.protocol.value.Column;
import io.multimed.protocol.value.Parameter;
import io.multimed.protocol.value.TypedNull;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import org.jspecify.annotations.Nullable;

/**
 * Behaves like PgJDBC. Messages and SQLStates are literally those of PgJDBC, in English: applications and frameworks
 * compare them.
 */
final class PostgreSqlBehavior implements DriverBehavior {
    private final boolean untypedTexts;

    /**
     * Creates the behavior of one connection.
     *
     * @param untypedTexts whether a text parameter is sent without a type, so that the engine infers the type from the
     * statement ({@code stringtype=unspecified})
     */
    PostgreSqlBehavior(boolean untypedTexts) {
        this.untypedTexts = untypedTexts;
    }

    @Override
    public Parameter parameterToSend(@Nullable Parameter before, Parameter given) {
        boolean isText = given.sqlType() == Types.VARCHAR && (given.value() == null || given.value() instanceof String);
        return LastingTypes.after(before, untypedTexts && isText ? new Parameter(Types.OTHER, given.value()) : given);
    }

    @Override
    public Parameter parameter(@Nullable Object value) throws SQLException {
        return ParameterFactory.object(value);
    }

    @Override
    public Parameter parameter(@Nullable Object value, int sqlType, int scale) throws SQLException {
        return ParameterFactory.object(value, sqlType, scale);
    }

    /** Keeps the name of the type: the engine needs the name to resolve overloaded functions and user-defined types. */
    @Override
    public Parameter nullParameter(int sqlType, String typeName) {
        return new Parameter(sqlType, new TypedNull(typeName));
    }

    @Override
    public String literal(Parameter value) {
        return PostgreSqlLiterals.of(value);
    }

    @Override
    public SQLException noRows() {
        return new SQLException("No results were returned by the query.", SqlStates.NO_DATA);
    }

    @Override
    public SQLException unexpectedRows() {
        return new SQLException("A result was returned when none was expected.", SqlStates.TOO_MANY_RESULTS);
    }

    @Override
    public boolean returnsFirstOfSeveralResults() {
        return false;
    }

    /** Returns false: rows that have arrived remain readable after the end of the connection. */
    @Override
    public boolean closesStatementsWithConnection() {
        return false;
    }

    @Override
    public boolean failsWithStatement() {
        return true;
    }

    @Override
    public boolean checksLengthsOfStreams() {
        return true;
    }

    @Override
    public boolean insertRowHasPosition() {
        return false;
    }

    @Override
    public boolean resultsHaveFetchDirection() {
        return true;
    }

    /** Returns true: getString, for example, refuses an OUT parameter that was registered as INTEGER. */
    @Override
    public boolean checksOutParameterTypes() {
        return true;
    }

    @Override
    public String setIsolationSql(String level) {
        return "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL " + level;
    }

    @Override
    public boolean reportsReadOnlyOfSql() {
        return false;
    }

    @Override
    public String setReadOnlySql(boolean on) {
        return "SET SESSION CHARACTERISTICS AS TRANSACTION READ " + (on ? "ONLY" : "WRITE");
    }

    @Override
    public boolean returnsRowsBesideKeys() {
        return true;
    }

    /** Returns SUCCESS_NO_INFO for a number that does not fit. */
    @Override
    public int toInt(long rows) {
        return rows > Integer.MAX_VALUE ? Statement.SUCCESS_NO_INFO : (int) rows;
    }

    @Override
    public boolean countsRowsOfCalls() {
        return false;
    }

    /**
     * Returns true: SET TRANSACTION may have changed the level of the open transaction, which only the engine knows.
     */
    @Override
    public boolean queriesIsolation() {
        return true;
    }

    @Override
    public boolean hasParameterNames() {
        return false;
    }

    @Override
    public Comments comments() {
        return Comments.NESTED;
    }

    @Override
    public boolean hasReturning() {
        return true;
    }

    /** Returns true: a table is read together with those that inherit from it, and constraints may be deferrable. */
    @Override
    public boolean permitsDuplicateKeys() {
        return true;
    }

    @Override
    public boolean hasCatalogs() {
        return false;
    }

    @Override
    public SQLException closedResult() {
        return new SQLException("This ResultSet is closed.", SqlStates.OBJECT_NOT_IN_STATE);
    }

    @Override
    public SQLException noSuchColumn(int index, int columns) {
        return new SQLException(
                "The column index is out of range: %d, number of columns: %d.".formatted(index, columns),
                SqlStates.INVALID_PARAMETER);
    }

    @Override
    public SQLException noSuchLabel(String label) {
        return new SQLException(
                "The column name %s was not found in this ResultSet.".formatted(label), SqlStates.UNDEFINED_COLUMN);
    }

    @Override
    public SQLException noSuchParameter(int index, int parameters) {
        return new SQLException(
                "The column index is out of range: %d, number of columns: %d.".formatted(index, parameters),
                SqlStates.INVALID_PARAMETER);
    }

    @Override
    public SQLException unsetParameter(int index) {
        return new SQLException("No value specified for parameter %d.".formatted(index), SqlStates.INVALID_PARAMETER);
    }

    @Override
    public SQLException inAutoCommit(String what) {
        return new SQLException(
                "Cannot %s when autoCommit is enabled.".formatted(what), SqlStates.NO_ACTIVE_TRANSACTION);
    }

    @Override
    public boolean isCursor(Column column) {
        return isCursorType(column);
    }

    /** Returns whether the values of a column name cursors, whose rows getObject returns. */
    static boolean isCursorType(Column column) {
        return column.typeName().equals("refcursor");
    }
}
