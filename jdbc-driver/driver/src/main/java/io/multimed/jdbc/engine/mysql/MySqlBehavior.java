// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.engine.mysql;

import io.multimed.jdbc.engine.DriverBehavior;
import io.multimed.jdbc.support.SqlStates;
import io.multimed.jdbc.value.ParameterFactory;
import io.multimed.protocol.value.Parameter;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLSyntaxErrorException;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Behaves like MySQL Connector/J. The values of setObject are sent unchanged, with their type: the engine's driver in
 * the middleware converts them. Messages and SQLStates are literally those of Connector/J, which uses SQLStates of ODBC
 * (S1009) and X/Open (08003) beside those of the SQL standard.
 */
public final class MySqlBehavior implements DriverBehavior {
    private static final Pattern FIRST_WORD =
            Pattern.compile("(?s)(?:\\s|\\(|/\\*(?![!M]).*?\\*/|--\\s[^\\n]*\\n|#[^\\n]*\\n)*([A-Za-z]+).*");
    /** Statements that executeQuery refuses without asking the engine. */
    private static final Set<String> WITHOUT_ROWS = Set.of(
            "ALTER",
            "BEGIN",
            "COMMIT",
            "CREATE",
            "DELETE",
            "DO",
            "DROP",
            "FLUSH",
            "GRANT",
            "INSERT",
            "KILL",
            "LOAD",
            "RELEASE",
            "RENAME",
            "REPLACE",
            "REVOKE",
            "ROLLBACK",
            "SAVEPOINT",
            "SET",
            "START",
            "TRUNCATE",
            "UPDATE",
            "USE");
    /**
     * The clause by which changes of MariaDB return rows. If the word appears anywhere in a text, the engine decides.
     */
    private static final Pattern RETURNING = Pattern.compile("(?i)\\bRETURNING\\b");

    /** Statements that Connector/J refuses on a read-only connection. */
    private static final Set<String> CHANGES = Set.of(
            "ALTER",
            "CREATE",
            "DELETE",
            "DROP",
            "INSERT",
            "LOAD",
            "OPTIMIZE",
            "RENAME",
            "REPAIR",
            "REPLACE",
            "TRUNCATE",
            "UPDATE");
    /** Statements that executeUpdate refuses without asking the engine. */
    private static final Set<String> WITH_ROWS =
            Set.of("SELECT", "SHOW", "DESC", "DESCRIBE", "EXPLAIN", "HELP", "TABLE", "VALUES");

    private static final DateTimeFormatter DATE_TIME = new DateTimeFormatterBuilder()
            .appendPattern("yyyy-MM-dd HH:mm:ss")
            .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
            .toFormatter(Locale.ROOT);

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);

    /** Accepts, beyond the classes of JDBC, java.util.Date, Calendar, and the classes of java.time. */
    @Override
    public Parameter parameter(@Nullable Object value) throws SQLException {
        Parameter moment = value == null ? null : MySqlMoments.parameter(value);
        return moment == null ? ParameterFactory.object(value) : moment;
    }

    @Override
    public Parameter parameter(@Nullable Object value, int sqlType, int scale) throws SQLException {
        if (sqlType == Types.NULL) {
            return new Parameter(sqlType, null); // Connector/J sets NULL in place of any value
        }
        Parameter moment = MySqlMoments.parameter(value, sqlType);
        if (moment != null) {
            return moment;
        } else if (value instanceof BigDecimal number && scale >= 0 && isDecimal(sqlType)) {
            return new Parameter(sqlType, number.setScale(scale, RoundingMode.HALF_UP));
        } else if (value instanceof String || value instanceof Boolean || value instanceof Number) {
            return new Parameter(sqlType, parameter(value).value());
        } else if (value instanceof LocalDate || value instanceof LocalTime || value instanceof LocalDateTime) {
            return new Parameter(sqlType, value);
        }
        return ParameterFactory.object(value, sqlType, scale);
    }

    /** Returns the parameter without the name of the type, which Connector/J ignores. */
    @Override
    public Parameter nullParameter(int sqlType, String typeName) {
        return new Parameter(sqlType, null);
    }

    @Override
    public String literal(Parameter parameter) {
        Object value = parameter.value();
        if (value == null || value instanceof Number) {
            return String.valueOf(value).toUpperCase(Locale.ROOT);
        } else if (value instanceof Boolean truth) {
            return truth ? "1" : "0";
        }
        return value instanceof byte[] bytes
                ? "x'" + HexFormat.of().formatHex(bytes) + "'"
                : "'" + standardText(parameter).replace("\\", "\\\\").replace("'", "''") + "'";
    }

    /**
     * Returns the text of a value in the standard form. Moments have no offset, because the engine's literals have
     * none.
     */
    private static String standardText(Parameter parameter) {
        if (parameter.value() instanceof OffsetDateTime moment) {
            return switch (parameter.sqlType()) {
                case Types.DATE -> moment.toLocalDate().toString();
                case Types.TIME -> TIME.format(moment);
                default -> DATE_TIME.format(moment);
            };
        }
        return String.valueOf(parameter.value());
    }

    private static boolean isDecimal(int sqlType) {
        return sqlType == Types.DECIMAL || sqlType == Types.NUMERIC;
    }

    /**
     * Refuses, like Connector/J, a statement whose first word does not suit the called method. Connector/J does not
     * know RETURNING.
     */
    @Override
    public void checkStatement(String sql, boolean rowsWanted, boolean prepared) throws SQLException {
        String word = firstWord(sql);
        if (rowsWanted && WITHOUT_ROWS.contains(word) && !RETURNING.matcher(sql).find()) {
            throw noRows();
        } else if (!rowsWanted && WITH_ROWS.contains(word)) {
            throw prepared
                    ? new SQLException(
                            "Can not issue executeUpdate() or executeLargeUpdate() with statements that produce result sets",
                            SqlStates.UNEXPECTED_ROWS)
                    : unexpectedRows();
        }
    }

    /** Returns the first word of a statement in upper case, after comments and parentheses; empty if there is none. */
    private static String firstWord(String sql) {
        Matcher first = FIRST_WORD.matcher(sql);
        return first.matches() ? first.group(1).toUpperCase(Locale.ROOT) : "";
    }

    @Override
    public void checkReadOnly(String sql) throws SQLException {
        if (CHANGES.contains(firstWord(sql))) {
            throw new SQLException(
                    "Connection is read-only. Queries leading to data modification are not allowed.",
                    SqlStates.ILLEGAL_ARGUMENT);
        }
    }

    @Override
    public SQLException noRows() {
        return new SQLException(
                "Statement.executeQuery() cannot issue statements that do not produce result sets.",
                SqlStates.ILLEGAL_ARGUMENT);
    }

    @Override
    public SQLException unexpectedRows() {
        return new SQLException(
                "Statement.executeUpdate() or Statement.executeLargeUpdate() cannot issue statements that produce result sets.",
                SqlStates.UNEXPECTED_ROWS);
    }

    @Override
    public boolean returnsFirstOfSeveralResults() {
        return true;
    }

    /** Returns whether a fetch size is the smallest int, by which applications request streaming. */
    @Override
    public boolean streamsWithFetchSize(int fetchSize) {
        return fetchSize == Integer.MIN_VALUE;
    }

    @Override
    public boolean closesStatementsWithConnection() {
        return true;
    }

    @Override
    public boolean failsWithStatement() {
        return false;
    }

    @Override
    public boolean checksLengthsOfStreams() {
        return false;
    }

    @Override
    public boolean insertRowHasPosition() {
        return true;
    }

    @Override
    public boolean resultsHaveFetchDirection() {
        return false;
    }

    @Override
    public boolean checksOutParameterTypes() {
        return false;
    }

    @Override
    public boolean returnsRowsBesideKeys() {
        return false;
    }

    /** Returns the largest int for a larger number. */
    @Override
    public int toInt(long rows) {
        return (int) Math.min(rows, Integer.MAX_VALUE);
    }

    /** Returns true: for CALL, Connector/J reports the number of rows that the procedure's last statement changed. */
    @Override
    public boolean countsRowsOfCalls() {
        return true;
    }

    @Override
    public boolean queriesIsolation() {
        return false; // the status of each answer contains the level
    }

    @Override
    public String setIsolationSql(String level) {
        return "SET SESSION TRANSACTION ISOLATION LEVEL " + level;
    }

    @Override
    public boolean reportsReadOnlyOfSql() {
        return true;
    }

    @Override
    public String setReadOnlySql(boolean on) {
        return "SET SESSION TRANSACTION READ " + (on ? "ONLY" : "WRITE");
    }

    @Override
    public boolean hasParameterNames() {
        return true;
    }

    @Override
    public Comments comments() {
        return Comments.PLAIN;
    }

    /** Returns false: MariaDB has the clause for some statements, MySQL for none. */
    @Override
    public boolean hasReturning() {
        return false;
    }

    @Override
    public boolean permitsDuplicateKeys() {
        return false;
    }

    @Override
    public boolean hasCatalogs() {
        return true;
    }

    @Override
    public SQLException closedResult() {
        return new SQLException("Operation not allowed after ResultSet closed", SqlStates.GENERAL_ERROR);
    }

    @Override
    public SQLException noSuchColumn(int index, int columns) {
        return new SQLException(
                index < 1
                        ? "Column Index out of range, %d < 1.".formatted(index)
                        : "Column Index out of range, %d > %d. ".formatted(index, columns),
                SqlStates.ILLEGAL_ARGUMENT);
    }

    @Override
    public SQLException noSuchLabel(String label) {
        return new SQLSyntaxErrorException("Column '%s' not found.".formatted(label), SqlStates.COLUMN_NOT_FOUND);
    }

    @Override
    public SQLException noSuchParameter(int index, int parameters) {
        return new SQLException(
                index < 1
                        ? "Parameter index out of range (%d < 1 ).".formatted(index)
                        : "Parameter index out of range (%d > number of parameters, which is %d)."
                                .formatted(index, parameters),
                SqlStates.ILLEGAL_ARGUMENT);
    }

    /** Returns the number of question marks: Connector/J writes the values into the text, which has no other bound. */
    @Override
    public int maxParameters(String sql) {
        return (int) sql.chars().filter(c -> c == '?').count();
    }

    @Override
    public boolean returnsKeysAgain() {
        return true;
    }

    @Override
    public SQLException unsetParameter(int index) {
        return new SQLException(
                "No value specified for parameter %d".formatted(index), SqlStates.WRONG_PARAMETER_COUNT);
    }

    /**
     * Returns, for a rollback, an exception of the class for lost connections, although the connection is intact: so
     * does Connector/J.
     */
    @Override
    public SQLException inAutoCommit(String what) {
        String message = "Can't call %s when autocommit=true".formatted(what);
        return what.equals("rollback")
                ? new SQLNonTransientConnectionException(message, SqlStates.CONNECTION_CLOSED)
                : new SQLException(message);
    }
}
