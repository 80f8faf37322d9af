// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.administration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.deploy.launcher.Launchers;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.engine.conformance.EngineSql;
import io.multimed.engine.conformance.Sql;
import io.multimed.model.NodeSpec;
import io.multimed.model.Role;
import io.multimed.model.Storage;
import io.multimed.model.value.ByteSize;
import io.multimed.model.value.CoreSet;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Only administrators may change and check the running system. Multimed starts no engines here, and refuses commands
 * that need a new engine.
 */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
class AdministrationTest {
    private static TestCluster cluster;

    private final String engine;
    private final EngineSql words;

    AdministrationTest(String engine) {
        this.engine = engine;
        words = EngineSql.of(engine, "words");
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = TestCluster.of("""
                        engine: %s
                        listen:
                          users:
                          - {name: chief, password: a, administrator: true}
                          - {name: clerk, password: b}
                        optimization: C2
                        share-cores: true
                        nodes:
                        - {name: master, role: master, memory: 128m}
                        - {name: part, role: satellite, memory: 128m, tables: [item]}
                        """.formatted(engine)).awaitOnline();
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    private static Connection connect(String user, String password) throws SQLException {
        return DriverManager.getConnection(cluster.url(), user, password);
    }

    private static void run(String user, String password, String sql) throws SQLException {
        try (Connection connection = connect(user, password);
                Statement statement = connection.createStatement()) {
            statement.setEscapeProcessing(false);
            statement.execute(sql);
        }
    }

    @Test
    void shouldAcceptCommandsOfAdministratorsOnly() throws SQLException {
        for (String sql :
                new String[] {"VERIFY MULTIMED", "ALTER MULTIMED SATELLITE s REMOVE", "alter multimed nonsense"}) {
            assertThatThrownBy(() -> run("clerk", "b", sql))
                    .hasMessageContaining("administrator: true")
                    .extracting("SQLState")
                    .isEqualTo("42501");
        }
        try (Connection connection = connect("chief", "a")) {
            assertThat(Sql.rows(connection, "VERIFY MULTIMED SATELLITE part"))
                    .as("there is no item")
                    .isEmpty();
        }
    }

    @Test
    void shouldRecognizeStatusQueriesWithCommentsAndRefuseUnknownOnes() throws SQLException {
        try (Connection connection = connect("clerk", "b");
                Statement statement = connection.createStatement()) {
            for (String sql : List.of("/* of a tool */ SHOW MULTIMED CACHE", "show multimed cache; -- at the end")) {
                try (ResultSet rows = statement.executeQuery(sql)) {
                    assertThat(rows.getMetaData().getColumnLabel(1)).isEqualTo("hits");
                }
            }
            for (String sql : List.of("SHOW MULTIMED", "SHOW MULTIMED STATUS")) {
                try (ResultSet rows = statement.executeQuery(sql)) {
                    assertThat(rows.getMetaData().getColumnLabel(1)).isEqualTo("node");
                }
            }
            for (String sql : List.of("SHOW MULTIMED CACHES", "SHOW MULTIMED STATUS OF ALL")) {
                assertThatThrownBy(() -> statement.executeQuery(sql))
                        .hasMessageContaining("the statements are: SHOW MULTIMED STATUS, ")
                        .extracting("SQLState")
                        .isEqualTo("42601");
            }
        }
    }

    @Test
    void shouldAddExternalSatellitesButStartNoEngines() throws SQLException {
        assertThatThrownBy(() -> run("chief", "a", "ALTER MULTIMED SATELLITE s ADD '{name: s, role: satellite}'"))
                .hasMessageContaining("source: external")
                .extracting("SQLState")
                .isEqualTo("0A000");
        run(
                "chief",
                "a",
                "ALTER MULTIMED SATELLITE s ADD '{name: s, role: satellite, source: external, user: u, password: p, url: \"%s_it''s\"}'"
                        .formatted(words.statement("dead URL")));
        try (Connection connection = connect("clerk", "b")) {
            assertThat(states(connection)).containsOnlyOnce("s OFFLINE");
        }
        run("chief", "a", "ALTER MULTIMED SATELLITE s REMOVE");
        try (Connection connection = connect("clerk", "b")) {
            assertThat(states(connection)).doesNotContain("s OFFLINE");
        }
    }

    private static List<String> states(Connection connection) throws SQLException {
        List<String> states = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet nodes = statement.executeQuery("SHOW MULTIMED STATUS")) {
            while (nodes.next()) {
                states.add(nodes.getString("node") + " " + nodes.getString("state"));
            }
        }
        return states;
    }

    @Test
    void shouldCaptureTablesThatOnlyANewSatelliteHolds() throws Exception {
        StateFolder state = StateFolder.temporary("multimed-test-");
        NodeSpec node = NodeSpec.embedded("late", Role.SATELLITE, engine, CoreSet.ALL, Storage.MEMORY)
                .withMemory(ByteSize.megabytes(128));
        try (RunningEngine late = Launchers.start(node, "shop", state)) {
            try (Connection direct = cluster.direct("master")) {
                Sql.run(direct, words.statements("as if Multimed were not there"));
                Sql.run(
                        direct,
                        "CREATE TABLE author (id int PRIMARY KEY, name varchar(40))",
                        "INSERT INTO author VALUES (1, 'early')");
            }
            run(
                    "chief",
                    "a",
                    "ALTER MULTIMED SATELLITE late ADD '{name: late, role: satellite, source: external, url: \"%s\", user: %s, password: \"%s\", tables: [author]}'"
                            .formatted(late.jdbcUrl(), late.user(), late.password()));
            run("chief", "a", "INSERT INTO author VALUES (2, 'later')");
            cluster.awaitApplied();
            try (Connection connection = connect("chief", "a");
                    Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("VERIFY MULTIMED SATELLITE late")) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getString("table_name")).isEqualTo(words.statement("home") + ".author");
                assertThat(rows.getString("outcome")).isEqualTo("equal");
                assertThat(rows.getLong("rows")).isEqualTo(2);
                assertThat(rows.next()).as("tables that it does not hold").isFalse();
            }
            run("chief", "a", "ALTER MULTIMED SATELLITE late REMOVE");
        } finally {
            state.discard();
        }
    }
}
