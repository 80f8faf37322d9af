// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.mysql;

import static io.multimed.engine.conformance.Sql.node;
import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.server.failure.SmallPoolTest;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDateTime;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Checks features that only clients of the family have: the SQL mode of the server, the last key, databases, types of
 * the family, and the statements that drivers send when they connect.
 */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine({"mariadb", "mysql"})
@Tag("exhaustive")
class MySqlClientsTest extends SmallPoolTest {
    MySqlClientsTest(String engine) {
        assertThat(cluster.engine("master").node().engine()).isEqualTo(engine);
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        start(
                engine,
                2,
                "CREATE TABLE thing (id INT AUTO_INCREMENT PRIMARY KEY, v VARCHAR(20) UNIQUE, n INT)",
                "INSERT INTO thing VALUES (1, 'one', 1)");
    }

    /** Connections of Multimed have another SQL mode, in which strings and divisions by zero have another meaning. */
    @Test
    void shouldRunStatementsInTheSqlModeOfTheServer() throws SQLException {
        try (Connection connection = cluster.connect();
                Connection direct = cluster.direct("master")) {
            String mode = text(direct, "SELECT @@sql_mode");
            connection.setAutoCommit(false);
            assertThat(text(connection, "SELECT @@sql_mode")).isEqualTo(mode);
            connection.rollback();
            assertThat(text(connection, "SELECT 'it\\'s'")).isEqualTo("it's");
        }
    }

    @Test
    void shouldReturnEachClientItsOwnLastKey() throws SQLException {
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
    void shouldChangeTheDatabaseOfOneClient() throws SQLException {
        try (Connection connection = cluster.connect()) {
            assertThat(connection.getCatalog()).isEqualTo("shop");
            assertThat(connection.getSchema()).isNull();
            connection.setCatalog("information_schema");
            assertThat(text(connection, "SELECT DATABASE()")).isEqualTo("information_schema");
            connection.setCatalog("shop");
            assertThat(text(connection, "SELECT DATABASE()")).isEqualTo("shop");
        }
        cluster.awaitUnpinned();
    }

    @Test
    void shouldReadValuesOfTypesOfTheFamily() throws SQLException {
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
    void shouldRunConnectStatementsOfDriversWithoutLeakingState() throws SQLException {
        String before;
        try (Connection connection = cluster.connect()) {
            before = text(
                    connection,
                    "SELECT CONCAT_WS(' ', @@sql_mode, @@character_set_results, @@time_zone, @@collation_connection)");
        }
        try (Connection connection = cluster.connect()) {
            run(
                    connection,
                    "/* mysql-connector-j */ SELECT @@session.auto_increment_increment AS a, @@character_set_client AS b, @@max_allowed_packet AS c, @@time_zone AS d",
                    "SHOW VARIABLES LIKE 'lower_case_%'",
                    "SET NAMES latin1",
                    "SET character_set_results = NULL",
                    "SET sql_mode = 'ANSI_QUOTES'",
                    "SET time_zone = '+05:00'",
                    "SELECT @@session.transaction_read_only",
                    "SHOW WARNINGS",
                    "SELECT CONNECTION_ID()");
            assertThat(text(connection, "SELECT @@sql_mode")).contains("ANSI_QUOTES");
        }
        awaitTheEndOfTheClientsBefore();
        for (int i = 0; i < 4; i++) {
            try (Connection next = cluster.connect()) {
                assertThat(
                                text(
                                        next,
                                        "SELECT CONCAT_WS(' ', @@sql_mode, @@character_set_results, @@time_zone, @@collation_connection)"))
                        .isEqualTo(before);
            }
        }
    }
}
