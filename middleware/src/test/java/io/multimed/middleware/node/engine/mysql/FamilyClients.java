package io.multimed.middleware.node.engine.mysql;

import static io.multimed.middleware.Sql.run;
import static io.multimed.middleware.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.math.BigInteger;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What clients of an engine of the family see through Multimed: where statements run, what sessions keep, what errors and keys say. The master has two connections for clients. */
abstract class FamilyClients extends FamilySystem {
    FamilyClients(String engine) {
        super(engine, 2);
    }

    @Override
    void fill() throws SQLException {
        try (Connection connection = cluster.connect()) {
            run(
                    connection,
                    "CREATE TABLE thing (id INT AUTO_INCREMENT PRIMARY KEY, v VARCHAR(20) UNIQUE, n INT)",
                    "INSERT INTO thing VALUES (1, 'one', 1)");
        }
    }

    @Test
    void shouldReadOnTheSatellite() throws SQLException {
        try (Connection connection = cluster.connect()) {
            assertThat(text(connection, "SELECT v FROM `thing` WHERE id = 1 # a comment"))
                    .isEqualTo("one");
            assertThat(node(connection)).isEqualTo("satellite");
            assertThat(text(connection, "SELECT v FROM thing WHERE id = 1 FOR UPDATE"))
                    .isEqualTo("one");
            assertThat(node(connection)).isEqualTo("master");
            assertThat(text(connection, "SHOW TABLES LIKE 'thing'")).isEqualTo("thing");
            connection.setReadOnly(true);
            connection.setAutoCommit(false);
            assertThat(text(connection, "SELECT v FROM thing WHERE id = 1")).isEqualTo("one");
            assertThat(node(connection)).isEqualTo("satellite");
            connection.commit();
        }
    }

    /** For tools that decide by a URL's beginning. MariaDB is an engine of MySQL's family, and not the other way round. */
    @Test
    void shouldTakeUrlsThatNameTheEngineAndRefuseThoseOfAnother() throws SQLException {
        for (String accepted : List.of("mysql", engine)) {
            try (Connection connection = DriverManager.getConnection(named(accepted), "tester", "")) {
                assertThat(text(connection, "SELECT v FROM thing WHERE id = 1")).isEqualTo("one");
            }
        }
        for (String other : List.of("postgresql", engine.equals("mysql") ? "mariadb" : "postgresql")) {
            assertThatThrownBy(() -> DriverManager.getConnection(named(other), "tester", ""))
                    .hasMessageContaining("jdbc:" + other)
                    .extracting("SQLState")
                    .isEqualTo("08001");
        }
    }

    private String named(String engineOfUrl) {
        return cluster.url().replace("jdbc:", "jdbc:" + engineOfUrl + ":");
    }

    @Test
    void shouldTellEachClientItsOwnLastKey() throws SQLException {
        try (Connection one = cluster.connect();
                Connection other = cluster.connect()) {
            run(one, "INSERT INTO thing (n) VALUES (10)");
            run(other, "INSERT INTO thing (n) VALUES (11)");
            String first = text(one, "SELECT MAX(id) FROM thing WHERE n = 10");
            assertThat(text(other, "SELECT LAST_INSERT_ID()"))
                    .isEqualTo(text(one, "SELECT MAX(id) FROM thing WHERE n = 11"));
            assertThat(text(one, "SELECT LAST_INSERT_ID()")).isEqualTo(first);
            run(other, "INSERT INTO thing VALUES (5000, 'given', 12)");
            run(one, "UPDATE thing SET n = 13 WHERE id = LAST_INSERT_ID()");
            assertThat(text(one, "SELECT n FROM thing WHERE id = " + first)).isEqualTo("13");
            one.setAutoCommit(false);
            run(one, "INSERT INTO thing (n) VALUES (14)");
            assertThat(text(one, "SELECT ROW_COUNT()")).isEqualTo("1");
            one.rollback();
            assertThat(Integer.parseInt(text(one, "SELECT LAST_INSERT_ID()"))).isGreaterThan(Integer.parseInt(first));
            one.rollback();
        }
        try (Connection fresh = cluster.connect()) {
            assertThat(text(fresh, "SELECT LAST_INSERT_ID()")).isEqualTo("0");
        }
    }

    @Test
    void shouldGiveGeneratedKeysAndCounts() throws SQLException {
        try (Connection connection = cluster.connect();
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO thing (n) VALUES (?), (?)", Statement.RETURN_GENERATED_KEYS)) {
            insert.setInt(1, 20);
            insert.setInt(2, 20);
            assertThat(insert.executeUpdate()).isEqualTo(2);
            try (ResultSet keys = insert.getGeneratedKeys()) {
                assertThat(keys.next()).isTrue();
                long first = keys.getLong(1);
                assertThat(keys.next()).isTrue();
                assertThat(keys.getLong(1)).isEqualTo(first + 1);
            }
            try (Statement update = connection.createStatement()) {
                assertThat(update.executeUpdate("UPDATE thing SET n = 20 WHERE n = 20"))
                        .isEqualTo(2);
            }
        }
    }

    @Test
    void shouldGoOnAfterAnErrorAndCommitTheRest() throws SQLException {
        try (Connection connection = cluster.connect()) {
            connection.setAutoCommit(false);
            run(connection, "INSERT INTO thing (v, n) VALUES ('kept', 30)");
            assertThatThrownBy(() -> run(connection, "INSERT INTO thing (v) VALUES ('one')"))
                    .isInstanceOfSatisfying(SQLIntegrityConstraintViolationException.class, failure -> {
                        assertThat(failure.getSQLState()).isEqualTo("23000");
                        assertThat(failure.getErrorCode()).isEqualTo(1062);
                    });
            run(connection, "INSERT INTO thing (v, n) VALUES ('kept too', 30)");
            connection.commit();
            connection.setAutoCommit(true);
            assertThat(text(connection, "SELECT COUNT(*) FROM thing WHERE n = 30"))
                    .isEqualTo("2");
            assertThat(node(connection)).isEqualTo("satellite");
        }
    }

    @Test
    void shouldCommitBeforeDdlAsTheEngineDoes() throws SQLException {
        try (Connection connection = cluster.connect()) {
            connection.setAutoCommit(false);
            run(connection, "INSERT INTO thing (n) VALUES (40)", "CREATE TABLE made_within (a INT PRIMARY KEY)");
            run(connection, "INSERT INTO made_within VALUES (1)");
            connection.rollback();
            connection.setAutoCommit(true);
            assertThat(text(connection, "SELECT COUNT(*) FROM thing WHERE n = 40"))
                    .isEqualTo("1");
            assertThat(text(connection, "SELECT COUNT(*) FROM made_within")).isEqualTo("0");
            assertThat(node(connection)).isEqualTo("satellite");
        }
    }

    @Test
    void shouldKeepSessionStateWithItsClient() throws SQLException {
        try (Connection one = cluster.connect();
                Connection other = cluster.connect()) {
            run(one, "SET @mine = 5", "CREATE TEMPORARY TABLE own (a INT)", "INSERT INTO own VALUES (7)");
            assertThat(pinned()).isNotEmpty();
            assertThat(text(one, "SELECT @mine + a FROM own")).isEqualTo("12");
            assertThat(text(other, "SELECT @mine")).isNull();
            assertThatThrownBy(() -> text(other, "SELECT a FROM own")).hasMessageContaining("own");
        }
    }

    @Test
    void shouldChangeTheDatabaseOfOneClient() throws SQLException {
        try (Connection connection = cluster.connect()) {
            assertThat(connection.getCatalog()).isEqualTo("shop");
            assertThat(connection.getSchema()).isNull();
            connection.setCatalog("information_schema");
            assertThat(text(connection, "SELECT DATABASE()")).isEqualTo("information_schema");
            connection.setCatalog("shop");
            assertThat(text(connection, "SELECT DATABASE()")).isEqualTo("shop");
        }
        await().atMost(Duration.ofMinutes(3)).until(() -> pinned().isEmpty());
    }

    @Test
    void shouldSayWhatTheEnginesOwnDriverSays() throws SQLException {
        try (Connection connection = cluster.connect();
                Connection direct = cluster.direct("master")) {
            assertThat(connection.getMetaData().getDatabaseProductName())
                    .isEqualTo(direct.getMetaData().getDatabaseProductName());
            assertThat(connection.getMetaData().getDatabaseProductVersion())
                    .isEqualTo(direct.getMetaData().getDatabaseProductVersion());
            assertThat(connection.getMetaData().getIdentifierQuoteString()).isEqualTo("`");
            assertThat(connection.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_REPEATABLE_READ);
        }
    }

    @Test
    void shouldReadValuesOfTheFamilysOwnTypes() throws SQLException {
        try (Connection connection = cluster.connect()) {
            run(
                    connection,
                    "CREATE TABLE typed (id INT PRIMARY KEY, t TINYINT(1), b BIGINT UNSIGNED, d TIME, m DATETIME(3), y YEAR)",
                    "INSERT INTO typed VALUES (1, 1, 18446744073709551615, '-838:59:59', '2024-02-29 01:02:03.500', 2024)");
            try (PreparedStatement query =
                    connection.prepareStatement("SELECT t, b, d, m, y FROM typed WHERE id = ?")) {
                query.setInt(1, 1);
                try (ResultSet row = query.executeQuery()) {
                    assertThat(row.next()).isTrue();
                    assertThat(row.getObject(1)).isEqualTo(true);
                    assertThat(row.getObject(2)).isEqualTo(new BigInteger("18446744073709551615"));
                    assertThat(row.getString(3)).isEqualTo("-838:59:59");
                    assertThat(row.getObject(4)).isEqualTo(LocalDateTime.parse("2024-02-29T01:02:03.500"));
                    assertThat(row.getInt(5)).isEqualTo(2024);
                }
            }
            assertThat(node(connection)).isEqualTo("satellite");
        }
    }

    @Test
    void shouldRefuseWhatOnlyTheConnectionBeforeKnows() throws SQLException {
        try (Connection connection = cluster.connect()) {
            assertThatThrownBy(() -> text(connection, "SELECT FOUND_ROWS()"))
                    .isInstanceOf(SQLFeatureNotSupportedException.class)
                    .hasMessageContaining("in one transaction");
            assertThatThrownBy(() -> run(connection, "LOCK TABLES thing WRITE"))
                    .isInstanceOf(SQLFeatureNotSupportedException.class)
                    .hasMessageContaining("FOR UPDATE");
        }
    }
}
