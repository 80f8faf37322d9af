// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.administration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.engine.conformance.Sql;
import io.multimed.protocol.request.Ping;
import io.multimed.protocol.response.ErrorReport;
import io.multimed.protocol.response.Executed;
import io.multimed.protocol.response.Welcome;
import io.multimed.protocol.tls.TlsFiles;
import io.multimed.server.testing.Certificates;
import io.multimed.server.testing.RawClient;
import io.multimed.server.testing.TestCluster;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The limits of clients also hold for connections with TLS, and for those whose handshake never ends. */
@Tag("exhaustive")
@Timeout(300)
class TlsLoginTest {
    /** The beginning of a TLS handshake: a record of 512 bytes follows, in which a message of 508 bytes follows. */
    private static final byte[] HALF_A_HANDSHAKE = {22, 3, 1, 2, 0, 1, 0, 1, (byte) 252, 3, 3};

    private static final int PENDING = 5;

    @TempDir
    private static Path folder;

    private static TestCluster cluster;
    private static SSLContext trusting;

    @BeforeAll
    static void start() throws Exception {
        Certificates.make(folder, "server", "ip:127.0.0.1", "EC");
        trusting = SSLContext.getInstance("TLS");
        trusting.init(null, TlsFiles.trustManagers(folder.resolve("server.pem")), null);
        cluster = TestCluster.of("""
                listen:
                  tls: {certificate: '%1$s/server.pem', key: '%1$s/server.key'}
                  limits: {pending-logins: 20, pending-logins-per-address: %2$d, queued-per-client: 64k}
                nodes:
                - {name: master, role: master, memory: 128m}
                """.formatted(folder, PENDING));
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @AfterEach
    void shouldReleaseEverything() throws Exception {
        try (Connection other = connect()) {
            assertThat(Sql.text(other, "SELECT 1")).isEqualTo("1");
        }
        await("the middleware has released the clients and their memory")
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(List.of(
                                (long) cluster.middleware().rememberedClients(),
                                cluster.middleware().clientMemory()))
                        .containsOnly(0L));
    }

    private static Connection connect() throws Exception {
        return DriverManager.getConnection(
                cluster.url() + "?sslMode=verify-full&sslRootCert=" + folder.resolve("server.pem"), "tester", "");
    }

    private static InetSocketAddress address() {
        return cluster.middleware().address();
    }

    private static RawClient encrypted() throws IOException {
        SSLSocket socket = (SSLSocket)
                trusting.getSocketFactory().createSocket("127.0.0.1", address().getPort());
        socket.startHandshake();
        return new RawClient(socket);
    }

    @Test
    void shouldCloseConnectionsWhoseHandshakeOrLoginDoesNotEnd() throws Exception {
        try (RawClient half = new RawClient(address());
                RawClient silent = encrypted();
                RawClient drop = encrypted()) {
            half.send(HALF_A_HANDSHAKE);
            drop.send(new byte[] {0, 0, 0, 50, 1, 0});
            assertThat(((ErrorReport) silent.read()).sqlState()).isEqualTo("08004");
            assertThat(((ErrorReport) drop.read()).message()).contains("the login took more than 10 s");
            assertThat(half.isHungUp() && silent.isHungUp() && drop.isHungUp()).isTrue();
        }
    }

    @Test
    void shouldDisplaceHalfHandshakesAtOnce() throws Exception {
        List<RawClient> halves = new ArrayList<>();
        try {
            for (int i = 0; i < 10 * PENDING; i++) {
                RawClient half = new RawClient(address(), InetAddress.getByName("127.0.0.2"));
                halves.add(half);
                half.send(HALF_A_HANDSHAKE);
            }
            await("the displaced connections are closed")
                    .atMost(Duration.ofSeconds(4)) // a connection that is refused otherwise may stay for 5 s
                    .until(() -> cluster.middleware().rememberedClients() <= 2 * PENDING);
            connect().close();
        } finally {
            for (RawClient half : halves) {
                half.close();
            }
        }
    }

    @Test
    void shouldRefuseLargeFramesBeforeTheLogin() throws Exception {
        try (RawClient client = encrypted()) {
            client.send(new byte[] {0, 0, 32, 1});
            ErrorReport error = (ErrorReport) client.read();
            assertThat(error.sqlState()).isEqualTo("08P01");
            assertThat(error.message()).contains("takes 5 to 8192 before the login");
            assertThat(client.isHungUp()).isTrue();
        }
        try (Socket plain = new Socket(address().getAddress(), address().getPort())) {
            byte[] record = new byte[1 << 20];
            System.arraycopy(HALF_A_HANDSHAKE, 0, record, 0, HALF_A_HANDSHAKE.length);
            try (RawClient client = new RawClient(plain)) {
                sendUntilHungUp(client, record);
                assertThat(client.isHungUp()).isTrue();
            }
        }
    }

    private static void sendUntilHungUp(RawClient client, byte[] bytes) {
        try {
            client.send(bytes);
        } catch (IOException e) {
            assertThat(e).isNotNull(); // the connection was closed while this client sent
        }
    }

    /** Such connections once remained in the middleware for ever, before and after the login. */
    @Test
    void shouldForgetConnectionsWhoseBytesCannotBeDecrypted() throws Exception {
        byte[] record = new byte[5 + 64];
        ByteBuffer.wrap(record).put((byte) 23).putShort((short) 0x0303).putShort((short) 64);
        for (int i = 0; i < 20; i++) {
            try (Socket plain = new Socket(address().getAddress(), address().getPort())) {
                SSLSocket socket = (SSLSocket) trusting.getSocketFactory().createSocket(plain, "127.0.0.1", 1, true);
                socket.startHandshake();
                try (RawClient client = new RawClient(socket)) {
                    if (i % 2 == 0) {
                        assertThat(client.ask(RawClient.hello())).isInstanceOf(Welcome.class);
                    }
                    plain.getOutputStream().write(record);
                    assertThat(client.isHungUp()).isTrue();
                }
            }
        }
    }

    /** An answer that was read must not count as unread, however it was encrypted. */
    @Test
    void shouldServeAClientThatReadsItsAnswers() throws Exception {
        try (Connection client = connect()) {
            for (int i = 1; i <= 200; i++) {
                assertThat(Sql.text(client, "SELECT repeat('x', %d)".formatted(1_000 * i)))
                        .hasSize(1_000 * i);
            }
        }
    }

    @Test
    void shouldLetTheNextRequestWaitUntilTheClientHasReadItsAnswers() throws Exception {
        int size = 1_000_000;
        int requests = 40;
        try (RawClient lazy = encrypted();
                Connection other = connect()) {
            assertThat(lazy.ask(RawClient.hello())).isInstanceOf(Welcome.class);
            for (int i = 0; i < requests; i++) {
                lazy.send(RawClient.execute("SELECT repeat('x', %d)".formatted(size), true));
            }
            for (int i = 0; i < 100; i++) {
                assertThat(Sql.text(other, "SELECT 1")).isEqualTo("1");
                assertThat(cluster.middleware().clientMemory()).isLessThan(4L * size);
            }
            for (int i = 0; i < requests; i++) {
                assertThat(lazy.read()).isInstanceOf(Executed.class);
            }
            lazy.send(new Ping());
            assertThat(lazy.read()).isNotInstanceOf(ErrorReport.class);
        }
    }
}
