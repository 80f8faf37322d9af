// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.server.failure.SmallPoolTest;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/** Requests that JDBC leaves to the driver, as MySQL's Connector/J answers them. */
@Tag("slow")
@Timeout(300)
@ParameterizedClass
@EachEngine({"mariadb", "mysql"})
@Tag("exhaustive")
class ConnectorStatementsTest extends SmallPoolTest {
    ConnectorStatementsTest(String engine) {
        assertThat(cluster.engine("master").node().engine()).isEqualTo(engine);
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        start(
                engine,
                3,
                "CREATE TABLE keyed (id INT AUTO_INCREMENT PRIMARY KEY, v INT UNIQUE)",
                "INSERT INTO keyed VALUES (41, 1)");
    }

    @Test
    void shouldSendMoreParametersThanTheProtocolOfTheEngineAllows() throws SQLException {
        int count = 70_000;
        String sql = "SELECT COUNT(*) FROM keyed WHERE id = 41 AND v IN (?" + ", ?".repeat(count - 1) + ")";
        try (Connection connection = cluster.connect();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 1; i <= count; i++) {
                statement.setInt(i, count - i + 1);
            }
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                assertThat(row.getInt(1)).isOne();
            }
            assertThatThrownBy(() -> statement.setInt(count + 1, 0))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining(
                            "Parameter index out of range (70001 > number of parameters, which is 70000)");
        }
    }

    /** Each call returns all keys, also after the application has read or closed them. */
    @Test
    void shouldReturnGeneratedKeysAsOftenAsRequested() throws SQLException {
        try (Connection ours = cluster.connect();
                Statement statement = ours.createStatement()) {
            statement.executeUpdate("INSERT INTO keyed (v) VALUES (11), (12)", Statement.RETURN_GENERATED_KEYS);
            List<Long> first = keys(statement);
            assertThat(first).hasSize(2);
            assertThat(keys(statement)).isEqualTo(first);
            ResultSet open = statement.getGeneratedKeys();
            ResultSet another = statement.getGeneratedKeys();
            assertThat(open.next() && another.next() && open.next()).isTrue();
            assertThat(another.getLong(1)).isEqualTo(first.get(0));
            statement.executeUpdate("UPDATE keyed SET v = 13 WHERE v = 12", Statement.RETURN_GENERATED_KEYS);
            assertThat(another.isClosed()).isTrue();
            assertThat(keys(statement)).isEmpty();
        }
    }

    private static List<Long> keys(Statement statement) throws SQLException {
        List<Long> keys = new ArrayList<>();
        try (ResultSet rows = statement.getGeneratedKeys()) {
            while (rows.next()) {
                keys.add(rows.getLong(1));
            }
        }
        return keys;
    }

    @Test
    void shouldRefuseTheRequestForSeveralStatementsInOneText() {
        String url = cluster.url() + (cluster.url().contains("?") ? "&" : "?") + "allowMultiQueries=";
        assertThatThrownBy(() -> DriverManager.getConnection(url + "true"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("allowMultiQueries")
                .hasMessageContaining("addBatch")
                .extracting("SQLState")
                .isEqualTo("0A000");
    }
}
