package io.multimed.compatibility.difference;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What the suites do that is of one family of engines: its data, types and statements. Belongs to one engine under test. */
interface Family {
    /** Settings of the engines, as the System Model writes them, by which both databases answer in the same order; empty if none are needed. */
    default String settings() {
        return "";
    }

    /** The folder of its lists of inputs. */
    String folder();

    /** What is there once, for all tests; by {@link ParameterSuite#COLUMNS}, the table of parameters among it. */
    List<String> setup();

    /** What each test begins with: the tables things, parts and numbered, and the view seen_things. */
    List<String> fresh();

    /** The script that is executed by each way. */
    List<String> statements(StatementSuite.Way way) throws IOException;

    /** What the lines of values.txt need to be read. */
    List<String> valueSetup() throws IOException;

    /** A query of one value, v. */
    String value(String type, String literal) throws IOException;

    /** A query of one column of a type, v. */
    String column(String type) throws IOException;

    /** Where a catalogue's questions are asked, by schema or by database. */
    record Place(String catalog, String schema) {
        @Override
        public String toString() {
            return String.valueOf(schema == null ? catalog : schema);
        }
    }

    /** By name, which may be null, or a pattern. */
    Place place(String name);

    /** Where the tables are, and a pattern of it. */
    List<String> places();

    /** The place's name. */
    default String home() {
        return places().get(0);
    }

    /** Types of columns for parameters. */
    List<String> parameterTypes();

    /** Sets a parameter into a column of {@link #parameterTypes}, and reads what is there then. */
    Object write(Connection connection, int column, ParameterSuite.Setting setting) throws SQLException;

    /** Ten rows of a number and a text. */
    String tenRows();

    /** An update of an auto-commit connection's isolation: a query of one value. */
    String isolation();

    List<String> batchStatements();

    /** Puts the parts back that are missing. */
    String restoredParts();

    /** Beyond those of {@link ConnectionSuite}. */
    Map<String, Call<Connection>> connectionCalls();

    /** Those of {@link ConnectionSuite} after which the engine's own driver has closed the connection. */
    Set<String> fatalCalls();

    /** Beyond those of {@link CallSuite}. */
    Map<String, Call<Connection>> procedureCalls();

    /** The types of OUT parameters. */
    List<OutType> outTypes();

    /** A type, its constant, a value of it as SQL has it. */
    record OutType(String name, int constant, String literal) {}

    /** Makes what gives a value of a type as an OUT parameter. */
    void giveOut(Statement statement, OutType type, String literal) throws SQLException;

    /** Calls it. */
    String outCall();

    /** An expression of one parameter that returns the parameter's text as the engine received it. */
    String echo();

    /** Types of dates, times and timestamps. */
    List<String> momentTypes();

    /** An expression that converts one parameter, a text, to a type. */
    default String cast(String type) {
        return "CAST(? AS %s)".formatted(type);
    }

    /** A literal of a type for a date, a time or both, in UTC. */
    String literal(String type, LocalDateTime moment);

    /** Prevents binary transfer, if the engine's own driver has it. */
    default void readAsText(PreparedStatement statement) throws SQLException {}

    /** What the engine said of an error beside its message, as its own driver and ours give it; empty if that is nothing. */
    default String fields(SQLException failure) {
        return "";
    }

    /** Calls on a connection while another connection to the same database observes the engine. */
    default Map<String, Call<Observed>> observedCalls() {
        return Map.of();
    }

    /** A connection, and another one to the same database. */
    record Observed(Connection connection, Connection observer) {}

    /** An outcome without what is known to differ everywhere. */
    String comparable(String outcome);
}
