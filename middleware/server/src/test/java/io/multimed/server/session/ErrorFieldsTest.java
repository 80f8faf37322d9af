// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.multimed.jdbc.EngineError;
import io.multimed.jdbc.MultimedError;
import io.multimed.server.testing.TestCluster;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLSyntaxErrorException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransactionRollbackException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** Each field of an error of the engine arrives, and the exception has the JDBC class of its SQLState. */
@Timeout(600)
@Tag("standbys")
@Tag("slow")
class ErrorFieldsTest {
    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.withSatellites(1).awaitOnline();
        cluster.run(
                "CREATE DOMAIN positive AS int CONSTRAINT is_positive CHECK (value > 0)",
                "CREATE TABLE thing (id int CONSTRAINT thing_key PRIMARY KEY, name text NOT NULL, n positive, CONSTRAINT short CHECK (length(name) < 10))",
                "INSERT INTO thing VALUES (1, 'one', 1)",
                "CREATE FUNCTION complain() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = 'ZX123', DETAIL = 'a detail', HINT = 'a hint', SCHEMA = 's', TABLE = 't', COLUMN = 'c', DATATYPE = 'd', CONSTRAINT = 'k'; END $$",
                "CREATE FUNCTION inner_error() RETURNS int LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'SELECT no_such_column FROM thing'; RETURN 1; END $$");
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO thing VALUES (1, 'again', 1)",
                "INSERT INTO thing VALUES (2, NULL, 1)",
                "INSERT INTO thing VALUES (2, 'much too long a name', 1)",
                "INSERT INTO thing VALUES (2, 'two', -1)",
                "SELECT nothing FROM thing",
                "SELEC 1",
                "SELECT 1 / (id - 1) FROM thing",
                "SELECT 'x'::int",
                "SELECT complain()",
                "SELECT inner_error()",
                "SELECT * FROM no_such_table"
            })
    void shouldReturnTheErrorFieldsOfTheEnginesDriver(String sql) throws SQLException {
        PSQLException engines = failure(cluster.direct("master"), sql, PSQLException.class);
        SQLException ours = failure(cluster.connect(), sql, SQLException.class);
        assertThat(ours.getMessage()).isEqualTo(engines.getMessage());
        assertThat(ours.getSQLState()).isEqualTo(engines.getSQLState());
        EngineError error = MultimedError.of(new IllegalStateException("of a framework", ours))
                .orElseThrow();
        assertThat(error.node()).isIn("master", "satellite-1");
        assertThat(fields(error)).isEqualTo(fields(engines.getServerErrorMessage()));
    }

    private static <T extends SQLException> T failure(Connection connection, String sql, Class<T> type)
            throws SQLException {
        try (connection;
                Statement statement = connection.createStatement()) {
            return catchThrowableOfType(type, () -> statement.execute(sql));
        }
    }

    private static List<Object> fields(EngineError error) {
        return Arrays.asList(
                error.severity(),
                error.message(),
                error.detail(),
                error.hint(),
                error.position(),
                error.internalPosition(),
                error.internalQuery(),
                error.where(),
                error.schema(),
                error.table(),
                error.column(),
                error.datatype(),
                error.constraint(),
                error.file(),
                error.line(),
                error.routine());
    }

    private static List<Object> fields(ServerErrorMessage error) {
        return Arrays.asList(
                error.getSeverity(),
                error.getMessage(),
                error.getDetail(),
                error.getHint(),
                error.getPosition(),
                error.getInternalPosition(),
                error.getInternalQuery(),
                error.getWhere(),
                error.getSchema(),
                error.getTable(),
                error.getColumn(),
                error.getDatatype(),
                error.getConstraint(),
                error.getFile(),
                error.getLine(),
                error.getRoutine());
    }

    @Test
    void shouldReturnTheFieldsOfAnErrorInABatch() throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            statement.addBatch("UPDATE thing SET name = name");
            statement.addBatch("INSERT INTO thing VALUES (1, 'again', 1)");
            BatchUpdateException failure = catchThrowableOfType(BatchUpdateException.class, statement::executeBatch);
            assertThat(MultimedError.of(failure).orElseThrow().constraint()).isEqualTo("thing_key");
            assertThat(MultimedError.of(failure.getNextException())
                            .orElseThrow()
                            .table())
                    .isEqualTo("thing");
        }
    }

    @Test
    void shouldThrowTheExceptionClassOfTheSqlState() throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            assertClass(
                    statement, "INSERT INTO thing VALUES (1, 'x', 1)", SQLIntegrityConstraintViolationException.class);
            assertClass(statement, "SELECT 1 / 0", SQLDataException.class);
            assertClass(statement, "SELEC", SQLSyntaxErrorException.class);
            assertClass(statement, "LISTEN x", SQLFeatureNotSupportedException.class);
            assertClass(
                    statement,
                    "DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '40P01'; END $$",
                    SQLTransactionRollbackException.class);
            statement.setQueryTimeout(1);
            assertClass(statement, "SELECT pg_sleep(10), now()", SQLTimeoutException.class);
        }
        assertThat(MultimedError.of(new SQLException("nobody's"))).isEmpty();
    }

    private static void assertClass(Statement statement, String sql, Class<?> expected) {
        assertThatThrownBy(() -> statement.execute(sql)).isInstanceOf(expected).isInstanceOf(MultimedError.class);
    }
}
