package io.multimed.middleware;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
}
