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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A query that calls a function in an unusual place, or names a table there, is not a pure read. */
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
}
