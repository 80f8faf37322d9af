// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.mysql;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.server.testing.TestCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * Roles of users change with the System Model while the middleware runs. Accounts whose password the model contains, as
 * those of external masters, need no other preparation than their own privileges.
 */
@Tag("slow")
@Timeout(300)
@Tag("exhaustive")
class FamilyRoleChangeTest {
    private static final String MODEL = """
            engine: %s
            freshness: {wait: 60s}
            listen:
              users:
              - {name: boss, password: boss1, administrator: true}
              - {name: clerk, password: clerk1%s}
            nodes:
            - {name: master, role: master, memory: 128m}
            """;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String WHO = "SELECT SUBSTRING_INDEX(CURRENT_USER(), '@', 1)";

    @TempDir
    private Path folder;

    private static Connection connect(TestCluster cluster, String user) throws SQLException {
        return DriverManager.getConnection(cluster.url(), user, user + "1");
    }

    private static String who(TestCluster cluster) throws SQLException {
        try (Connection clerk = connect(cluster, "clerk")) {
            return text(clerk, WHO);
        }
    }

    private static void apply(Connection boss, String engine, String role) throws SQLException {
        String model = MODEL.formatted(engine, role).replace("'", "''");
        try (Statement change = boss.createStatement()) {
            assertThat(change.execute("ALTER MULTIMED MODEL APPLY '%s'".formatted("database: shop\n" + model)))
                    .isTrue();
            ResultSet changed = change.getResultSet();
            assertThat(changed.next()).isTrue();
            assertThat(changed.getString(1)).isEqualTo("users");
        }
    }

    @ParameterizedTest
    @EachEngine({"mariadb", "mysql"})
    void newConnectionsRunAsTheNewAccount(String engine) throws Exception {
        Path password = Files.writeString(folder.resolve("password"), "one\n");
        String app = ", role: app, role-password-file: '%s'".formatted(password);
        try (TestCluster cluster = TestCluster.of(MODEL.formatted(engine, ""));
                Connection boss = connect(cluster, "boss");
                Connection before = connect(cluster, "clerk")) {
            run(
                    boss,
                    "CREATE TABLE item (id INT PRIMARY KEY)",
                    "CREATE USER app@localhost IDENTIFIED BY 'one'",
                    "GRANT SELECT, INSERT ON shop.* TO app@localhost");
            assertThat(text(before, WHO)).isEqualTo("clerk");
            apply(boss, engine, app);
            assertThat(who(cluster)).isEqualTo("app");
            assertThat(text(before, WHO)).as("a connection from before").isEqualTo("clerk");
            try (Connection clerk = connect(cluster, "clerk")) {
                run(clerk, "INSERT INTO item VALUES (1)");
                assertThat(text(clerk, "SELECT count(*) FROM item")).isEqualTo("1");
            }

            Files.writeString(password, "two\n");
            try (Connection open = connect(cluster, "clerk")) {
                open.setAutoCommit(false);
                run(open, "INSERT INTO item VALUES (2)");
                run(boss, "ALTER USER app@localhost IDENTIFIED BY 'two'");
                apply(boss, engine, app);
                open.commit();
            }
            assertThat(who(cluster)).as("with the new password").isEqualTo("app");

            apply(boss, engine, "");
            assertThat(who(cluster)).isEqualTo("clerk");
            theAccountIsLocked(cluster, boss);
        }
    }

    /** The middleware sets new passwords of the account, and does not unlock it. */
    private static void theAccountIsLocked(TestCluster cluster, Connection boss) throws SQLException {
        run(boss, "ALTER USER clerk ACCOUNT LOCK");
        await("the middleware opens a connection again")
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThatThrownBy(() -> who(cluster))
                        .isInstanceOf(SQLException.class)
                        .hasMessageContaining("locked"));
        run(boss, "ALTER USER clerk ACCOUNT UNLOCK");
        assertThat(who(cluster)).isEqualTo("clerk");
    }
}
