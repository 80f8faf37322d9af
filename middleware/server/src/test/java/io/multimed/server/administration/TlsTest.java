// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.administration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.engine.conformance.Sql;
import io.multimed.model.SystemModel;
import io.multimed.protocol.tls.TlsFiles;
import io.multimed.server.Middleware;
import io.multimed.server.testing.Certificates;
import io.multimed.server.testing.ParallelClients;
import io.multimed.server.testing.TestCluster;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Checks TLS between driver and middleware. Nothing of it depends on the engine. */
@Tag("slow")
@Timeout(600)
@Tag("exhaustive")
class TlsTest {
    private static final String MODEL = """
            listen:
              users: [{name: tester, password: right, administrator: true}]
              tls: {certificate: '%1$s/server.pem', key: '%1$s/server.key'%2$s}
            share-cores: true
            nodes:
            - {name: master, role: master, memory: 128m}
            - {name: satellite-1, role: satellite, memory: 128m}
            """;

    @TempDir
    private static Path folder;

    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        Certificates.make(folder, "original", "ip:127.0.0.1", "EC");
        Certificates.make(folder, "other", "ip:127.0.0.1", "RSA");
        Certificates.make(folder, "elsewhere", "dns:elsewhere.example", "EC");
        for (String end : new String[] {".pem", ".key"}) {
            Files.copy(folder.resolve("original" + end), folder.resolve("server" + end));
        }
        cluster = TestCluster.of(MODEL.formatted(folder, "")).awaitOnline();
        try (Connection client = connect("sslMode=require")) {
            Sql.run(
                    client,
                    "CREATE TABLE t (a int PRIMARY KEY, b int NOT NULL, c bytea)",
                    "INSERT INTO t VALUES (1, 0)");
        }
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static Connection connect(String properties) throws SQLException {
        return DriverManager.getConnection(cluster.url() + "?" + properties, "tester", "right");
    }

    private static String trusting(String name) {
        return "sslMode=verify-full&sslRootCert=" + folder.resolve(name + ".pem");
    }

    @Test
    void verifiesTheCertificateAsTheModeSays() throws Exception {
        for (String mode : new String[] {"require", "verify-ca", "verify-full", "VERIFY_CA"}) {
            try (Connection client = connect("sslMode=" + mode + "&sslRootCert=" + folder.resolve("server.pem"))) {
                assertThat(Sql.text(client, "SELECT a FROM t")).as(mode).isEqualTo("1");
            }
        }
        for (String wrong : new String[] {trusting("other"), "sslMode=verify-full", "sslMode=verify-ca"}) {
            assertThatThrownBy(() -> connect(wrong))
                    .as(wrong)
                    .hasMessageContaining("with TLS (sslMode=verify-")
                    .extracting("SQLState")
                    .isEqualTo("08001");
        }
        assertThatThrownBy(() -> connect("sslMode=verify-ca&sslRootCert=" + folder.resolve("none.pem")))
                .hasMessageContaining("none.pem")
                .extracting("SQLState")
                .isEqualTo("08001");
    }

    @Test
    void refusesClientsWithoutTls() throws Exception {
        assertThatThrownBy(() -> connect("sslMode=disable"))
                .hasMessageContaining("accepts encrypted connections only")
                .extracting("SQLState")
                .isEqualTo("28000");
        try (Connection client = connect("sslMode=prefer")) {
            assertThat(Sql.text(client, "SELECT a FROM t")).isEqualTo("1");
        }
        try (Connection client = connect("connectTimeout=20")) {
            assertThat(client.isValid(60)).isTrue();
        }
    }

    @Tag("exhaustive")
    @Test
    void transmitsLargeValuesAndResults() throws Exception {
        byte[] value = new byte[9 << 20];
        new Random(1).nextBytes(value);
        try (Connection client = connect(trusting("server"));
                PreparedStatement insert = client.prepareStatement("INSERT INTO t VALUES (?, 1, ?)")) {
            insert.setInt(1, 2);
            insert.setBytes(2, value);
            insert.executeUpdate();
            try (Statement read = client.createStatement();
                    ResultSet row = read.executeQuery("SELECT c FROM t WHERE a = 2")) {
                row.next();
                assertThat(row.getBytes(1)).isEqualTo(value);
            }
            assertThat(Sql.rows(client, "SELECT n, repeat('x', 50) FROM generate_series(1, 100000) n"))
                    .hasSize(100_000);
            Sql.run(client, "DELETE FROM t WHERE a = 2");
        }
    }

    @Tag("exhaustive")
    @Test
    void servesManyClientsAtTheSameTime() throws Exception {
        int clients = 16;
        int each = 200;
        ParallelClients.run(clients, unused -> {
            try (Connection client = connect("sslMode=require");
                    PreparedStatement update = client.prepareStatement("UPDATE t SET b = b + 1 WHERE a = 1");
                    PreparedStatement read = client.prepareStatement("SELECT a, b FROM t WHERE a = ?")) {
                for (int i = 0; i < each; i++) {
                    read.setInt(1, 1);
                    try (ResultSet row = read.executeQuery()) {
                        assertThat(row.next()).isTrue();
                    }
                    if (i % 4 == 0) {
                        update.executeUpdate();
                    }
                }
            }
        });
        try (Connection client = connect("sslMode=require")) {
            assertThat(Sql.text(client, "SELECT b FROM t WHERE a = 1")).isEqualTo("" + clients * each / 4);
            Sql.run(client, "UPDATE t SET b = 0");
        }
    }

    @Test
    void cancelsOverAnEncryptedConnection() throws Exception {
        try (Connection client = connect("sslMode=require");
                Statement statement = client.createStatement()) {
            statement.setQueryTimeout(1);
            assertThatThrownBy(() -> statement.executeQuery("SELECT pg_sleep(60)"))
                    .extracting("SQLState")
                    .isEqualTo("57014");
        }
    }

    /** The middleware's certificate belongs to another host here, and clients need one, but need no TLS. */
    @Tag("exhaustive")
    @Test
    void obeysTheOtherSettings() throws Exception {
        cluster.middleware().close();
        cluster.startMiddleware(MODEL.replace("server.", "elsewhere.")
                .formatted(folder, ", client-authorities: '%s/other.pem', required: false".formatted(folder)));
        cluster.awaitOnline();
        try {
            String trusting = "&sslRootCert=" + folder.resolve("elsewhere.pem");
            String own = "&sslCert=" + folder.resolve("other.p12") + "&sslPassword=certificate";
            for (int i = 0; i < 30; i++) { // the first request often arrives with the end of the handshake
                connect("sslMode=verify-ca" + trusting + own).close();
            }
            connect("sslMode=verify-ca" + trusting + "&sslcert=" + folder.resolve("other.pem") + "&sslkey="
                            + folder.resolve("other.key"))
                    .close();
            assertThatThrownBy(() -> connect("sslMode=verify-full" + trusting + own))
                    .hasMessageContaining("127.0.0.1");
            assertThatThrownBy(() -> connect("sslMode=verify-ca" + trusting))
                    .as("without a certificate")
                    .isInstanceOf(SQLException.class);
            assertThatThrownBy(() -> connect("sslMode=verify-ca" + trusting + own.replace("=certificate", "=wrong")))
                    .hasMessageContaining("the password is wrong");
            connect("sslMode=disable").close();
        } finally {
            cluster.middleware().close();
            cluster.startMiddleware(MODEL.formatted(folder, ""));
            cluster.awaitOnline();
        }
    }

    @Test
    void namesAFileThatIsWrong() throws Exception {
        Files.writeString(folder.resolve("empty.pem"), "");
        for (String file : new String[] {"missing.pem", "empty.pem"}) {
            SystemModel model = SystemModel.parse(
                    MODEL.replace("%1$s/server.pem", "%1$s/" + file).formatted(folder, ""), "model");
            assertThatThrownBy(() -> Middleware.start(model.withPort(0), node -> {
                        throw new AssertionError("the master is asked for");
                    }))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("listen.tls")
                    .hasMessageContaining(file);
        }
    }

    /** An attacker in between decrypts, and encrypts again with another certificate. */
    @Test
    void aLoginCannotBePassedOn() throws Exception {
        try (Interceptor interceptor = new Interceptor()) {
            String url = cluster.url().replaceFirst(":[0-9]+/", ":" + interceptor.port() + "/");
            assertThatThrownBy(() -> DriverManager.getConnection(url + "?sslMode=require", "tester", "right"))
                    .hasMessageContaining("password authentication failed")
                    .extracting("SQLState")
                    .isEqualTo("28P01");
            assertThat(interceptor.passed()).isPositive();
        }
    }

    @Test
    @Tag("exhaustive")
    void usesARenewedCertificateForNewConnections() throws Exception {
        try (Connection before = connect(trusting("original"))) {
            replace("other");
            assertThatThrownBy(() -> connect(trusting("original"))).isInstanceOf(SQLException.class);
            assertThat(Sql.text(before, "SELECT a FROM t")).isEqualTo("1");
        } finally {
            replace("original");
        }
    }

    /** Replaces the middleware's certificate, and waits until the middleware uses the new one. */
    private static void replace(String by) throws IOException {
        for (String end : new String[] {".pem", ".key"}) {
            Files.copy(folder.resolve(by + end), folder.resolve("server" + end), StandardCopyOption.REPLACE_EXISTING);
        }
        await().atMost(Duration.ofSeconds(30))
                .ignoreExceptionsInstanceOf(SQLException.class)
                .until(() -> {
                    connect(trusting(by)).close();
                    return true;
                });
    }

    /** Decrypts and encrypts one connection at a time. */
    private static final class Interceptor implements AutoCloseable {
        private final SSLContext context = SSLContext.getInstance("TLS");
        private final SSLServerSocket server;
        private final AtomicLong passed = new AtomicLong();

        Interceptor() throws Exception {
            context.init(
                    TlsFiles.keyManagers(folder.resolve("other.pem"), folder.resolve("other.key"), new char[0]),
                    TlsFiles.trustManagers(folder.resolve("server.pem")),
                    null);
            server = (SSLServerSocket)
                    context.getServerSocketFactory().createServerSocket(0, 5, InetAddress.getLoopbackAddress());
            start(this::accept);
        }

        int port() {
            return server.getLocalPort();
        }

        long passed() {
            return passed.get();
        }

        private static void start(Runnable task) {
            Thread thread = new Thread(task, "interceptor");
            thread.setDaemon(true);
            thread.start();
        }

        private void accept() {
            try (Socket client = server.accept();
                    SSLSocket middleware = (SSLSocket) context.getSocketFactory()
                            .createSocket(
                                    InetAddress.getLoopbackAddress(),
                                    cluster.middleware().address().getPort())) {
                start(() -> pass(middleware, client));
                pass(client, middleware);
            } catch (IOException e) {
                return; // the test is over
            }
        }

        private void pass(Socket from, Socket to) {
            try (InputStream in = from.getInputStream();
                    OutputStream out = to.getOutputStream()) {
                byte[] bytes = new byte[8_192];
                for (int n = in.read(bytes); n >= 0; n = in.read(bytes)) {
                    passed.addAndGet(n);
                    out.write(bytes, 0, n);
                    out.flush();
                }
            } catch (IOException e) {
                return; // one side has closed the connection
            }
        }

        @Override
        public void close() throws IOException {
            server.close();
        }
    }
}
