// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.Sql;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.model.SystemModel;
import io.multimed.server.Middleware;
import io.multimed.server.testing.TestCluster;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * Checks the privileges and objects that Multimed needs in an existing database of a master, and the removal of
 * Multimed from this database.
 */
@Tag("slow")
@Timeout(600)
@Tag("exhaustive")
class WithdrawalTest {
    private static final String ROW = "INSERT INTO t VALUES (%d)";

    @ParameterizedTest
    @EachEngine
    void shouldRequireItsPrivilegesAndRestoreTheDatabase(String engine) throws Exception {
        try (TestCluster cluster = TestCluster.withSatellites(engine, 1)) {
            cluster.run("CREATE TABLE t (i int PRIMARY KEY)", ROW.formatted(1));
            if (!engine.equals("postgresql")) {
                permitRoutine(cluster);
            }
            cluster.middleware().close();
            assertThatThrownBy(() -> direct(cluster, ROW.formatted(2))).hasMessageContaining("through Multimed only");
            remove(cluster, engine);
            direct(cluster, ROW.formatted(3));
            assertNothingIsLeft(cluster, engine);
            assertRefusedByName(cluster, engine);
            assertNothingIsLeft(cluster, engine);
            cluster.startMiddleware();
            cluster.awaitOnline();
            cluster.run(ROW.formatted(4));
            cluster.awaitApplied();
            try (Connection satellite = cluster.direct("satellite-1")) {
                assertThat(texts(satellite, "SELECT i FROM t ORDER BY i")).containsExactly("1", "3", "4");
            }
        }
    }

    /** Applications move to Multimed one after the other while writes that bypass the middleware are captured. */
    @Test
    @Tag("exhaustive")
    void shouldRefuseBypassingWritesFromTheNextStart() throws Exception {
        String model = """
                share-cores: true
                %s
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: satellite-1, role: satellite, memory: 64m}
                """;
        try (TestCluster cluster =
                TestCluster.of(model.formatted("bypass: capture")).awaitOnline()) {
            cluster.run("CREATE TABLE t (i int PRIMARY KEY)", ROW.formatted(1));
            direct(cluster, ROW.formatted(2));
            cluster.middleware().close();
            cluster.startMiddleware(model.formatted(""));
            cluster.awaitOnline();
            assertThatThrownBy(() -> direct(cluster, ROW.formatted(3))).hasMessageContaining("through Multimed only");
            cluster.run(ROW.formatted(4));
            cluster.awaitApplied();
            try (Connection satellite = cluster.direct("satellite-1")) {
                assertThat(texts(satellite, "SELECT i FROM t ORDER BY i")).containsExactly("1", "2", "4");
            }
        }
    }

    /** Grants what an account needs as the role of a client. */
    private static void permitRoutine(TestCluster cluster) throws SQLException {
        try (Connection master = cluster.direct("master")) {
            String routine = texts(
                            master,
                            "SELECT MIN(routine_name) FROM information_schema.routines WHERE routine_schema = 'multimed' AND routine_type = 'PROCEDURE'")
                    .get(0);
            Sql.run(
                    master,
                    "CREATE USER `odd``name`@'%' IDENTIFIED BY 'p'",
                    "GRANT EXECUTE ON PROCEDURE multimed.%s TO `odd``name`@'%%'".formatted(routine));
        }
    }

    private static void assertRefusedByName(TestCluster cluster, String engine) throws Exception {
        boolean postgres = engine.equals("postgresql");
        String user = postgres ? "poor" : "poor@'%'";
        direct(
                cluster,
                "CREATE USER %s %s 'p'".formatted(user, postgres ? "PASSWORD" : "IDENTIFIED BY"),
                "GRANT ALL ON %s TO %s".formatted(postgres ? "DATABASE shop" : "shop.*", user));
        NodeAccess access = new NodeAccess("master", cluster.engine("master").jdbcUrl(), "poor", "p");
        SystemModel model = SystemModel.parse(
                "listen: {port: 0}\nengine: %s\ndatabase: shop\nnodes:\n- {name: master, role: master}\n"
                        .formatted(engine),
                "test");
        assertThatThrownBy(() -> Middleware.start(model, node -> access))
                .isInstanceOf(SQLException.class)
                .hasMessageStartingWith("master: the user \"poor\" lacks a privilege that Multimed requires: ")
                .hasMessageContaining("user of the node master in the System Model");
    }

    /** Removes Multimed with the statements of the README. */
    private static void remove(TestCluster cluster, String engine) throws SQLException, IOException {
        if (engine.equals("postgresql")) {
            direct(cluster, script("postgresql"));
            return;
        }
        List<String> statements;
        try (Connection master = cluster.direct("master")) {
            statements = texts(master, script("mysql"));
        }
        assertThat(statements).as("three triggers, a privilege, the database").hasSize(5);
        direct(cluster, statements.toArray(new String[0]));
    }

    private static void assertNothingIsLeft(TestCluster cluster, String engine) throws SQLException {
        String catalog = engine.equals("postgresql")
                ? "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal UNION ALL SELECT evtname FROM pg_event_trigger"
                : "SELECT trigger_name FROM information_schema.triggers WHERE trigger_schema = 'shop'";
        try (Connection master = cluster.direct("master")) {
            assertThat(texts(master, catalog)).isEmpty();
            assertThat(texts(master, "SELECT schema_name FROM information_schema.schemata"))
                    .doesNotContain("multimed");
            if (!engine.equals("postgresql")) {
                assertThat(texts(master, "SELECT user FROM mysql.procs_priv WHERE db = 'multimed'"))
                        .isEmpty();
            }
        }
    }

    private static String script(String engine) throws IOException {
        String name = "/io/multimed/triggers/%s/remove.sql".formatted(engine);
        try (InputStream script = Objects.requireNonNull(WithdrawalTest.class.getResourceAsStream(name))) {
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static void direct(TestCluster cluster, String... statements) throws SQLException {
        try (Connection master = cluster.direct("master")) {
            Sql.run(master, statements);
        }
    }

    private static List<String> texts(Connection connection, String query) throws SQLException {
        List<String> texts = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                texts.add(rows.getString(1));
            }
        }
        return texts;
    }
}
