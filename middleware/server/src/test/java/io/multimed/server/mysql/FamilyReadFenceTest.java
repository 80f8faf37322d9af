// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.mysql;

import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A query that calls a function in an unusual place, or names a table there, is not a pure read. */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine({"mariadb", "mysql"})
class FamilyReadFenceTest {
    private static TestCluster cluster;

    private final String engine;

    FamilyReadFenceTest(String engine) {
        this.engine = engine;
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = TestCluster.withSatellites(engine, 1).awaitOnline();
        cluster.run("CREATE TABLE item (id INT PRIMARY KEY, v VARCHAR(100))", "INSERT INTO item VALUES (3, 'v3')");
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    private void awaitSatellite(Connection client) {
        await().untilAsserted(() -> {
            text(client, "SELECT v FROM item WHERE id = 3");
            assertThat(Sql.node(client)).as(engine).isEqualTo("satellite-1");
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "WITH get_lock(x) AS (SELECT 1) SELECT GET_LOCK('taken', 0) FROM get_lock",
                "WITH `get_lock`(x) AS (SELECT 1) SELECT get_lock('taken', 0) FROM get_lock",
                "WITH a AS (WITH get_lock(x) AS (SELECT 1) SELECT * FROM get_lock) SELECT get_lock('taken', 0) FROM a",
                "WITH last_insert_id(x) AS (SELECT 1) SELECT last_insert_id(77) FROM last_insert_id",
                "WITH sleep(x) AS (SELECT 1) SELECT sleep(0) FROM sleep",
                "WITH connection_id(x) AS (SELECT 1) SELECT connection_id() FROM connection_id",
                "WITH load_file(x) AS (SELECT 1) SELECT load_file('/etc/hostname') FROM load_file",
            })
    void theMasterRunsFunctionsThatAreNotPure(String query) throws SQLException {
        try (Connection client = cluster.connect()) {
            awaitSatellite(client);
            for (int i = 0; i < 3; i++) {
                text(client, query);
                assertThat(Sql.node(client)).isEqualTo("master");
                try (PreparedStatement prepared = client.prepareStatement(query)) {
                    prepared.executeQuery().close();
                    assertThat(Sql.node(client)).isEqualTo("master");
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT count(*) FROM item GROUP BY (SELECT count(*) FROM information_schema.tables)",
                "SELECT substring(v FROM (SELECT 1 FROM information_schema.tables LIMIT 1)) FROM item",
                "SELECT v FROM item WHERE id > ALL (SELECT 0 FROM `information_schema`.`tables`)",
                "WITH a AS (WITH tables AS (SELECT 1) SELECT 1) SELECT (SELECT count(*) FROM information_schema.tables) FROM a, item",
                "SELECT count(*) OVER (ORDER BY (SELECT count(*) FROM information_schema.statistics)) FROM item",
            })
    void theMasterAnswersForTheCatalog(String query) throws SQLException {
        try (Connection client = cluster.connect()) {
            awaitSatellite(client);
            for (int i = 0; i < 3; i++) {
                text(client, query);
                assertThat(Sql.node(client)).isEqualTo("master");
            }
        }
    }

    /** The engines' words for columns of a WITH item remain reads. */
    @Test
    void columnsOfWithItemsAreRead() throws SQLException {
        try (Connection client = cluster.connect()) {
            awaitSatellite(client);
            assertThat(text(client, "WITH a (x, y) AS (SELECT id, v FROM item) SELECT y FROM a"))
                    .isEqualTo("v3");
            assertThat(Sql.node(client)).isEqualTo("satellite-1");
            assertThat(text(client, "WITH a (x) AS (SELECT 1), b (`y`) AS (SELECT v FROM item) SELECT y FROM a, b"))
                    .isEqualTo("v3");
            assertThat(Sql.node(client)).isEqualTo("satellite-1");
        }
    }

    /**
     * A quoted name, the name of a built-in function that is not directly followed by its parenthesis, and a word that
     * only the other engine knows call a user's function.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "repeat|SELECT `repeat`(5) FROM item WHERE id = 3",
                "left|SELECT `left` (5) FROM item WHERE id = 3",
                "if|SELECT `IF`(5) FROM item WHERE id = 3",
                "in|SELECT `in`(5) FROM item WHERE id = 3",
                "position|SELECT `position`(5) FROM item WHERE id = 3",
                "max|SELECT max (5) FROM item WHERE id = 3",
                "m\u00e1x|SELECT max (5) FROM item WHERE id = 3",
                "max|SELECT `max`(5) FROM item WHERE id = 3",
                "now|SELECT now\n(5) FROM item WHERE id = 3",
                "group_concat|SELECT group_concat/**/(5) FROM item WHERE id = 3",
                "substring|SELECT substring (5) FROM item WHERE id = 3",
                "extract|SELECT extract (5) FROM item WHERE id = 3",
                "max|SELECT @@version, max (5)",
            })
    @Tag("exhaustive")
    void aUsersFunctionWithTheNameOfABuiltInOneIsNoRead(String attack) throws SQLException {
        String name = attack.substring(0, attack.indexOf('|'));
        String query = attack.substring(attack.indexOf('|') + 1);
        cluster.run(
                "CREATE TABLE IF NOT EXISTS paid (n INT PRIMARY KEY AUTO_INCREMENT)",
                "CREATE FUNCTION `" + name + "`(x INT) RETURNS INT DETERMINISTIC MODIFIES SQL DATA"
                        + " BEGIN INSERT INTO paid VALUES (NULL); RETURN x; END");
        try (Connection client = cluster.connect()) {
            awaitSatellite(client);
            assertThat(Sql.rows(client, "EXPLAIN ROUTE " + query).toString()).doesNotContain("PURE_READ", "CATALOG");
            String then = cluster.onMaster("SELECT count(*) + 1 FROM paid");
            assertThat(Sql.rows(client, query).toString()).contains("5");
            assertThat(cluster.onMaster("SELECT count(*) FROM paid"))
                    .as("the query calls the function")
                    .isEqualTo(then);
            assertThat(text(client, "SELECT concat(count(*), max(id)) FROM item WHERE id IN (3)"))
                    .isEqualTo("13");
            assertThat(Sql.node(client)).as("other calls remain reads").isEqualTo("satellite-1");
        } finally {
            cluster.run("DROP FUNCTION `" + name + "`");
        }
    }
}
