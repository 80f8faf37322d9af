// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The property autosave: a statement that fails undoes only itself. */
@Timeout(300)
@Tag("standbys")
@Tag("slow")
class AutosaveTest {
    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.withSatellites(1).awaitOnline();
        cluster.run("CREATE TABLE saved (id int PRIMARY KEY, data bytea)");
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @BeforeEach
    void fill() throws SQLException {
        cluster.run("DELETE FROM saved", "INSERT INTO saved VALUES (1000, NULL)");
        cluster.awaitApplied();
    }

    /** Begins a transaction. */
    private static Connection connect(boolean cleanup) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", "tester");
        properties.setProperty("autosave", "always");
        properties.setProperty("cleanupSavepoints", String.valueOf(cleanup));
        Connection connection = DriverManager.getConnection(cluster.url(), properties);
        connection.setAutoCommit(false);
        return connection;
    }

    private static void fail(Connection connection) {
        assertThatThrownBy(() -> Sql.run(connection, "INSERT INTO saved VALUES (1000, NULL)"))
                .hasMessageContaining("duplicate key");
    }

    private static String count(Connection connection) throws SQLException {
        return Sql.text(connection, "SELECT count(*) FROM saved");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldContinueAfterAnyStatementThatFails(boolean cleanup) throws SQLException {
        try (Connection connection = connect(cleanup)) {
            fail(connection);
            Sql.run(connection, "INSERT INTO saved VALUES (1, NULL)");
            fail(connection);
            fail(connection);
            Sql.run(connection, "INSERT INTO saved VALUES (2, NULL)");
            assertThat(count(connection)).isEqualTo("3");
            connection.commit();
            fail(connection);
            connection.commit();
        }
        assertThat(cluster.onMaster("SELECT string_agg(id::text, ' ' ORDER BY id) FROM saved"))
                .isEqualTo("1 2 1000");
    }

    /** Other requests precede and follow the statement, between which a savepoint is set or released. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Tag("exhaustive")
    void shouldSendAndReadLargeValuesAndManyRows(boolean cleanup) throws SQLException {
        byte[] large = new byte[3 << 20];
        large[large.length - 1] = 7;
        try (Connection connection = connect(cleanup);
                PreparedStatement insert = connection.prepareStatement("INSERT INTO saved VALUES (?, ?)");
                Statement query = connection.createStatement()) {
            assertThat(count(connection)).isEqualTo("1");
            for (int id = 1; id <= 5; id++) {
                insert.setInt(1, id);
                insert.setBytes(2, large);
                insert.executeUpdate();
                fail(connection);
            }
            query.setFetchSize(1);
            try (ResultSet rows = query.executeQuery("SELECT id, data FROM saved WHERE id < 1000 ORDER BY id")) {
                for (int id = 1; id <= 5; id++) {
                    assertThat(rows.next()).isTrue();
                    assertThat(rows.getInt(1)).isEqualTo(id);
                    assertThat(rows.getBytes(2)).isEqualTo(large);
                    fail(connection);
                }
                assertThat(rows.next()).isFalse();
            }
            connection.rollback();
        }
    }

    /** A release of the driver's savepoint would also release the savepoints that follow. */
    @Test
    void shouldKeepTheSavepointsOfTheApplication() throws SQLException {
        try (Connection connection = connect(true);
                PreparedStatement savepoint = connection.prepareStatement("SAVEPOINT own")) {
            for (int id = 1; id <= 4; id++) {
                Sql.run(connection, "INSERT INTO saved VALUES (%d, NULL)".formatted(id));
                savepoint.execute();
                Sql.run(connection, "INSERT INTO saved VALUES (%d, NULL)".formatted(100 + id));
                fail(connection);
                Sql.run(connection, "ROLLBACK TO SAVEPOINT own", "/* kept */ SAVEPOINT other; SELECT 1");
                fail(connection);
                Sql.run(connection, "RELEASE SAVEPOINT other");
            }
            connection.commit();
        }
        assertThat(cluster.onMaster("SELECT string_agg(id::text, ' ' ORDER BY id) FROM saved"))
                .isEqualTo("1 2 3 4 1000");
    }

    @Test
    void shouldReadOnTheSatelliteInAReadOnlyTransaction() throws SQLException {
        try (Connection connection = connect(false)) {
            connection.setReadOnly(true);
            for (int i = 0; i < 3; i++) {
                assertThat(count(connection)).isEqualTo("1");
                assertThat(Sql.node(connection)).isEqualTo("satellite-1");
                assertThatThrownBy(() -> Sql.text(connection, "SELECT 1 / (count(*) - 1) FROM saved"))
                        .hasMessageContaining("division by zero");
            }
            connection.commit();
        }
    }

    @Test
    void shouldKeepChangesWhenATransactionMovesToTheMaster() throws SQLException {
        try (Connection connection = connect(false)) {
            assertThat(count(connection)).isEqualTo("1");
            assertThatThrownBy(() -> Sql.text(connection, "SELECT 1 / (count(*) - 1) FROM saved"))
                    .hasMessageContaining("division by zero");
            Sql.run(connection, "INSERT INTO saved VALUES (1, NULL)");
            fail(connection);
            assertThat(count(connection)).isEqualTo("2");
            connection.commit();
        }
        assertThat(cluster.onMaster("SELECT count(*) FROM saved")).isEqualTo("2");
    }

    /** Errors that the middleware reports are undone as those of the engine. */
    @Test
    void shouldContinueAfterARefusal() throws SQLException {
        try (Connection connection = connect(false)) {
            for (int i = 1; i <= 2; i++) {
                assertThatThrownBy(() -> Sql.run(connection, "PREPARE TRANSACTION 'x'"))
                        .isInstanceOf(SQLException.class);
                connection.rollback();
                assertThatThrownBy(() -> Sql.run(connection, "ALTER SYSTEM SET work_mem = 64"))
                        .isInstanceOf(SQLException.class);
                Sql.run(connection, "INSERT INTO saved VALUES (%d, NULL)".formatted(i));
                assertThatThrownBy(() -> Sql.run(connection, "ALTER SYSTEM SET work_mem = 64"))
                        .isInstanceOf(SQLException.class);
                connection.commit();
            }
        }
        assertThat(cluster.onMaster("SELECT count(*) FROM saved")).isEqualTo("3");
    }
}
