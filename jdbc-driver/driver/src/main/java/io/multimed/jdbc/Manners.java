package io.multimed.jdbc;

import io.multimed.protocol.value.Parameter;
import io.multimed.protocol.value.TypedNull;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Behavior of the engine's own driver that does not depend on the server. The defaults are for engines that do not
 * differ. Stateless.
 */
public interface Manners {
    /** setObject without a type. */
    Parameter object(@Nullable Object value) throws SQLException;

    /**
     * setObject with a type.
     *
     * @param scale of decimal numbers, the digits after the point; -1 for as many as there are
     */
    Parameter object(@Nullable Object value, int sqlType, int scale) throws SQLException;

    /** The parameter for setNull with the engine's name of the type. */
    default Parameter nothing(int sqlType, String typeName) {
        return new Parameter(sqlType, new TypedNull(typeName));
    }

    /** Formats a value for the text of a statement. */
    default String literal(Parameter value) {
        return Literals.of(value);
    }

    /** Returns the parameter to send for a parameter that was set. */
    default Parameter sent(Parameter given) {
        return given;
    }

    /** Refuses to run a statement that cannot have the result that is asked for, by its first words. */
    default void check(String sql, boolean rowsWanted, boolean prepared) throws SQLException {}

    /** Refuses to change anything over a connection that is set to read only, if that is not left to the engine. */
    default void checkReadOnly(String sql) throws SQLException {}

    /** executeQuery of a statement without rows. */
    default SQLException noRows() {
        return new SQLException("No results were returned by the query.", SqlStates.NO_DATA);
    }

    /** executeUpdate of a statement with rows. */
    default SQLException rows() {
        return new SQLException("A result was returned when none was expected.", SqlStates.TOO_MANY_RESULTS);
    }

    /** Whether executeQuery gives the first of several results. */
    default boolean givesFirstOfSeveral() {
        return false;
    }

    /** Whether a fetch size that is no number of rows asks for streaming. */
    default boolean streamsBy(int fetchSize) {
        return false;
    }

    /** Whether the getter of an OUT parameter must be that of its registered type. */
    default boolean checksOutTypes() {
        return true;
    }

    /**
     * How SQL sets the isolation of all transactions.
     *
     * @param level as SQL writes it
     */
    default String isolation(String level) {
        return "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL " + level;
    }

    /** Whether isReadOnly tells what SQL has set, too. */
    default boolean asksWhetherReadOnly() {
        return false;
    }

    /** How SQL sets whether all transactions may change nothing. */
    default String readOnly(boolean on) {
        return "SET SESSION CHARACTERISTICS AS TRANSACTION READ " + (on ? "ONLY" : "WRITE");
    }

    /** Whether executeUpdate of a query succeeds if generated keys were requested. */
    default boolean givesRowsBesideKeys() {
        return true;
    }

    /** Whether executeUpdate of a call counts the changed rows. */
    default boolean countsCalls() {
        return false;
    }

    /** Whether getTransactionIsolation also returns a level that SQL has set. */
    default boolean asksForIsolation() {
        return true;
    }

    /** Whether the parameters of a call have names, which the catalogue tells. */
    default boolean hasParameterNames() {
        return false;
    }

    /** Whether UPDATE, INSERT and DELETE have a RETURNING clause. */
    default boolean hasReturning() {
        return true;
    }

    /** Whether a database is a catalog, and there are no schemas. */
    default boolean hasCatalogs() {
        return false;
    }

    default SQLException closedResult() {
        return new SQLException("This ResultSet is closed.", SqlStates.OBJECT_CLOSED);
    }

    default SQLException noSuchColumn(int index, int columns) {
        return new SQLException(
                "The column index is out of range: %d, number of columns: %d.".formatted(index, columns),
                SqlStates.WRONG_PARAMETER);
    }

    default SQLException noSuchLabel(String label) {
        return new SQLException(
                "The column name %s was not found in this ResultSet.".formatted(label), SqlStates.NO_SUCH_COLUMN);
    }

    /** @param parameters how many the statement has */
    default SQLException noSuchParameter(int index, int parameters) {
        return new SQLException(
                "The column index is out of range: %d, number of columns: %d.".formatted(index, parameters),
                SqlStates.WRONG_PARAMETER);
    }

    default SQLException unsetParameter(int index) {
        return new SQLException("No value specified for parameter %d.".formatted(index), SqlStates.WRONG_PARAMETER);
    }

    /** @param what commit or rollback */
    default SQLException inAutoCommit(String what) {
        return new SQLException("Cannot %s when autoCommit is enabled.".formatted(what), SqlStates.NO_TRANSACTION);
    }
}
