// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import java.io.IOException;
import java.sql.Connection;
import java.sql.JDBCType;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Supplies the suites with the data, types and statements of one family of engines. Belongs to one engine under test.
 */
interface Family {
    /**
     * Returns settings of the engines, in the form of the System Model: a time zone, and what makes both databases
     * return rows in the same order.
     */
    String settings();

    /** Returns the folder of the lists of inputs. */
    String folder();

    /**
     * Returns the statements that prepare the data of all tests, among it the table of parameters with {@link
     * ParameterSuite#COLUMNS}.
     */
    List<String> setup();

    /**
     * Returns the statements that recreate the data of each test: the tables things, parts and numbered, and the view
     * seen_things.
     */
    List<String> fresh();

    /** Returns the script that is executed in each way. */
    List<String> statements(StatementSuite.Way way) throws IOException;

    /** Returns lines of a type and its values, which are those of values.txt, and others of the engine. */
    default List<String> valueLines() throws IOException {
        return Resource.lines(this, "values.txt");
    }

    /** Returns the statements that must run before the values of {@link #valueLines} can be read. */
    List<String> valueSetup() throws IOException;

    /** Returns a query of one value, v. */
    String value(String type, String literal) throws IOException;

    /** Returns a query of one column, v, of the type. */
    String column(String type) throws IOException;

    /** The arguments of metadata methods that select a schema or a database. */
    record Place(String catalog, String schema) {
        @Override
        public String toString() {
            return String.valueOf(schema == null ? catalog : schema);
        }
    }

    /** Returns the place with a name, which may be null or a pattern. */
    Place place(String name);

    /** Returns the name of the place that contains the tables, and a pattern that matches it. */
    List<String> places();

    /** Returns the name of the place that contains the tables. */
    default String home() {
        return places().get(0);
    }

    /** Returns the types of columns for parameters. */
    List<String> parameterTypes();

    /** Writes a parameter into a column of {@link #parameterTypes}, and returns the value of the column. */
    Object write(Connection connection, int column, ParameterSuite.Setting setting) throws SQLException;

    /** Returns a query of ten rows, each with a number and a text. */
    String tenRows();

    /** Returns an update that returns the isolation level of a connection in auto-commit, as a query of one value. */
    String isolation();

    List<String> batchStatements();

    /** Returns the statement that inserts missing rows into the table parts again. */
    String restoredParts();

    /** Returns calls in addition to those of {@link ConnectionSuite}. */
    Map<String, Call<Connection>> connectionCalls();

    /**
     * Returns the names of the calls of {@link ConnectionSuite} after which the engine's own driver has closed the
     * connection.
     */
    Set<String> fatalCalls();

    /** Returns calls in addition to those of {@link CallSuite}. */
    Map<String, Call<Connection>> procedureCalls();

    /** Returns the types of OUT parameters. */
    List<OutType> outTypes();

    /** A type, its constant in {@link java.sql.Types}, and an SQL literal of the type. */
    record OutType(String name, int constant, String literal) {}

    /** Creates a routine that returns a value of a type as an OUT parameter. */
    void giveOut(Statement statement, OutType type, String literal) throws SQLException;

    /** Returns the call of the routine that {@link #giveOut} creates. */
    String outCall();

    /** Returns the types of the columns of {@link MomentSuite}, whose table {@link #setup} creates. */
    List<String> momentColumns();

    /** Returns the types that setObject refuses with messages that differ. */
    default Set<JDBCType> refusedTargets() {
        return Set.of();
    }

    /**
     * Returns calls of the routines that return their argument, of the type of a column of {@link #momentColumns}, as
     * the first parameter.
     */
    List<String> passing(int column);

    /** Returns an expression of one parameter that returns the text of the parameter as received by the engine. */
    String echo();

    /** Returns the types of dates, times and timestamps. */
    List<String> momentTypes();

    /** Returns an expression that converts one parameter, a text, to a type. */
    default String cast(String type) {
        return "CAST(? AS %s)".formatted(type);
    }

    /** Returns a literal of a type for a date, a time or both, in UTC. */
    String literal(String type, LocalDateTime moment);

    /** Prevents binary transfer, if the engine's own driver supports binary transfer. */
    default void readAsText(PreparedStatement statement) throws SQLException {}

    /**
     * Returns the fields of an engine's error, except the message, from the engine's own driver and from Multimed's;
     * empty without fields.
     */
    default String fields(SQLException failure) {
        return "";
    }

    /** Returns calls on a connection while another connection to the same database observes the engine. */
    default Map<String, Call<Observed>> observedCalls() {
        return Map.of();
    }

    /** A connection, and another connection to the same database. */
    record Observed(Connection connection, Connection observer) {}

    /** Returns the outcome without the parts that are known to differ everywhere. */
    String comparable(String outcome);
}
