// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.engine.conformance.Sql;
import io.multimed.model.listen.UsersFile;
import io.multimed.server.testing.BackgroundWriters;
import io.multimed.server.testing.RoleUsers;
import io.multimed.server.testing.TestCluster;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * After a change of the settings with which sessions begin, all clients receive the same answers from all nodes,
 * whether they were connected before or not.
 */
@Tag("exhaustive")
@Timeout(300)
class ChangedDefaultsTest {
    private static final String USUAL = "1 day 02:03:04";
    private static final String ISO = "P1DT2H3M4S";
    private static final String QUERY = "SELECT i::text FROM thing";
    private static final int CLIENTS = 4;

    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.of("""
                        share-cores: true
                        cache: {size: 16m}
                        nodes:
                        - {name: master, role: master, memory: 128m}
                        - {name: satellite-1, role: satellite, memory: 128m}
                        - {name: satellite-2, role: satellite, memory: 128m}
                        """).awaitOnline();
        cluster.run(
                "CREATE SCHEMA hidden",
                "CREATE TABLE hidden.place (name text)",
                "INSERT INTO hidden.place VALUES ('hidden')",
                "CREATE TABLE place (name text)",
                "INSERT INTO place VALUES ('public')",
                "CREATE TABLE thing (id int PRIMARY KEY, i interval)",
                "CREATE TABLE noted (id serial PRIMARY KEY, t text)",
                "INSERT INTO thing VALUES (1, '1 day 02:03:04')");
    }

    @AfterEach
    void reset() throws SQLException {
        cluster.run(
                "ALTER DATABASE shop RESET ALL",
                "ALTER ROLE ALL RESET ALL",
                "ALTER ROLE ALL IN DATABASE shop RESET ALL",
                "ALTER ROLE CURRENT_USER RESET ALL",
                "ALTER ROLE CURRENT_USER IN DATABASE shop RESET ALL");
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    /** Asks in all the ways in which statements reach an engine, and returns the answers, by way. */
    private static Map<String, String> ask(Connection client, String query) throws SQLException {
        Map<String, String> answers = new HashMap<>();
        answers.put("statement", Sql.text(client, query));
        answers.put("on the master", Sql.text(client, "/*+ multimed: master */ " + query));
        for (int i = 0; i < 3; i++) {
            answers.put("prepared " + i, prepared(client, query));
        }
        client.setAutoCommit(false);
        client.setReadOnly(true);
        answers.put("read-only transaction", Sql.text(client, query));
        client.commit();
        client.setReadOnly(false);
        Sql.run(client, "DELETE FROM noted");
        answers.put("update transaction", Sql.text(client, query));
        client.commit();
        client.setAutoCommit(true);
        for (int i = 0; i < 8; i++) { // inside a commit group after some executions
            answers.put("update " + i, noted(client, query));
        }
        return answers;
    }

    private static String prepared(Connection client, String query) throws SQLException {
        try (PreparedStatement statement = client.prepareStatement(query);
                ResultSet rows = statement.executeQuery()) {
            rows.next();
            return rows.getString(1);
        }
    }

    private static String noted(Connection client, String query) throws SQLException {
        try (PreparedStatement insert = client.prepareStatement("INSERT INTO noted (t) " + query)) {
            insert.executeUpdate();
        }
        return Sql.text(client, "SELECT t FROM noted ORDER BY id DESC LIMIT 1");
    }

    /** Returns when satellites answer again, with this answer. */
    private static void awaitSatellites(List<Connection> clients, String query, String answer) {
        await("satellites have adopted the changed settings")
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> {
                    for (Connection client : clients) {
                        assertThat(Sql.text(client, query)).isEqualTo(answer);
                        assertThat(Sql.node(client)).startsWith("satellite");
                    }
                });
    }

    private static Set<String> askAll(List<Connection> clients, String query) throws SQLException {
        Set<String> answers = new HashSet<>();
        for (Connection client : clients) {
            answers.addAll(ask(client, query).values());
        }
        return answers;
    }

    private static List<Connection> connect(int count) throws SQLException {
        List<Connection> clients = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            clients.add(cluster.connect());
        }
        return clients;
    }

    private static void close(List<Connection> clients) throws SQLException {
        for (Connection client : clients) {
            client.close();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "ALTER DATABASE shop, SET IntervalStyle = iso_8601, RESET IntervalStyle",
        "ALTER DATABASE shop, SET IntervalStyle = iso_8601, RESET ALL",
        "ALTER ROLE CURRENT_USER, SET IntervalStyle TO 'iso_8601', SET IntervalStyle TO DEFAULT",
        "ALTER USER CURRENT_USER, SET IntervalStyle TO 'iso_8601', RESET ALL",
        "ALTER ROLE CURRENT_USER IN DATABASE shop, SET IntervalStyle = iso_8601, RESET IntervalStyle",
        "ALTER ROLE ALL, SET IntervalStyle = iso_8601, RESET IntervalStyle",
        "ALTER ROLE ALL IN DATABASE shop, SET IntervalStyle = iso_8601, RESET IntervalStyle",
    })
    void shouldAnswerAlikeAfterAChange(String alter, String set, String reset) throws Exception {
        List<Connection> clients = connect(CLIENTS);
        assertThat(askAll(clients, QUERY)).containsOnly(USUAL);

        cluster.run(alter + " " + set);
        assertThat(askAll(clients, QUERY)).as("clients from before").containsOnly(ISO);
        List<Connection> others = connect(CLIENTS);
        assertThat(askAll(others, QUERY)).as("clients from after").containsOnly(ISO);
        awaitSatellites(clients, QUERY, ISO);
        assertThat(askAll(clients, QUERY)).containsOnly(ISO);

        cluster.run(alter + " " + reset);
        assertThat(askAll(clients, QUERY)).containsOnly(USUAL);
        assertThat(askAll(others, QUERY)).containsOnly(USUAL);
        close(clients);
        close(others);
    }

    @Test
    void shouldFollowTheSearchPath() throws Exception {
        List<Connection> clients = connect(CLIENTS);
        String query = "SELECT name FROM place";
        assertThat(askAll(clients, query)).containsOnly("public");
        cluster.run("ALTER DATABASE shop SET search_path = hidden, public");
        assertThat(askAll(clients, query)).containsOnly("hidden");
        awaitSatellites(clients, query, "hidden");
        cluster.run("ALTER DATABASE shop SET search_path = public");
        assertThat(askAll(clients, query)).containsOnly("public");
        close(clients);
    }

    /** New connections are opened all the time, and results are kept, while the settings change. */
    @Test
    void shouldNeverAnswerWithEarlierSettings() throws Exception {
        AtomicInteger phase = new AtomicInteger(); // odd while the settings change
        try (BackgroundWriters readers = new BackgroundWriters(cluster, CLIENTS, (client, number) -> {
            int before = phase.get();
            String answer = prepared(client, QUERY);
            if (before == phase.get() && before % 2 == 0) {
                assertThat(answer).isEqualTo(before % 4 == 0 ? USUAL : ISO);
            }
        })) {
            for (int i = 0; i < 20; i++) {
                readers.awaitMore();
                phase.incrementAndGet();
                cluster.run("ALTER DATABASE shop SET IntervalStyle = " + (i % 2 == 0 ? "iso_8601" : "postgres"));
                phase.incrementAndGet();
            }
            assertThat(readers.failures()).isEmpty();
        }
    }

    /** The database's default mode also applies to transactions through Multimed, whose own work goes on. */
    @Test
    void shouldRefuseChangesInAReadOnlyDatabase() throws Exception {
        try (Connection client = cluster.connect()) {
            Sql.run(client, "ALTER DATABASE shop SET default_transaction_read_only = on");
            assertThatThrownBy(() -> Sql.run(client, "INSERT INTO noted (t) VALUES ('refused')"))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("25006"));
            assertThat(Sql.text(client, QUERY)).isEqualTo(USUAL);
            client.setAutoCommit(false);
            Sql.run(client, "SET TRANSACTION READ WRITE", "ALTER DATABASE shop RESET ALL");
            client.commit();
            client.setAutoCommit(true);
            Sql.run(client, "INSERT INTO noted (t) VALUES ('accepted')");
        }
    }

    /** The middleware relies on the level with which sessions began when it started. */
    @Test
    void shouldKeepTheIsolationLevelOfTheStart() throws Exception {
        String query = "SHOW transaction_isolation";
        try (Connection client = cluster.connect()) {
            Sql.run(client, "ALTER DATABASE shop SET default_transaction_isolation = serializable");
            client.setAutoCommit(false);
            Sql.run(client, "DELETE FROM noted");
            assertThat(Sql.text(client, query)).isEqualTo("read committed");
            client.commit();
        }
    }

    @Test
    void shouldKeepTheSettingsUntilTheCommit() throws Exception {
        try (Connection client = cluster.connect();
                Connection other = cluster.connect()) {
            client.setAutoCommit(false);
            Sql.run(client, "ALTER DATABASE shop SET IntervalStyle = iso_8601");
            assertThat(new HashSet<>(ask(other, QUERY).values())).containsOnly(USUAL);
            client.rollback();
            assertThat(new HashSet<>(ask(other, QUERY).values())).containsOnly(USUAL);
            Sql.run(client, "ALTER DATABASE shop SET IntervalStyle = iso_8601");
            client.commit();
            assertThat(new HashSet<>(ask(other, QUERY).values())).containsOnly(ISO);
        }
    }

    /** Statements that Multimed does not see, or whose effect begins later, are noticed within seconds. */
    @ParameterizedTest
    @CsvSource({
        "ALTER DATABASE shop SET IntervalStyle = iso_8601, ALTER DATABASE shop RESET ALL, ''",
        "ALTER SYSTEM SET IntervalStyle = iso_8601, ALTER SYSTEM RESET ALL, SELECT pg_reload_conf()",
    })
    void shouldNoticeAChangePastMultimed(String set, String reset, String reload) throws Exception {
        List<Connection> clients = connect(CLIENTS);
        assertThat(askAll(clients, QUERY)).containsOnly(USUAL);
        try {
            past(set, reload);
            awaitAnswer(clients, ISO);
        } finally {
            past(reset, reload);
        }
        awaitAnswer(clients, USUAL);
        close(clients);
    }

    private static void past(String alter, String reload) throws SQLException {
        try (Connection master = cluster.direct("master")) {
            Sql.run(master, alter);
            if (!reload.isEmpty()) {
                Sql.run(master, reload);
            }
        }
    }

    private static void awaitAnswer(List<Connection> clients, String answer) {
        await("all nodes have the changed settings")
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(askAll(clients, QUERY)).containsOnly(answer));
    }

    @Test
    void shouldNoticeAChangeByABlock() throws Exception {
        List<Connection> clients = connect(CLIENTS);
        cluster.run("DO $$ BEGIN EXECUTE 'ALTER DATABASE shop SET IntervalStyle = iso_8601'; END $$");
        awaitAnswer(clients, ISO);
        close(clients);
    }

    @Test
    void shouldNoticeAReloadThroughMultimed() throws Exception {
        List<Connection> clients = connect(CLIENTS);
        cluster.run("ALTER SYSTEM SET IntervalStyle = iso_8601", "SELECT pg_reload_conf()");
        awaitAnswer(clients, ISO);
        cluster.run("ALTER SYSTEM RESET ALL", "SELECT pg_reload_conf()");
        awaitAnswer(clients, USUAL);
        close(clients);
    }

    /** A role can change the settings of its own sessions, which disturbs no others. */
    @Test
    void shouldFollowTheSettingsOfARole(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("users");
        new UsersFile(List.of(RoleUsers.user("boss", null), RoleUsers.user("clerk", "clerk"))).write(file);
        String model = """
                share-cores: true
                listen: {users-file: '%s'}
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: satellite, role: satellite, memory: 128m}
                """.formatted(file);
        try (TestCluster roles = TestCluster.of(model).awaitOnline()) {
            RoleUsers.asBoss(
                    roles,
                    "CREATE TABLE thing (id int PRIMARY KEY, i interval)",
                    "CREATE TABLE noted (id serial PRIMARY KEY, t text)",
                    "GRANT SELECT ON thing TO clerk",
                    "GRANT ALL ON noted, noted_id_seq TO clerk",
                    "INSERT INTO thing VALUES (1, '1 day 02:03:04')");
            try (Connection clerk = RoleUsers.connect(roles, "clerk");
                    Connection boss = RoleUsers.connect(roles, "boss")) {
                RoleUsers.awaitSatellite(clerk, QUERY);
                assertThat(ask(clerk, QUERY).values()).containsOnly(USUAL);
                Sql.run(clerk, "ALTER ROLE clerk SET IntervalStyle = iso_8601");
                assertThat(ask(clerk, QUERY).values()).containsOnly(ISO);
                assertThat(ask(boss, QUERY).values()).containsOnly(USUAL);
                Sql.run(clerk, "ALTER ROLE CURRENT_USER RESET ALL");
                assertThat(ask(clerk, QUERY).values()).containsOnly(USUAL);
                RoleUsers.awaitSatellite(clerk, QUERY);
                Sql.run(boss, "ALTER DATABASE shop SET IntervalStyle = iso_8601");
                assertThat(ask(clerk, QUERY).values()).containsOnly(ISO);
                assertThat(ask(boss, QUERY).values()).containsOnly(ISO);
            }
        }
    }

    /** The settings on which capture depends. */
    @ParameterizedTest
    @CsvSource({
        "ALTER DATABASE shop SET session_replication_role = replica",
        "ALTER ROLE CURRENT_USER SET session_replication_role = replica",
        "ALTER ROLE ALL SET event_triggers = off",
        "ALTER SYSTEM SET session_replication_role = replica",
        "ALTER DATABASE shop SET multimed.writeset = 'x'",
    })
    void shouldRefuseSettingsOnWhichCaptureDepends(String alter) {
        assertThatThrownBy(() -> cluster.run(alter))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("0A000"));
    }
}
