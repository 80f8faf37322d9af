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

/** Each client has its own last generated key, also where the text of a statement does not show that it asks for it. */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine({"mariadb", "mysql"})
class LastKeyTest extends SmallPoolTest {
    private static final String PARENT = "(SELECT parent FROM child ORDER BY id DESC LIMIT 1)";

    LastKeyTest(String engine) {}

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        start(
                engine,
                2,
                "CREATE TABLE counted (id BIGINT AUTO_INCREMENT PRIMARY KEY, v INT)",
                "CREATE VIEW own_key AS SELECT LAST_INSERT_ID() AS k",
                "CREATE VIEW above AS SELECT k FROM own_key",
                "CREATE VIEW given_key AS SELECT LAST_INSERT_ID(77) AS k",
                "CREATE FUNCTION key_of_client() RETURNS BIGINT RETURN LAST_INSERT_ID()",
                "CREATE FUNCTION key_of_variable() RETURNS BIGINT RETURN @@`identity`",
                "CREATE FUNCTION key_by_function() RETURNS BIGINT RETURN key_of_client()",
                "CREATE PROCEDURE show_value(IN k BIGINT) SELECT k",
                "CREATE PROCEDURE show_key() SELECT LAST_INSERT_ID()",
                "CREATE TABLE child (id INT AUTO_INCREMENT PRIMARY KEY, parent BIGINT, v INT)",
                "CREATE TRIGGER finds_parent BEFORE INSERT ON child FOR EACH ROW SET NEW.parent = LAST_INSERT_ID()",
                "CREATE FUNCTION changes_row() RETURNS INT BEGIN INSERT INTO child (v) VALUES (9); RETURN 1; END",
                "CREATE PROCEDURE fails() BEGIN SIGNAL SQLSTATE '45000'; END");
        cluster.awaitApplied();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT LAST_INSERT_ID()",
                "SELECT @@identity",
                "SELECT @@`identity`",
                "SELECT @@session.`last_insert_id`",
                "SELECT k FROM own_key",
                "SELECT k FROM above",
                "SELECT key_of_client()",
                "SELECT key_of_variable()",
                "SELECT key_by_function()",
                "CALL show_key()",
                "CALL show_value(LAST_INSERT_ID())",
                "PREPARE s FROM 'SELECT LAST_INSERT_ID()' | EXECUTE s",
                "INSERT INTO child (v) VALUES (1) | SELECT " + PARENT,
                "SELECT changes_row() | SELECT " + PARENT,
                "CREATE TABLE copied AS SELECT LAST_INSERT_ID() AS k | SELECT k FROM copied",
                "CREATE TABLE of_view AS SELECT k FROM own_key | SELECT k FROM of_view"
            })
    void shouldAskForTheKeyOfTheClient(String line) throws SQLException {
        String[] statements = line.split(" \\| ", -1);
        try (Connection client = cluster.connect();
                Connection other = cluster.connect()) {
            run(client, "INSERT INTO counted (v) VALUES (1)");
            run(other, "INSERT INTO counted (v) VALUES (2)");
            String key = text(client, "SELECT MAX(id) FROM counted WHERE v = 1");
            if (statements.length > 1) {
                run(client, statements[0]);
            }
            assertThat(text(client, statements[statements.length - 1])).isEqualTo(key);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT k FROM given_key",
                "SET `last_insert_id` = 77",
                "SET @@session.`identity` = 77",
                "CREATE TABLE given AS SELECT LAST_INSERT_ID(77) AS k"
            })
    void shouldKeepAKeyThatAStatementGives(String sql) throws SQLException {
        try (Connection client = cluster.connect();
                Connection other = cluster.connect()) {
            run(client, sql);
            assertThat(text(client, "SELECT LAST_INSERT_ID()")).isEqualTo("77");
            assertThat(text(other, "SELECT LAST_INSERT_ID()")).isEqualTo("0");
        }
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
