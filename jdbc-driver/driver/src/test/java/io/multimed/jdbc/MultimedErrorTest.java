// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc;

import static io.multimed.jdbc.ScriptedMiddleware.IDLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.multimed.protocol.request.Execute;
import io.multimed.protocol.request.ExecuteScript;
import io.multimed.protocol.response.ErrorReport;
import io.multimed.protocol.value.ErrorField;
import io.multimed.protocol.value.ErrorFields;
import io.multimed.protocol.value.Warning;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.DataTruncation;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLInvalidAuthorizationSpecException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLSyntaxErrorException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransactionRollbackException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Errors that the middleware reports, as the application gets them. */
@Timeout(20)
class MultimedErrorTest {
    private ScriptedMiddleware middleware;
    private Connection connection;

    @BeforeEach
    void connect() throws Exception {
        middleware = new ScriptedMiddleware(ScriptedMiddleware.POSTGRESQL);
        connection = middleware.connect();
    }

    @AfterEach
    void close() throws Exception {
        connection.close();
        middleware.close();
    }

    private SQLException thrown(String state, ErrorFields fields) {
        ErrorReport report = new ErrorReport(
                IDLE, state, 1062, "it failed", "master", fields, List.of(new Warning("01000", 3, "next")), null);
        middleware.answering(request -> request instanceof Execute ? report : null);
        return catchThrowableOfType(
                SQLException.class, () -> connection.createStatement().execute("SELECT 1"));
    }

    static Stream<Arguments> states() {
        return Stream.of(
                Arguments.of("08006", SQLNonTransientConnectionException.class),
                Arguments.of("0A000", SQLFeatureNotSupportedException.class),
                Arguments.of("22012", SQLDataException.class),
                Arguments.of("23505", SQLIntegrityConstraintViolationException.class),
                Arguments.of("28P01", SQLInvalidAuthorizationSpecException.class),
                Arguments.of("40001", SQLTransactionRollbackException.class),
                Arguments.of("42601", SQLSyntaxErrorException.class),
                Arguments.of("57014", SQLTimeoutException.class),
                Arguments.of("P0001", SQLException.class));
    }

    @ParameterizedTest
    @MethodSource("states")
    void shouldBeOfTheClassThatBelongsToTheState(String state, Class<?> type) {
        SQLException thrown = thrown(state, ErrorFields.NONE);
        assertThat((Throwable) thrown)
                .isInstanceOf(type)
                .isInstanceOf(MultimedError.class)
                .hasMessage("it failed");
        assertThat(thrown.getSQLState()).isEqualTo(state);
        assertThat(thrown.getErrorCode()).isEqualTo(1062);
        assertThat((Throwable) thrown.getNextException()).hasMessage("next");
    }

    static Stream<Class<?>> classes() {
        return Stream.of(
                DataTruncation.class, SQLTransientConnectionException.class, java.sql.SQLNonTransientException.class);
    }

    @ParameterizedTest
    @MethodSource("classes")
    void shouldBeOfTheClassThatTheEnginesDriverThrows(Class<?> type) {
        ErrorFields fields = new ErrorFields(Map.of(ErrorField.EXCEPTION, type.getSimpleName()));
        assertThat((Throwable) thrown("23000", fields)).isInstanceOf(type).hasMessage("it failed");
    }

    @Test
    void shouldGiveTheFieldsOfTheErrorEvenIfItIsWrapped() throws SQLException {
        SQLException thrown = thrown(
                "23505", new ErrorFields(Map.of(ErrorField.CONSTRAINT, "item_title_key", ErrorField.POSITION, "15")));
        EngineError error = MultimedError.of(new IllegalStateException(new RuntimeException(thrown)))
                .orElseThrow();
        assertThat(error.constraint()).isEqualTo("item_title_key");
        assertThat(error.position()).isEqualTo(15);
        assertThat(error.line()).as("a position that is not set").isZero();
        assertThat(error.hint()).isNull();
        assertThat(error.node()).isEqualTo("master");
        assertThat(MultimedError.of(new SQLException("another"))).isEmpty();
        assertThat(MultimedError.of(null)).isEmpty();
    }

    @Test
    void shouldReportHowMuchOfABatchWasExecuted() throws SQLException {
        long[] counts = {1, Statement.EXECUTE_FAILED};
        middleware.answering(request -> request instanceof ExecuteScript
                ? new ErrorReport(IDLE, "23505", 0, "duplicate", "master", ErrorFields.NONE, List.of(), counts)
                : null);
        Statement statement = connection.createStatement();
        statement.addBatch("INSERT ...");
        statement.addBatch("INSERT ...");
        BatchUpdateException thrown = catchThrowableOfType(BatchUpdateException.class, statement::executeBatch);
        assertThat(thrown.getUpdateCounts()).containsExactly(1, Statement.EXECUTE_FAILED);
        assertThat(thrown.getCause()).isInstanceOf(SQLIntegrityConstraintViolationException.class);
    }
}
