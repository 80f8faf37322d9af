// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.server.testing.TestCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Roles of users change with the System Model while the middleware runs. */
@Tag("slow")
@Timeout(300)
@Tag("exhaustive")
class RoleChangeTest {
    private static final String MODEL = """
            freshness: {wait: 60s}
            listen:
              users:
              - {name: boss, password: boss1, administrator: true}
              - {name: clerk, password: clerk1%s}
            nodes:
            - {name: master, role: master, memory: 128m}
            """;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String WHO = "SELECT current_user || ' ' || session_user";

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

    private static void apply(Connection boss, String role) throws SQLException {
        String model = MODEL.formatted(role).replace("'", "''");
        assertThat(text(boss, "ALTER MULTIMED MODEL APPLY '%s'".formatted("database: shop\n" + model)))
                .isEqualTo("users");
    }

    @Test
    void newConnectionsRunAsTheNewRole() throws Exception {
        Path password = Files.writeString(folder.resolve("password"), "one\n");
        String app = ", role: app, role-password-file: '%s'".formatted(password);
        try (TestCluster cluster = TestCluster.of(MODEL.formatted(""));
                Connection boss = connect(cluster, "boss");
                Connection before = connect(cluster, "clerk")) {
            run(boss, "CREATE ROLE app LOGIN PASSWORD 'one'");
            assertThat(text(before, WHO)).isEqualTo("clerk clerk");
            apply(boss, app);
            assertThat(who(cluster)).isEqualTo("app app");
            assertThat(text(before, WHO)).as("a connection from before").isEqualTo("clerk clerk");

            Files.writeString(password, "two\n");
            run(boss, "ALTER ROLE app PASSWORD 'two'");
            text(boss, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'app'");
            apply(boss, app);
            assertThat(who(cluster)).as("with the new password").isEqualTo("app app");

            apply(boss, "");
            assertThat(who(cluster)).isEqualTo("clerk clerk");
            theRoleIsLocked(cluster, boss);
            theRoleIsReplaced(cluster, boss);
        }
    }

    /** The middleware sets new passwords of the role, and does not unlock it. */
    private static void theRoleIsLocked(TestCluster cluster, Connection boss) throws SQLException {
        run(boss, "ALTER ROLE clerk NOLOGIN");
        endSessions(boss);
        await("the middleware opens a connection again")
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThatThrownBy(() -> who(cluster))
                        .isInstanceOf(SQLException.class)
                        .hasMessageContaining("the role \"clerk\" is locked: ALTER ROLE ... LOGIN")
                        .extracting("SQLState")
                        .isEqualTo("28000"));
        assertThat(text(boss, "SELECT rolcanlogin FROM pg_roles WHERE rolname = 'clerk'"))
                .isEqualTo("f");
        run(boss, "ALTER ROLE clerk LOGIN");
        assertThat(who(cluster)).isEqualTo("clerk clerk");
    }

    /** Sessions that belong to a role of the past are closed, also if a client from before still uses them. */
    private static void theRoleIsReplaced(TestCluster cluster, Connection boss) throws SQLException {
        run(boss, "CREATE TABLE item (id int PRIMARY KEY)", "GRANT INSERT ON item TO clerk");
        try (Connection before = connect(cluster, "clerk")) {
            run(before, "INSERT INTO item VALUES (1)");
            run(boss, "DROP OWNED BY clerk", "DROP ROLE clerk", "CREATE ROLE clerk", "GRANT INSERT ON item TO clerk");
            AtomicInteger id = new AtomicInteger(1);
            await("statements run as the new role")
                    .atMost(PATIENCE)
                    .ignoreExceptions()
                    .untilAsserted(() -> {
                        for (int i = 0; i < 10; i++) {
                            run(before, "INSERT INTO item VALUES (%d)".formatted(id.incrementAndGet()));
                        }
                    });
            assertThat(who(cluster)).isEqualTo("clerk clerk");
        }
    }

    private static void endSessions(Connection boss) throws SQLException {
        text(boss, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'clerk'");
    }
}
