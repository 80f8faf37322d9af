package io.multimed.middleware;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.jdbc.MultimedConnection;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A connection tells which node answered last, and why that one. */
@Timeout(600)
class RouteTest {
    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.of("""
                share-cores: true
                optimization: C2
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: satellite, role: satellite, memory: 128m, tables: [held]}
                """);
        run("CREATE TABLE held (id int PRIMARY KEY)", "CREATE TABLE other (id int PRIMARY KEY)");
        run("CREATE FUNCTION effect() RETURNS int LANGUAGE sql VOLATILE AS 'SELECT 1'");
        cluster.awaitOnline().awaitApplied();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static void run(String... statements) throws SQLException {
        cluster.run(statements);
    }

    private interface Use {
        void of(Connection connection) throws SQLException;
    }

    /** Runs a statement and tells how it was routed. */
    private static String after(Use before, String sql) throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            before.of(connection);
            statement.execute(sql);
            MultimedConnection multimed = connection.unwrap(MultimedConnection.class);
            String told = multimed.lastNode() + ": " + multimed.why();
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
            return told;
        }
    }

    private static String after(String sql) throws SQLException {
        return after(connection -> {}, sql);
    }

    @Test
    void shouldTellWhyTheMasterAnswered() throws SQLException {
        assertThat(after("UPDATE held SET id = id")).isEqualTo("master: update");
        assertThat(after("SELECT effect() FROM held")).isEqualTo("master: not proved a pure read: function effect()");
        assertThat(after("SELECT id FROM held FOR UPDATE"))
                .isEqualTo("master: not proved a pure read: the word UPDATE");
        assertThat(after("SELECT 1; SELECT 2"))
                .isEqualTo("master: not proved a pure read: several statements in one text");
        assertThat(after("SELECT random() FROM held"))
                .isEqualTo(
                        "master: its answer differs from node to node, and the transaction is not read-only: function random()");
        assertThat(after("SELECT relname FROM pg_class LIMIT 1"))
                .isEqualTo("master: the engine's catalogue is asked on the master");
        assertThat(after("SELECT id FROM other"))
                .isEqualTo("master: no satellite that is online holds what it reads: other");
        assertThat(after(connection -> connection.setAutoCommit(false), "SELECT id FROM held"))
                .isEqualTo("master: read in a transaction that is not read-only");
        assertThat(after(
                        connection -> connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE),
                        "SELECT id FROM held"))
                .isEqualTo("master: serializable transactions run on the master");
        assertThat(after("SET work_mem = '5MB'")).isEqualTo("master: about the engine's session");
    }

    @Test
    void shouldTellWhyASatelliteAnswered() throws SQLException {
        await().atMost(Duration.ofMinutes(3))
                .untilAsserted(() ->
                        assertThat(after("SELECT id FROM held")).isEqualTo("satellite: read on a fresh satellite"));
        assertThat(after(
                        connection -> {
                            connection.setReadOnly(true);
                            connection.setAutoCommit(false);
                        },
                        "SELECT id FROM held"))
                .isEqualTo("master: no satellite that is online holds what it reads: any table, in a transaction");
    }

    @Test
    void shouldTellThatATransactionOrAPinDecides() throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            MultimedConnection multimed = connection.unwrap(MultimedConnection.class);
            assertThat(multimed.why()).isEqualTo("no node was asked");
            connection.setAutoCommit(false);
            statement.executeUpdate("UPDATE held SET id = id");
            try (ResultSet rows = statement.executeQuery("SELECT id FROM held")) {
                assertThat(rows.next()).isFalse();
            }
            assertThat(multimed.why()).isEqualTo("the transaction is on this node");
            connection.commit();
            connection.setAutoCommit(true);
            statement.execute("SET work_mem = '5MB'");
            statement.execute("CREATE TEMPORARY TABLE mine (a int)");
            statement.execute("SELECT id FROM held");
            assertThat(multimed.why()).isEqualTo("pinned: settings, temporary tables");
            statement.execute("DISCARD ALL");
            statement.execute("SELECT id FROM held");
            assertThat(multimed.why()).doesNotContain("pinned");
        }
    }

    @Test
    void shouldTellThatNoSatelliteIsThere() throws Exception {
        try (TestCluster alone = TestCluster.withSatellites(0);
                Connection connection = alone.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SELECT 1");
            assertThat(connection.unwrap(MultimedConnection.class).why()).isEqualTo("no satellite is online");
        }
    }
}
