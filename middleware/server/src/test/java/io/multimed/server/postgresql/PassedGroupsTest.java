// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.server.testing.Certificates;
import io.multimed.server.testing.TestCluster;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Statements of users who are passed through run inside commit groups. */
@Tag("exhaustive")
@Timeout(600)
class PassedGroupsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String SHARING = "multimed.test.sharing";
    private static final String BOSS = """
              users:
              - {name: boss, password: bossboss, administrator: true}
            """;
    private static final String MODEL = """
            listen:
              port: 0
              tls: {certificate: '%1$s/own.pem', key: '%1$s/own.key', required: false}
              pass-through: %2$s
              users:
              - {name: boss, password: bossboss, administrator: true}
            share-cores: true
            nodes:
            - {name: master, role: master, memory: 128m}
            - {name: satellite, role: satellite, memory: 128m}
            """;

    @TempDir
    private static Path folder;

    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        Certificates.make(folder, "own", "ip:127.0.0.1", "EC");
        System.setProperty(SHARING, "always"); // also on a machine that is too busy for fast statements
        cluster = TestCluster.of(MODEL.formatted(folder, true));
        cluster.awaitOnline();
        asBoss(
                "CREATE TABLE mark (client int, who text NOT NULL DEFAULT current_user)",
                "CREATE FUNCTION touched() RETURNS bigint LANGUAGE sql AS 'SELECT 1'");
        for (String role : new String[] {"ann", "bob", "cid", "eve"}) {
            asBoss(
                    "CREATE ROLE %s LOGIN PASSWORD 'first'".formatted(role),
                    "GRANT SELECT, INSERT ON mark TO %s".formatted(role));
        }
    }

    @AfterAll
    static void stop() {
        System.clearProperty(SHARING);
        cluster.close();
    }

    private static void asBoss(String... statements) throws SQLException {
        try (Connection boss = DriverManager.getConnection(cluster.url() + "?sslMode=require", "boss", "bossboss")) {
            run(boss, statements);
        }
    }

    private static Connection connect(String user, String password) throws SQLException {
        String verified = "?requireAuth=password&sslMode=verify-full&sslRootCert=" + folder.resolve("own.pem");
        return DriverManager.getConnection(cluster.url() + verified, user, password);
    }

    private static long inside() {
        return cluster.middleware().commitCounts().inside();
    }

    private static PreparedStatement insertion(Connection connection) throws SQLException {
        return connection.prepareStatement("INSERT INTO mark (client) VALUES (?)");
    }

    private static void insert(PreparedStatement insert, int client) throws SQLException {
        insert.setInt(1, client);
        assertThat(insert.executeUpdate()).isEqualTo(1);
    }

    private static void awaitGroups(PreparedStatement insert) {
        await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(1))
                .untilAsserted(() -> {
                    long before = inside();
                    insert(insert, -1);
                    assertThat(inside()).isGreaterThan(before);
                });
    }

    /** The opening of a connection for groups ends after the client has left. */
    @Test
    void aRoleThatWasLeftKeepsItsPassword() throws Exception {
        String passwords =
                "SELECT string_agg(rolpassword, ' ' ORDER BY rolname) FROM pg_authid WHERE rolname IN ('ann', 'bob')";
        String stored = cluster.onMaster(passwords);
        try (Connection master = cluster.direct("master");
                Connection ann = connect("ann", "first");
                Connection bob = connect("bob", "first");
                PreparedStatement ofAnn = insertion(ann);
                PreparedStatement ofBob = insertion(bob)) {
            run(ann, "INSERT INTO mark (client) VALUES (0)");
            run(bob, "INSERT INTO mark (client) VALUES (0)");
            master.setAutoCommit(false);
            run(master, "LOCK TABLE pg_catalog.pg_db_role_setting IN ACCESS EXCLUSIVE MODE"); // no session begins
            insert(ofAnn, 1);
            insert(ofBob, 1);
            bob.close();
            ann.close();
            awaitNoSession(master, "'ann', 'bob'");
            run(master, "ALTER ROLE bob NOLOGIN");
            master.commit();
        }
        // The waiting logins end in this time.
        await().during(Duration.ofSeconds(5)).atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
            assertThat(cluster.onMaster("SELECT rolcanlogin FROM pg_authid WHERE rolname = 'bob'"))
                    .isEqualTo("f");
            assertThat(cluster.onMaster(passwords)).isEqualTo(stored);
        });
    }

    /** Waits until the pools of roles are closed, and with them the last client has left. */
    private static void awaitNoSession(Connection master, String roles) {
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            run(master, "SELECT pg_stat_clear_snapshot()");
            assertThat(text(master, "SELECT count(*) FROM pg_stat_activity WHERE usename IN (%s)".formatted(roles)))
                    .isEqualTo("0");
        });
    }

    @Test
    void connectionsForGroupsEndWithTheLastClient() throws Exception {
        try (Connection cid = connect("cid", "first");
                PreparedStatement insert = insertion(cid)) {
            awaitGroups(insert);
        }
        await().atMost(Duration.ofSeconds(15))
                .untilAsserted(() -> assertThat(
                                cluster.onMaster("SELECT count(*) FROM pg_stat_activity WHERE usename = 'cid'"))
                        .isEqualTo("0"));
    }

    @Test
    void aChangedPasswordAndPrivilegesApplyInGroups() throws Exception {
        try (Connection eve = connect("eve", "first");
                PreparedStatement insert = insertion(eve)) {
            awaitGroups(insert);
            asBoss("ALTER ROLE eve PASSWORD 'second'", "REVOKE INSERT ON mark FROM eve");
            assertThatThrownBy(() -> insert(insert, 5)).extracting("SQLState").isEqualTo("42501");
            asBoss("GRANT INSERT ON mark TO eve");
            insert(insert, 5);
            cluster.onMaster("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'eve'");
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThatThrownBy(() -> insert(insert, 6))
                            .extracting("SQLState")
                            .isEqualTo("28000"));
            try (Connection after = connect("eve", "second")) {
                insert(insert, 7);
                awaitGroups(insert);
            }
        }
        assertThatThrownBy(() -> connect("eve", "first")).extracting("SQLState").isEqualTo("28P01");
        connect("eve", "second").close();
    }

    /** The middleware must keep no connection with a password that it may no longer use. */
    @Test
    void connectionsForGroupsEndWhenPassThroughIsSwitchedOff() throws Exception {
        asBoss("CREATE ROLE dan LOGIN PASSWORD 'first'", "GRANT SELECT, INSERT ON mark TO dan");
        String password = "SELECT rolpassword FROM pg_authid WHERE rolname = 'dan'";
        String stored = cluster.onMaster(password);
        try (Connection dan = connect("dan", "first");
                PreparedStatement insert = insertion(dan);
                Connection master = cluster.direct("master")) {
            awaitGroups(insert);
            apply(false);
            await("the client is disconnected")
                    .atMost(PATIENCE)
                    .untilAsserted(
                            () -> assertThatThrownBy(() -> insert(insert, 8)).isInstanceOf(SQLException.class));
            awaitNoSession(master, "'dan'");
            assertThatThrownBy(() -> connect("dan", "first"))
                    .extracting("SQLState")
                    .isEqualTo("28000");
            assertThat(cluster.onMaster(password)).isEqualTo(stored);
        } finally {
            apply(true);
        }
        try (Connection dan = connect("dan", "first");
                PreparedStatement insert = insertion(dan)) {
            awaitGroups(insert);
        }
    }

    /** Without users, clients of the middleware's account need no password, but this client has logged in as a role. */
    @Test
    void clientsAreDisconnectedAlsoIfNoUsersRemain() throws Exception {
        asBoss("CREATE ROLE fay LOGIN PASSWORD 'first'");
        String withoutUsers = MODEL.formatted(folder, false).replace(BOSS, "");
        try (Connection fay = connect("fay", "first")) {
            assertThat(text(fay, "SELECT current_user")).isEqualTo("fay");
            apply("bossboss", withoutUsers);
            await("the client is disconnected")
                    .atMost(PATIENCE)
                    .untilAsserted(() ->
                            assertThatThrownBy(() -> text(fay, "SELECT 1")).isInstanceOf(SQLException.class));
        } finally {
            apply("", MODEL.formatted(folder, true));
        }
        connect("fay", "first").close();
    }

    private static void apply(boolean passThrough) throws SQLException {
        apply("bossboss", MODEL.formatted(folder, passThrough));
    }

    private static void apply(String password, String settings) throws SQLException {
        String model = "database: shop\nfreshness: {wait: 60s}\n" + settings;
        try (Connection boss = DriverManager.getConnection(cluster.url() + "?sslMode=require", "boss", password);
                Statement statement = boss.createStatement()) {
            statement.setEscapeProcessing(false);
            statement.execute("ALTER MULTIMED MODEL APPLY '%s'".formatted(model.replace("'", "''")));
        }
    }
}
