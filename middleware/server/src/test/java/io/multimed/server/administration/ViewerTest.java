// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.administration;

import static io.multimed.engine.conformance.Sql.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.Sql;
import io.multimed.model.listen.UsersFile;
import io.multimed.server.testing.RoleUsers;
import io.multimed.server.testing.TestCluster;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the statements about the state of the system tell to administrators, to a user with the privilege to read all
 * tables, and to one without it.
 */
@Timeout(300)
@ParameterizedClass
@EachEngine
@Tag("exhaustive")
class ViewerTest {
    @TempDir
    private static Path folder;

    private static TestCluster cluster;

    ViewerTest(String engine) {}

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        Path file = folder.resolve(engine);
        new UsersFile(List.of(
                        RoleUsers.user("boss", null), RoleUsers.user("plain", null), RoleUsers.user("clerk", "clerk")))
                .write(file);
        cluster = TestCluster.of("""
                engine: %s
                share-cores: true
                optimization: C2
                cache: {size: 16m}
                monitoring: {port: 0}
                listen: {users-file: '%s'}
                nodes:
                - {name: master, role: master, memory: 128m}
                - name: satellite
                  role: satellite
                  memory: 128m
                  materialized-views: [{view: totals}]
                  indexes: ['secret (missing)']
                """.formatted(engine, file)).awaitOnline();
        RoleUsers.asBoss(
                cluster,
                "CREATE TABLE item (id INT PRIMARY KEY, v VARCHAR(100))",
                "CREATE TABLE secret (id INT PRIMARY KEY, v VARCHAR(100))",
                "CREATE VIEW totals AS SELECT v, count(*) AS n FROM secret GROUP BY v",
                "CREATE VIEW visible AS SELECT v FROM secret",
                "GRANT SELECT ON item TO clerk",
                "GRANT SELECT ON visible TO clerk",
                "GRANT SELECT ON item TO plain",
                "GRANT SELECT ON secret TO plain",
                "GRANT SELECT ON totals TO plain");
        cluster.awaitApplied();
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    private static Connection connect(String user) throws SQLException {
        return RoleUsers.connect(cluster, user);
    }

    private static String answer(Connection connection, String statement) throws SQLException {
        return String.valueOf(rows(connection, statement));
    }

    /** The texts are those of all users. */
    @ParameterizedTest
    @ValueSource(strings = {"plain", "clerk"})
    void textsOfStatementsAreForAdministrators(String user) throws Exception {
        try (Connection reader = connect("boss");
                Connection other = connect(user);
                Connection boss = connect("boss")) {
            for (int i = 0; i < 3; i++) {
                RoleUsers.read(reader, "SELECT v FROM secret WHERE v = 'literal'");
            }
            assertThatThrownBy(() -> rows(other, "SHOW MULTIMED CACHE STATEMENTS"))
                    .extracting("SQLState")
                    .isEqualTo("42501");
            assertThatThrownBy(() -> rows(other, "SHOW MULTIMED SLOW STATEMENTS"))
                    .extracting("SQLState")
                    .isEqualTo("42501");
            assertThat(answer(boss, "SHOW MULTIMED CACHE STATEMENTS"))
                    .contains("FROM secret")
                    .doesNotContain("literal");
            assertThat(rows(other, "SHOW MULTIMED CACHE")).as("counters").hasSize(1);
        }
    }

    @Test
    void namesOfTablesAreForUsersWhoMayReadThem() throws Exception {
        try (Connection clerk = connect("clerk");
                Connection plain = connect("plain")) {
            await("the rights of the role are known")
                    .atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> {
                        assertThat(answer(clerk, "SHOW MULTIMED TABLES")).contains("item");
                    });
            assertThat(answer(clerk, "SHOW MULTIMED TABLES")).doesNotContain("secret");
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                assertThat(answer(plain, "SHOW MULTIMED TABLES")).contains("item", "secret");
            });
            assertThat(answer(clerk, "SHOW MULTIMED VIEWS")).doesNotContain("totals");
            assertThat(answer(plain, "SHOW MULTIMED VIEWS")).contains("totals");
        }
    }

    /** The definition of an index that the engine refuses. */
    @Test
    void theTroubleOfANodeMayContainNames() throws Exception {
        try (Connection clerk = connect("clerk");
                Connection boss = connect("boss")) {
            assertThat(answer(boss, "SHOW MULTIMED STATUS")).contains("secret");
            assertThat(answer(clerk, "SHOW MULTIMED STATUS"))
                    .contains("satellite", "an administrator sees the reason")
                    .doesNotContain("secret");
        }
    }

    @Test
    void anExplanationDoesNotTellTheTablesOfAView() throws Exception {
        try (Connection clerk = connect("clerk");
                Connection boss = connect("boss")) {
            String statement = "EXPLAIN ROUTE SELECT v FROM visible";
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(answer(boss, statement)).contains("depends on"));
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(answer(clerk, "EXPLAIN ROUTE SELECT v FROM item"))
                            .contains("result cache"));
            assertThat(answer(boss, statement) + answer(clerk, statement)).doesNotContain("secret");
        }
    }

    @Test
    void metricsOfUsersAreForThemselvesAndAdministrators() throws Exception {
        try (Connection clerk = connect("clerk");
                Connection plain = connect("plain");
                Connection boss = connect("boss")) {
            Sql.text(clerk, "SELECT 1");
            Sql.text(plain, "SELECT 1");
            assertThat(answer(boss, "SHOW MULTIMED METRICS")).contains("user=clerk", "user=plain");
            assertThat(answer(clerk, "SHOW MULTIMED METRICS"))
                    .contains("user=clerk")
                    .doesNotContain("user=plain", "user=boss");
            assertThat(answer(plain, "SHOW MULTIMED METRICS"))
                    .contains("user=plain")
                    .doesNotContain("user=clerk", "user=boss");
        }
    }
}
