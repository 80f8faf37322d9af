// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/** A master that Multimed did not start may have any time zone: satellites use the same time zone, or do not answer. */
@Tag("slow")
@Timeout(300)
@Tag("exhaustive")
class ServerZoneTest {
    /** A zone that no machine has: an hour and a quarter ahead, and two hours later from the year 2000 on. */
    private static final String[] ZONE = {
        "INSERT INTO mysql.time_zone VALUES (4711, 'N')",
        "INSERT INTO mysql.time_zone_name VALUES ('Test/Zone', 4711)",
        "INSERT INTO mysql.time_zone_transition_type VALUES (4711, 0, 4500, 0, 'EARLY'), (4711, 1, 11700, 0, 'LATE')",
        "INSERT INTO mysql.time_zone_transition VALUES (4711, -2000000000, 0), (4711, 946684800, 1)"
    };

    private static final String MOMENTS =
            "SELECT GROUP_CONCAT(DATE_FORMAT(ts, '%%W %%d %%M %%Y %%H:%%i') ORDER BY ts), MAX(%s) FROM moment";

    @ParameterizedTest
    @EachEngine({"mariadb", "mysql"})
    void shouldAnswerOnSatellitesInTheMastersZone(String engine) throws Exception {
        try (TestCluster cluster = TestCluster.withSatellites(engine, 1).awaitOnline()) {
            cluster.run(
                    "CREATE TABLE moment (id INT PRIMARY KEY, ts TIMESTAMP NULL)",
                    "INSERT INTO moment VALUES (1, '1980-06-01 12:00:00'), (2, '2020-02-28 23:30:00')");
            String converted = "CONVERT_TZ(ts, '+00:00', 'Test/Zone')";
            assertSame(cluster, converted, "Friday 28 February 2020 23:30");

            restart(cluster, "SET GLOBAL time_zone = '+05:45', GLOBAL lc_time_names = 'de_DE'");
            assertSame(cluster, converted, "Samstag 29 Februar 2020 05:15");

            restart(cluster, ZONE);
            restart(cluster, "SET GLOBAL time_zone = 'Test/Zone'");
            assertSame(cluster, converted, "Samstag 29 Februar 2020 02:45");

            restart(cluster, "SET GLOBAL time_zone = SYSTEM");
            assertSame(cluster, converted, "2020");
        }
    }

    @ParameterizedTest
    @EachEngine({"mariadb", "mysql"})
    void shouldNotAnswerOnASatelliteThatCannotHaveTheMastersZone(String engine) throws Exception {
        try (TestCluster cluster = TestCluster.withSatellites(engine, 1).awaitOnline()) {
            cluster.run("CREATE TABLE moment (id INT PRIMARY KEY, ts TIMESTAMP NULL)");
            cluster.run("INSERT INTO moment VALUES (1, '2020-02-28 23:30:00')");
            onMaster(cluster, ZONE);
            onMaster(
                    cluster,
                    "SET GLOBAL time_zone = 'Test/Zone'", // the server keeps it in memory
                    "DELETE FROM mysql.time_zone_name",
                    "DELETE FROM mysql.time_zone");
            cluster.restartMiddleware();
            await("a satellite reports the unknown time zone; see trouble in the status")
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> cluster.middleware().status().nodes().stream()
                            .anyMatch(node ->
                                    String.valueOf(node.trouble()).contains("the master's time zone is Test/Zone")));
            try (Connection connection = cluster.connect()) {
                assertThat(Sql.text(connection, "SELECT CAST(ts AS CHAR) FROM moment"))
                        .isEqualTo("2020-02-29 02:45:00");
                assertThat(Sql.node(connection)).isEqualTo("master");
            }
        }
    }

    private static void assertSame(TestCluster cluster, String converted, String part) throws SQLException {
        cluster.awaitApplied();
        try (Connection connection = cluster.connect();
                Connection master = cluster.direct("master")) {
            String query = MOMENTS.formatted(converted);
            String answer = Sql.text(connection, query);
            assertThat(Sql.node(connection)).isEqualTo("satellite-1");
            assertThat(answer).isEqualTo(Sql.text(master, query)).contains(part);
            String latest = "SELECT MAX(%s) FROM moment".formatted(converted);
            assertThat(Sql.text(connection, latest)).isEqualTo(Sql.text(master, latest));
            assertThat(Sql.node(connection)).isEqualTo("satellite-1");
        }
    }

    private static void restart(TestCluster cluster, String... statements) throws Exception {
        onMaster(cluster, statements);
        cluster.restartMiddleware();
        cluster.awaitOnline();
    }

    private static void onMaster(TestCluster cluster, String... statements) throws SQLException {
        try (Connection master = cluster.direct("master")) {
            Sql.run(master, statements);
        }
    }
}
