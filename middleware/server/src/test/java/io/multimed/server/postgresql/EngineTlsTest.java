// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.Launchers;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.ServerUser;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.engine.conformance.Sql;
import io.multimed.model.SystemModel;
import io.multimed.server.testing.Certificates;
import io.multimed.server.testing.RoleUsers;
import io.multimed.server.testing.TestCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Connections to external engines are encrypted, and verified, as the parameters of their URLs say. */
@Tag("exhaustive")
@Timeout(600)
class EngineTlsTest {
    private static final StateFolder STATE = StateFolder.temporary("multimed-tls-");
    private static final List<RunningEngine> SERVERS = new ArrayList<>();

    @TempDir
    private static Path folder;

    private static RunningEngine master;
    private static RunningEngine satellite;
    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        for (String name : new String[] {"one", "two", "other", "port"}) {
            Certificates.make(folder, name, "ip:127.0.0.1", "RSA");
            ServerUser.preferring("postgres").giveFile(folder.resolve(name + ".key")); // to the engine, if root runs it
        }
        ServerUser.letPass(folder);
        master = server("master", "one");
        satellite = server("satellite", "two");
        cluster = TestCluster.of(model("one", "two")).awaitOnline();
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
        SERVERS.forEach(RunningEngine::close);
        STATE.discard();
    }

    /** Starts a server that accepts connections with TLS only, apart from those of the launcher's socket. */
    private static RunningEngine server(String name, String certificate) throws Exception {
        SystemModel model = SystemModel.parse("""
                database: shop
                nodes:
                - name: %s
                  role: master
                  memory: 128m
                  settings: {ssl: 'on', ssl_cert_file: '%2$s.pem', ssl_key_file: '%2$s.key'}
                """.formatted(name, folder.resolve(certificate)), "server");
        RunningEngine server = Launchers.start(model.master(), "shop", STATE);
        SERVERS.add(server);
        try (Connection owner = DriverManager.getConnection(server.jdbcUrl(), server.user(), server.password())) {
            Path rules = Path.of(String.valueOf(text(owner, "SHOW hba_file")));
            Files.writeString(rules, Files.readString(rules).replaceAll("(?m)^host ", "hostssl "));
            run(owner, "SELECT pg_reload_conf()");
        }
        return server;
    }

    private static String node(String name, String role, RunningEngine server, String authority) {
        return """
                - name: %s
                  role: %s
                  source: external
                  url: '%s?sslmode=verify-full&sslrootcert=%s'
                  user: %s
                  password: '%s'
                """.formatted(
                        name,
                        role,
                        server.jdbcUrl().replaceFirst("[?].*", ""),
                        folder.resolve(authority + ".pem"),
                        server.user(),
                        server.password());
    }

    /** @param ofMaster authority that the middleware trusts for the master; {@code ofSatellite} likewise */
    private static String model(String ofMaster, String ofSatellite) {
        return """
                listen:
                  pass-through: true
                  tls: {certificate: '%1$s/port.pem', key: '%1$s/port.key', required: false}
                  users: [{name: boss, password: bossboss, administrator: true}]
                nodes:
                """.formatted(folder)
                + node("master", "master", master, ofMaster)
                + node("satellite", "satellite", satellite, ofSatellite);
    }

    private static Connection boss() throws SQLException {
        return RoleUsers.connect(cluster, "boss");
    }

    /** The connections of this middleware, and not those of the test, which connects by the same URL. */
    private static List<String> connections(RunningEngine server) throws SQLException {
        String encrypted = server.jdbcUrl() + (server.jdbcUrl().contains("?") ? "&" : "?") + "sslmode=require";
        try (Connection owner = DriverManager.getConnection(encrypted, server.user(), server.password())) {
            return Sql.rows(
                            owner,
                            "SELECT ssl, coalesce(version, 'none') FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE pid <> pg_backend_pid() AND backend_type = 'client backend' AND datname = 'shop'")
                    .stream()
                    .map(String::valueOf)
                    .toList();
        }
    }

    @Test
    void allConnectionsOfMasterAndSatelliteAreEncrypted() throws SQLException {
        try (Connection boss = boss()) {
            run(
                    boss,
                    "CREATE TABLE item (id int PRIMARY KEY, v text)",
                    "INSERT INTO item SELECT i, repeat('x', 100) FROM generate_series(1, 20000) i");
            RoleUsers.awaitSatellite(boss, "SELECT count(*) FROM item");
            assertThat(Sql.rows(boss, "SELECT * FROM item")).hasSize(20_000);
        }
        for (RunningEngine server : List.of(master, satellite)) {
            assertThat(connections(server))
                    .as("%s", server.node().name())
                    .hasSizeGreaterThan(2)
                    .allMatch(row -> row.contains("TLSv1."));
        }
    }

    /** The login, and the connections of the role, are encrypted, too. */
    @Test
    void usersArePassedThroughToAnExternalMaster() throws SQLException {
        try (Connection boss = boss()) {
            run(
                    boss,
                    "CREATE ROLE pat LOGIN PASSWORD 'right'",
                    "CREATE TABLE seen (id int)",
                    "GRANT SELECT ON seen TO pat");
        }
        String url =
                cluster.url() + "?requireAuth=password&sslMode=verify-full&sslRootCert=" + folder.resolve("port.pem");
        try (Connection pat = DriverManager.getConnection(url, "pat", "right")) {
            assertThat(text(pat, "SELECT ssl || ' ' || session_user FROM pg_stat_ssl WHERE pid = pg_backend_pid()"))
                    .isEqualTo("true pat");
            RoleUsers.awaitSatellite(pat, "SELECT count(*) FROM seen");
        }
        assertThatThrownBy(() -> DriverManager.getConnection(url, "pat", "wrong"))
                .extracting("SQLState")
                .isEqualTo("28P01");
    }

    @Test
    void aMasterWithAnotherCertificateIsRefused() {
        assertThatThrownBy(() -> TestCluster.of(model("other", "two")))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("master: cannot connect to jdbc:postgresql://127.0.0.1:")
                .hasMessageContaining("SSL error")
                .hasMessageContaining("check url, user and password of the node master");
    }

    /** The rest of the system works meanwhile. */
    @Test
    void aSatelliteWithAnotherCertificateIsNotUsed() throws Exception {
        cluster.middleware().close();
        try (TestCluster wrong = TestCluster.of(model("one", "other"))) {
            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(
                                    wrong.middleware().status().nodes().get(1).trouble())
                            .contains("SSL error"));
            try (Connection boss = RoleUsers.connect(wrong, "boss")) {
                assertThat(text(boss, "SELECT count(*) FROM pg_class WHERE false"))
                        .isEqualTo("0");
                assertThat(Sql.node(boss)).isEqualTo("master");
            }
        }
        cluster.startMiddleware();
        cluster.awaitOnline();
    }
}
