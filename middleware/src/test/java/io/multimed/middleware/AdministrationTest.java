package io.multimed.middleware;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.engine.Launchers;
import io.multimed.deploy.engine.RunningEngine;
import io.multimed.deploy.engine.StateFolder;
import io.multimed.model.ByteSize;
import io.multimed.model.CoreSet;
import io.multimed.model.Node;
import io.multimed.model.Role;
import io.multimed.model.Storage;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Who may change and check the running system, and what is refused where nobody starts engines. */
class AdministrationTest {
    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.of("""
                        listen:
                          users:
                          - {name: chief, password: a, administrator: true}
                          - {name: clerk, password: b}
                        share-cores: true
                        nodes:
                        - {name: master, role: master, memory: 128m}
                        """);
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static void run(String user, String password, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(cluster.url(), user, password);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void shouldObeyAdministratorsOnly() throws SQLException {
        for (String sql :
                new String[] {"VERIFY MULTIMED", "ALTER MULTIMED SATELLITE s REMOVE", "alter multimed nonsense"}) {
            assertThatThrownBy(() -> run("clerk", "b", sql))
                    .hasMessageContaining("administrator: true")
                    .extracting("SQLState")
                    .isEqualTo("42501");
        }
        try (Connection connection = DriverManager.getConnection(cluster.url(), "chief", "a");
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("VERIFY MULTIMED")) {
            assertThat(rows.next()).as("there is no satellite").isFalse();
        }
    }

    @Test
    void shouldConnectToEnginesThatRunButStartNone() throws SQLException {
        assertThatThrownBy(() -> run("chief", "a", "ALTER MULTIMED SATELLITE s ADD '{name: s, role: satellite}'"))
                .hasMessageContaining("source: external")
                .extracting("SQLState")
                .isEqualTo("0A000");
        run(
                "chief",
                "a",
                "ALTER MULTIMED SATELLITE s ADD '{name: s, role: satellite, source: external, user: u, url: \"jdbc:postgresql://127.0.0.1:1/it''s\"}'");
        try (Connection connection = DriverManager.getConnection(cluster.url(), "clerk", "b");
                Statement statement = connection.createStatement();
                ResultSet nodes = statement.executeQuery("SHOW MULTIMED STATUS")) {
            assertThat(nodes.next()).isTrue();
            assertThat(nodes.next()).isTrue();
            assertThat(nodes.getString("node")).isEqualTo("s");
            assertThat(nodes.getString("state")).isEqualTo("OFFLINE");
        }
        run("chief", "a", "ALTER MULTIMED SATELLITE s REMOVE");
    }

    @Test
    void shouldCaptureTablesThatOnlyANewSatelliteHolds() throws Exception {
        StateFolder state = StateFolder.temporary("multimed-test-");
        Node node = Node.embedded("late", Role.SATELLITE, "postgresql", CoreSet.ALL, Storage.MEMORY)
                .withMemory(ByteSize.megabytes(128));
        try (TestCluster partial = TestCluster.of("""
                        optimization: C2
                        share-cores: true
                        nodes:
                        - {name: master, role: master, memory: 128m}
                        - {name: part, role: satellite, memory: 128m, tables: [item]}
                        """).awaitOnline();
                RunningEngine engine = Launchers.start(node, "shop", state)) {
            try (Connection direct = partial.direct("master");
                    Statement statement = direct.createStatement()) {
                statement.execute("SET multimed.watching = 'on'"); // as if it had been there before Multimed
                statement.execute("CREATE TABLE author (id int PRIMARY KEY, name text)");
                statement.execute("INSERT INTO author VALUES (1, 'early')");
            }
            try (Connection connection = partial.connect();
                    Statement statement = connection.createStatement()) {
                statement.setEscapeProcessing(false);
                statement.execute(
                        "ALTER MULTIMED SATELLITE late ADD '{name: late, role: satellite, source: external, url: \"%s\", user: %s, password: \"%s\", tables: [author]}'"
                                .formatted(engine.jdbcUrl(), engine.user(), engine.password()));
                statement.executeUpdate("INSERT INTO author VALUES (2, 'later')");
                partial.awaitApplied();
                try (ResultSet rows = statement.executeQuery("VERIFY MULTIMED SATELLITE late")) {
                    assertThat(rows.next()).isTrue();
                    assertThat(rows.getString("table_name")).isEqualTo("public.author");
                    assertThat(rows.getString("outcome")).isEqualTo("equal");
                    assertThat(rows.getLong("rows")).isEqualTo(2);
                    assertThat(rows.next()).as("tables that it does not hold").isFalse();
                }
            }
        } finally {
            state.discard();
        }
    }
}
