package io.multimed.jdbc.engine.postgresql;

import io.multimed.jdbc.engine.DriverBehavior;
import io.multimed.jdbc.support.SqlStates;
import io.multimed.jdbc.value.ParameterFactory;
import io.multimed.protocol.value.Column;
import io.multimed.protocol.value.Parameter;
import io.multimed.protocol.value.TypedNull;
import java.sql.SQLException;
import java.sql.Types;
import org.jspecify.annotations.Nullable;

/** Of an engine that does not say otherwise. */
final class PostgreSqlBehavior implements DriverBehavior {
    private final boolean untypedTexts;

    /** @param untypedTexts whether a text parameter has the type that the statement expects */
    PostgreSqlBehavior(boolean untypedTexts) {
        this.untypedTexts = untypedTexts;
    }

    @Override
    public Parameter sent(Parameter given) {
        boolean isText = given.sqlType() == Types.VARCHAR && (given.value() == null || given.value() instanceof String);
        return untypedTexts && isText ? new Parameter(Types.OTHER, given.value()) : given;
    }

    @Override
    public Parameter object(@Nullable Object value) throws SQLException {
        return ParameterFactory.object(value);
    }

    @Override
    public Parameter object(@Nullable Object value, int sqlType, int scale) throws SQLException {
        return ParameterFactory.object(value, sqlType, scale);
    }

    @Override
    public Parameter nothing(int sqlType, String typeName) {
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
    public SQLException rows() {
        return new SQLException("A result was returned when none was expected.", SqlStates.TOO_MANY_RESULTS);
    }

    @Override
    public boolean givesFirstOfSeveral() {
        return false;
    }

    @Override
    public boolean checksOutTypes() {
        return true;
    }

    @Override
    public String isolation(String level) {
        return "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL " + level;
    }

    @Override
    public boolean asksWhetherReadOnly() {
        return false;
    }

    @Override
    public String readOnly(boolean on) {
        return "SET SESSION CHARACTERISTICS AS TRANSACTION READ " + (on ? "ONLY" : "WRITE");
    }

    @Override
    public boolean givesRowsBesideKeys() {
        return true;
    }

    @Override
    public boolean countsCalls() {
        return false;
    }

    @Override
    public boolean asksForIsolation() {
        return true;
    }

    @Override
    public boolean hasParameterNames() {
        return false;
    }

    @Override
    public boolean hasReturning() {
        return true;
    }

    @Override
    public boolean hasCatalogs() {
        return false;
    }

    @Override
    public SQLException closedResult() {
        return new SQLException("This ResultSet is closed.", SqlStates.OBJECT_CLOSED);
    }

    @Override
    public SQLException noSuchColumn(int index, int columns) {
        return new SQLException(
                "The column index is out of range: %d, number of columns: %d.".formatted(index, columns),
                SqlStates.WRONG_PARAMETER);
    }

    @Override
    public SQLException noSuchLabel(String label) {
        return new SQLException(
                "The column name %s was not found in this ResultSet.".formatted(label), SqlStates.NO_SUCH_COLUMN);
    }

    @Override
    public SQLException noSuchParameter(int index, int parameters) {
        return new SQLException(
                "The column index is out of range: %d, number of columns: %d.".formatted(index, parameters),
                SqlStates.WRONG_PARAMETER);
    }

    @Override
    public SQLException unsetParameter(int index) {
        return new SQLException("No value specified for parameter %d.".formatted(index), SqlStates.WRONG_PARAMETER);
    }

    @Override
    public SQLException inAutoCommit(String what) {
        return new SQLException("Cannot %s when autoCommit is enabled.".formatted(what), SqlStates.NO_TRANSACTION);
    }

    @Override
    public boolean isCursor(Column column) {
        return isCursorType(column);
    }

    static boolean isCursorType(Column column) {
        return column.typeName().equals("refcursor");
    }
}
