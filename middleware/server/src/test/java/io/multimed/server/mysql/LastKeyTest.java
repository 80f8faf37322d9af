// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.mysql;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.server.failure.SmallPoolTest;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each client has its own last generated key. */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine({"mariadb", "mysql"})
class LastKeyTest extends SmallPoolTest {
    LastKeyTest(String engine) {}

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        start(
                engine,
                2,
                "CREATE TABLE counted (id BIGINT AUTO_INCREMENT PRIMARY KEY, v INT)",
                "CREATE FUNCTION key_of_client() RETURNS BIGINT RETURN LAST_INSERT_ID()",
                "CREATE PROCEDURE fails() BEGIN SIGNAL SQLSTATE '45000'; END");
        cluster.awaitApplied();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"CALL fails()", "SIGNAL SQLSTATE '45000'", "SELECT * FROM missing WHERE key_of_client() > 0"})
    void shouldKeepTheKeyWhenAStatementFails(String sql) throws SQLException {
        try (Connection client = cluster.connect()) {
            run(client, "INSERT INTO counted (v) VALUES (3)");
            assertThatThrownBy(() -> run(client, sql)).isInstanceOf(SQLException.class);
            assertThat(text(client, "SELECT LAST_INSERT_ID()"))
                    .isEqualTo(text(client, "SELECT MAX(id) FROM counted WHERE v = 3"));
        }
    }
}
