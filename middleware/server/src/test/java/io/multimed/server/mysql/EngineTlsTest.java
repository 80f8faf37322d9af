// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.mysql;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.deploy.launcher.Launchers;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.ServerUser;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.engine.conformance.Sql;
import io.multimed.model.SystemModel;
import io.multimed.server.testing.Certificates;
import io.multimed.server.testing.TestCluster;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

/** Connections to external engines of the family are encrypted, and verified, as the parameters of their URLs say. */
@Tag("exhaustive")
@Timeout(600)
class EngineTlsTest {
    @TempDir
    private Path folder;

    /**
     * Starts a server that accepts connections with TLS only, apart from those of a socket. The option {@code ssl}
     * exists on some servers only, which would not use TLS without it.
     */
    private RunningEngine server(String engine, String name, String certificate, StateFolder state) throws Exception {
        SystemModel model = SystemModel.parse("""
                database: shop
                engine: %s
                nodes:
                - name: %s
                  role: master
                  memory: 128m
                  settings: {loose_ssl: 'ON', ssl_cert: '%3$s.pem', ssl_key: '%3$s.key', require_secure_transport: 'OFF'}
                """.formatted(engine, name, folder.resolve(certificate)), "server");
        RunningEngine server = Launchers.start(model.master(), "shop", state);
        try (Connection owner = DriverManager.getConnection(server.jdbcUrl(), server.user(), server.password())) {
            run(owner, "SET GLOBAL require_secure_transport = ON");
        }
        return server;
    }

    private String node(String name, String role, RunningEngine server, String authority) {
        return """
                - name: %s
                  role: %s
                  source: external
                  url: '%s?sslMode=VERIFY_IDENTITY&trustCertificateKeyStoreUrl=file:%s&trustCertificateKeyStoreType=PKCS12&trustCertificateKeyStorePassword=certificate'
                  user: %s
                  password: '%s'
                """.formatted(
                        name,
                        role,
                        server.jdbcUrl().replaceFirst("[?].*", ""),
                        folder.resolve(authority + ".trusted.p12"),
                        server.user(),
                        server.password());
    }

    @ParameterizedTest
    @EachEngine({"mariadb", "mysql"})
    void connectionsAreEncryptedAndVerified(String engine) throws Exception {
        for (String name : new String[] {"one", "two", "other"}) {
            Certificates.make(folder, name, "ip:127.0.0.1", "RSA");
            Certificates.trust(folder, name);
            ServerUser.preferring("mysql").giveFile(folder.resolve(name + ".key")); // to the engine, if root runs it
        }
        ServerUser.letPass(folder);
        StateFolder state = StateFolder.temporary("multimed-tls-");
        try (RunningEngine master = server(engine, "master", "one", state);
                RunningEngine satellite = server(engine, "satellite", "two", state)) {
            String begin = "engine: %s%nnodes:%n".formatted(engine);
            assertThatThrownBy(() -> TestCluster.of(begin + node("master", "master", master, "other")))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("master: cannot connect to jdbc:mysql://127.0.0.1:")
                    .hasMessageContaining("TLS: ")
                    .hasMessageContaining("check the server's certificate");
            String right = begin + node("master", "master", master, "one");
            try (TestCluster cluster = TestCluster.of(right + node("satellite", "satellite", satellite, "two"))) {
                cluster.awaitOnline();
                assertThatAllAreEncrypted(cluster, List.of(master, satellite));
            }
            try (TestCluster cluster = TestCluster.of(right + node("satellite", "satellite", satellite, "other"))) {
                await().atMost(Duration.ofSeconds(60))
                        .untilAsserted(() -> assertThat(cluster.middleware()
                                        .status()
                                        .nodes()
                                        .get(1)
                                        .trouble())
                                .contains("TLS: ", "check the server's certificate"));
                try (Connection client = cluster.connect()) {
                    assertThat(text(client, "SELECT count(*) FROM item")).isEqualTo("1000");
                    assertThat(Sql.node(client)).isEqualTo("master");
                }
            }
        } finally {
            state.discard();
        }
    }

    /** The servers accept no others; the cipher shows that this holds for the connections of clients' statements. */
    private static void assertThatAllAreEncrypted(TestCluster cluster, List<RunningEngine> servers)
            throws SQLException {
        cluster.run("CREATE TABLE item (id int PRIMARY KEY, v text)");
        cluster.insert("INSERT INTO item VALUES (?, repeat('x', 1000))", 1, 1_000);
        try (Connection client = cluster.connect()) {
            client.setReadOnly(true);
            assertThat(Sql.rows(client, "SELECT * FROM item")).hasSize(1_000);
            assertThat(Sql.node(client)).isEqualTo("satellite");
            client.setReadOnly(false);
            assertThat(Sql.rows(client, "SHOW SESSION STATUS LIKE 'Ssl_cipher'").toString())
                    .containsPattern("(?i)ssl_cipher.*_?(AES|CHACHA)");
            assertThat(Sql.node(client)).isEqualTo("master");
        }
        for (RunningEngine server : servers) {
            String plain = server.jdbcUrl().replaceFirst("sslMode=[A-Z_]*", "sslMode=DISABLED");
            assertThatThrownBy(() -> DriverManager.getConnection(plain, server.user(), server.password()))
                    .hasMessageContaining("require_secure_transport");
        }
    }
}
