// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.EngineSql;
import io.multimed.engine.conformance.Sql;
import io.multimed.jdbc.DriverRegistration;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.server.testing.TestCluster;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/** Tests the view of an application: one URL and real engines. */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
class EndToEndTest {
    private static TestCluster cluster;

    private final String engine;
    private final EngineSql words;

    EndToEndTest(String engine) {
        this.engine = engine;
        words = EngineSql.of(engine, "words");
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = TestCluster.withSatellites(engine, 2).awaitOnline();
        cluster.run(
                "CREATE TABLE item (id int PRIMARY KEY, title varchar(40), price numeric(10,2), added timestamp)",
                "INSERT INTO item VALUES (1, 'one', 1.50, now()), (2, 'two', 2.25, now())",
                "CREATE TABLE part (id %s, name varchar(40) UNIQUE, n int)"
                        .formatted(EngineSql.of(engine, "words").statement("key")));
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    @Test
    void shouldAnswerAPlainQueryFromASatelliteWithTheNewestData() throws SQLException {
        try (Connection connection = cluster.connect();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO item VALUES (?, ?, ?, now())");
                PreparedStatement read = connection.prepareStatement("SELECT title, price FROM item WHERE id = ?")) {
            for (int id = 100; id < 200; id++) {
                insert.setInt(1, id);
                insert.setString(2, "title " + id);
                insert.setBigDecimal(3, new BigDecimal("9.99"));
                assertThat(insert.executeUpdate()).isEqualTo(1);
                read.setInt(1, id);
                try (ResultSet row = read.executeQuery()) {
                    assertThat(row.next()).isTrue();
                    assertThat(row.getString("title")).isEqualTo("title " + id);
                    assertThat(row.getBigDecimal(2)).isEqualByComparingTo("9.99");
                    assertThat(row.next()).isFalse();
                }
                assertThat(connection.unwrap(MultimedConnection.class).lastNode())
                        .startsWith("satellite");
            }
        }
    }

    @Test
    void shouldRollBackAndCommit() throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.executeUpdate("UPDATE item SET price = 7 WHERE id = 1");
            connection.rollback();
            statement.executeUpdate("UPDATE item SET price = price + 1 WHERE id = 1");
            connection.commit();
            connection.setReadOnly(true);
            try (ResultSet row = statement.executeQuery("SELECT price FROM item WHERE id = 1")) {
                row.next();
                assertThat(row.getBigDecimal(1)).isEqualByComparingTo("2.50");
            }
            connection.commit();
            assertThat(connection.unwrap(MultimedConnection.class).lastNode()).startsWith("satellite");
        }
    }

    @Test
    void shouldReportTheEnginesErrorUnchanged() throws SQLException {
        try (Connection connection = cluster.connect();
                Connection direct = cluster.direct("master")) {
            String wrong = "SELECT nothing FROM item";
            SQLException expected = catchThrowableOfType(SQLException.class, () -> Sql.run(direct, wrong));
            assertThat(expected.getSQLState()).isEqualTo(words.statement("state of an unknown column"));
            assertThatThrownBy(() -> Sql.run(connection, wrong)).isInstanceOfSatisfying(SQLException.class, failure -> {
                assertThat(failure.getMessage()).isEqualTo(expected.getMessage());
                assertThat(failure.getSQLState()).isEqualTo(expected.getSQLState());
                assertThat(failure.getErrorCode()).isEqualTo(expected.getErrorCode());
            });
        }
    }

    @Test
    void shouldRefuseAWriteThatBypassesTheMiddleware() throws SQLException {
        try (Connection direct = cluster.direct("master");
                Statement statement = direct.createStatement()) {
            assertThatThrownBy(() -> statement.executeUpdate("UPDATE item SET price = 0"))
                    .hasMessageContaining("updated through Multimed only");
        }
    }

    @Test
    void shouldReturnGeneratedKeysOfBatchesAndOfSeveralRows() throws SQLException {
        try (Connection connection = cluster.connect();
                PreparedStatement batch = connection.prepareStatement(
                        "INSERT INTO part (n) VALUES (?)", Statement.RETURN_GENERATED_KEYS);
                Statement statement = connection.createStatement()) {
            for (int i = 1000; i < 1003; i++) {
                batch.setInt(1, i);
                batch.addBatch();
            }
            assertThat(batch.executeLargeBatch()).containsExactly(1, 1, 1);
            assertThat(keys(batch))
                    .isEqualTo(ids(connection, "n BETWEEN 1000 AND 1002"))
                    .hasSize(3);
            assertThat(statement.executeLargeUpdate(
                            "INSERT INTO part (n) VALUES (7), (7)", Statement.RETURN_GENERATED_KEYS))
                    .isEqualTo(2);
            assertThat(keys(statement)).isEqualTo(ids(connection, "n = 7")).hasSize(2);
            assertThat(statement.executeUpdate("UPDATE part SET n = n WHERE n = 7"))
                    .as("rows found, changed or not")
                    .isEqualTo(2);
        }
    }

    private static List<Integer> keys(Statement statement) throws SQLException {
        List<Integer> keys = new ArrayList<>();
        try (ResultSet rows = statement.getGeneratedKeys()) {
            while (rows.next()) {
                keys.add(rows.getInt(1));
            }
        }
        return keys;
    }

    private static List<Integer> ids(Connection connection, String which) throws SQLException {
        return Sql.rows(connection, "SELECT id FROM part WHERE " + which).stream()
                .map(Integer::valueOf)
                .sorted()
                .toList();
    }

    @Test
    void shouldWorkWithDefaultSettingsOfHikariCp() throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(cluster.url());
        config.setUsername("tester");
        config.setMaximumPoolSize(4);
        config.setReadOnly(true);
        config.setAutoCommit(false);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            for (int i = 0; i < 50; i++) {
                try (Connection connection = pool.getConnection();
                        Statement statement = connection.createStatement();
                        ResultSet row = statement.executeQuery("SELECT count(*) FROM item")) {
                    assertThat(row.next()).isTrue();
                    assertThat(connection.unwrap(MultimedConnection.class).lastNode())
                            .startsWith("satellite");
                    connection.commit();
                }
            }
        }
    }

    @Test
    void shouldReportTheEngineAsProductAndMultimedAsDriver() throws SQLException {
        try (Connection connection = cluster.connect();
                Connection direct = cluster.direct("master")) {
            DatabaseMetaData ours = connection.getMetaData();
            DatabaseMetaData theirs = direct.getMetaData();
            assertThat(ours.getDatabaseProductName()).isEqualTo(theirs.getDatabaseProductName());
            assertThat(ours.getDatabaseProductVersion()).isEqualTo(theirs.getDatabaseProductVersion());
            assertThat(ours.getDriverName()).contains("Multimed");
            assertThat(ours.supportsSavepoints()).isEqualTo(theirs.supportsSavepoints());
            assertThat(ours.getIdentifierQuoteString()).isEqualTo(theirs.getIdentifierQuoteString());
            assertThat(connection.getTransactionIsolation()).isEqualTo(direct.getTransactionIsolation());
            assertThat(connection.getCatalog()).isEqualTo("shop");
            assertThat(connection.getSchema()).isEqualTo(direct.getSchema());
            try (ResultSet keys = ours.getPrimaryKeys(connection.getCatalog(), connection.getSchema(), "item")) {
                assertThat(keys.next()).isTrue();
                assertThat(keys.getString("COLUMN_NAME")).isEqualTo("id");
            }
        }
    }

    @Test
    @Tag("exhaustive")
    void shouldFetchALargeResultInPiecesAndReportBatchErrors() throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE wide (id int PRIMARY KEY, v varchar(100))");
            connection.setAutoCommit(false);
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO wide VALUES (?, ?)")) {
                for (int i = 0; i < 20_000; i++) {
                    insert.setInt(1, i);
                    insert.setString(2, "x".repeat(100));
                    insert.addBatch();
                }
                assertThat(insert.executeBatch()).hasSize(20_000).containsOnly(1);
                connection.commit();
                insert.setInt(1, 5);
                insert.setString(2, "again");
                insert.addBatch();
                assertThatThrownBy(insert::executeBatch)
                        .isInstanceOf(java.sql.BatchUpdateException.class)
                        .extracting("SQLState")
                        .isEqualTo(words.statement("state of a duplicate key"));
                connection.rollback();
            }
            connection.setAutoCommit(true);
            int rows = 0;
            try (ResultSet all = statement.executeQuery("SELECT id, v FROM wide ORDER BY id")) {
                while (all.next()) {
                    assertThat(all.getInt(1)).isEqualTo(rows++);
                }
            }
            assertThat(rows).isEqualTo(20_000);
        }
    }

    /** For tools that decide by a URL's beginning. */
    @Test
    void shouldAcceptUrlsOfTheEngineAndRefuseUrlsOfOtherEngines() throws SQLException {
        DriverRegistration.preferMultimed();
        List<String> own = List.of(words.statements("names in URLs"));
        for (String named : List.of("postgresql", "mariadb", "mysql")) {
            String url = cluster.url().replace("jdbc:", "jdbc:" + named + ":");
            if (own.contains(named) || named.equals(engine)) {
                try (Connection connection = DriverManager.getConnection(url, "tester", "")) {
                    assertThat(Sql.text(connection, "SELECT title FROM item WHERE id = 2"))
                            .isEqualTo("two");
                }
            } else {
                assertThatThrownBy(() -> DriverManager.getConnection(url, "tester", ""))
                        .hasMessageContaining("the URL names the engine " + named)
                        .extracting("SQLState")
                        .isEqualTo("08001");
            }
        }
    }

    /** A failed statement also fails the transaction on PostgreSQL; other engines continue the transaction. */
    @Test
    void shouldTreatATransactionAfterAnErrorAsTheEngineDoes() throws SQLException {
        boolean fails = words.statement("a transaction after an error").equals("fails");
        try (Connection connection = cluster.connect()) {
            connection.setAutoCommit(false);
            Sql.run(connection, "INSERT INTO part (name, n) VALUES ('kept', 30)");
            assertThatThrownBy(() -> Sql.run(connection, "INSERT INTO part (name) VALUES ('kept')"))
                    .isInstanceOf(SQLIntegrityConstraintViolationException.class)
                    .extracting("SQLState")
                    .isEqualTo(words.statement("state of a duplicate key"));
            String more = "INSERT INTO part (name, n) VALUES ('kept too', 30)";
            if (fails) {
                assertThatThrownBy(() -> Sql.run(connection, more))
                        .extracting("SQLState")
                        .isEqualTo("25P02");
            } else {
                Sql.run(connection, more);
            }
            connection.commit();
            connection.setAutoCommit(true);
            assertThat(Sql.text(connection, "SELECT count(*) FROM part WHERE n = 30"))
                    .isEqualTo(fails ? "0" : "2");
            assertThat(Sql.node(connection)).startsWith("satellite");
        }
    }

    @Test
    void shouldCommitBeforeDdlWhereTheEngineDoes() throws SQLException {
        boolean commits = words.statement("DDL in a transaction").equals("commits");
        try (Connection connection = cluster.connect()) {
            connection.setAutoCommit(false);
            Sql.run(
                    connection,
                    "INSERT INTO part (n) VALUES (40)",
                    "CREATE TABLE made_within (a INT PRIMARY KEY)",
                    "INSERT INTO made_within VALUES (1)");
            connection.rollback();
            connection.setAutoCommit(true);
            assertThat(Sql.text(connection, "SELECT count(*) FROM part WHERE n = 40"))
                    .isEqualTo(commits ? "1" : "0");
            assertThat(Sql.node(connection)).startsWith("satellite");
            if (commits) {
                assertThat(Sql.text(connection, "SELECT count(*) FROM made_within"))
                        .isEqualTo("0");
            } else {
                assertThatThrownBy(() -> Sql.run(connection, "SELECT * FROM made_within"))
                        .hasMessageContaining("made_within");
            }
        }
    }
}
