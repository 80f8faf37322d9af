package io.multimed.jdbc.engine;

import io.multimed.protocol.value.Column;
import io.multimed.protocol.value.Parameter;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Behavior of the engine's own driver that does not depend on the server. The defaults are for engines that do not
 * differ. Stateless.
 */
public interface DriverBehavior {
    /** setObject without a type. */
    Parameter object(@Nullable Object value) throws SQLException;

    /**
     * setObject with a type.
     *
     * @param scale of decimal numbers, the digits after the point; -1 for as many as there are
     */
    Parameter object(@Nullable Object value, int sqlType, int scale) throws SQLException;

    /** The parameter for setNull with the engine's name of the type. */
    Parameter nothing(int sqlType, String typeName);

    /** Formats a value for the text of a statement. */
    String literal(Parameter value);

    /** Returns the parameter to send for a parameter that was set. */
    default Parameter sent(Parameter given) {
        return given;
    }

    /** Refuses to run a statement that cannot have the result that is asked for, by its first words. */
    default void check(String sql, boolean rowsWanted, boolean prepared) throws SQLException {}

    /** Refuses to change anything over a connection that is set to read only, if that is not left to the engine. */
    default void checkReadOnly(String sql) throws SQLException {}

    /** executeQuery of a statement without rows. */
    SQLException noRows();

    /** executeUpdate of a statement with rows. */
    SQLException rows();

    /** Whether executeQuery gives the first of several results. */
    boolean givesFirstOfSeveral();

    /** Whether a fetch size that is no number of rows asks for streaming. */
    default boolean streamsBy(int fetchSize) {
        return false;
    }

    /** Whether the getter of an OUT parameter must be that of its registered type. */
    boolean checksOutTypes();

    /**
     * How SQL sets the isolation of all transactions.
     *
     * @param level as SQL writes it
     */
    String isolation(String level);

    /** Whether isReadOnly tells what SQL has set, too. */
    boolean asksWhetherReadOnly();

    /** How SQL sets whether all transactions may change nothing. */
    String readOnly(boolean on);

    /** Whether executeUpdate of a query succeeds if generated keys were requested. */
    boolean givesRowsBesideKeys();

    /** Whether executeUpdate of a call counts the changed rows. */
    boolean countsCalls();

    /** Whether getTransactionIsolation also returns a level that SQL has set. */
    boolean asksForIsolation();

    /** Returns whether the values of a column are cursors. */
    default boolean isCursor(Column column) {
        return false;
    }

    /** Whether the parameters of a call have names, which the catalogue tells. */
    boolean hasParameterNames();

    /** Whether UPDATE, INSERT and DELETE have a RETURNING clause. */
    boolean hasReturning();

    /** Whether a database is a catalog, and there are no schemas. */
    boolean hasCatalogs();

    SQLException closedResult();

    SQLException noSuchColumn(int index, int columns);

    SQLException noSuchLabel(String label);

    /** @param parameters how many the statement has */
    SQLException noSuchParameter(int index, int parameters);

    SQLException unsetParameter(int index);

    /** @param what commit or rollback */
    SQLException inAutoCommit(String what);
}
