// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.administration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.multimed.engine.conformance.Sql;
import io.multimed.protocol.Frame;
import io.multimed.protocol.response.Challenge;
import io.multimed.protocol.tls.TlsFiles;
import io.multimed.protocol.wire.WireWriter;
import io.multimed.server.testing.Certificates;
import io.multimed.server.testing.RawClient;
import io.multimed.server.testing.TestCluster;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients of other protocols are refused with an error that they understand, on a port without TLS and on one that
 * requires TLS. All errors below come before the time limit of a login has passed, which has an error of its own.
 */
@Tag("exhaustive")
@Timeout(300)
@ParameterizedClass
@ValueSource(booleans = {false, true})
class ForeignClientTest {
    private static final String NOT_POSTGRESQL = "this port speaks the protocol of Multimed, not that of PostgreSQL";
    private static final String NOT_MYSQL = "this port speaks the protocol of Multimed, not that of MariaDB or MySQL";
    private static final String NOT_HTTP = "This port speaks the protocol of Multimed, not HTTP";
    private static final byte[] SSL_REQUEST = {0, 0, 0, 8, 4, (byte) 0xd2, 0x16, 0x2f};
    private static final byte[] GSS_REQUEST = {0, 0, 0, 8, 4, (byte) 0xd2, 0x16, 0x30};
    private static final byte[] CANCEL_REQUEST = {0, 0, 0, 16, 4, (byte) 0xd2, 0x16, 0x2e, 1, 2, 3, 4, 5, 6, 7, 8};
    private static final Path PSQL = Path.of("/usr/bin/psql");
    private static final int PATIENCE_MILLIS = 60_000;

    @TempDir
    private static Path folder;

    private static TestCluster cluster;

    private final boolean tls;

    ForeignClientTest(boolean tls) {
        this.tls = tls;
    }

    @BeforeParameterizedClassInvocation
    static void start(boolean tls) throws Exception {
        Certificates.make(folder, "server" + tls, "ip:127.0.0.1", "EC");
        cluster = TestCluster.of("""
                listen:
                  users: [{name: tester, password: right, administrator: true}]
                %s
                nodes:
                - {name: master, role: master, memory: 128m}
                """.formatted(
                tls
                        ? "  tls: {certificate: '%1$s/servertrue.pem', key: '%1$s/servertrue.key'}".formatted(folder)
                        : ""));
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    private static int port() {
        return cluster.middleware().address().getPort();
    }

    private static Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port());
        socket.setSoTimeout(PATIENCE_MILLIS);
        return socket;
    }

    private static SSLSocket encrypt(Socket socket) throws Exception {
        SSLContext trusting = SSLContext.getInstance("TLS");
        trusting.init(null, TlsFiles.trustManagers(folder.resolve("servertrue.pem")), null);
        SSLSocket encrypted = (SSLSocket) trusting.getSocketFactory().createSocket(socket, "127.0.0.1", 1, true);
        encrypted.startHandshake();
        return encrypted;
    }

    /** Returns everything that arrives until the other side closes the connection. */
    private static String rest(Socket socket) throws IOException {
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    }

    private static byte[] startup(int version) {
        byte[] parameters = "user\0tester\0database\0shop\0\0".getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(8 + parameters.length)
                .putInt(8 + parameters.length)
                .putInt(version)
                .put(parameters)
                .array();
    }

    private static void sendInPieces(Socket socket, byte[] bytes) throws IOException {
        socket.setTcpNoDelay(true);
        for (byte each : bytes) {
            socket.getOutputStream().write(each);
        }
    }

    private static void checkPostgresRefusal(Socket socket) throws IOException {
        assertThat(rest(socket))
                .startsWith("E\0\0")
                .contains("SFATAL\0VFATAL\0C08P01\0M" + NOT_POSTGRESQL)
                .endsWith("\0\0");
    }

    @Test
    void shouldAnswerTheFirstMessagesOfPostgresClients() throws Exception {
        for (int version : new int[] {2 << 16, 3 << 16, 3 << 16 | 2}) {
            try (Socket socket = connect()) {
                for (byte[] request : List.of(GSS_REQUEST, SSL_REQUEST)) {
                    sendInPieces(socket, request);
                    assertThat(socket.getInputStream().read()).isEqualTo('N');
                }
                sendInPieces(socket, startup(version));
                checkPostgresRefusal(socket);
            }
        }
        for (byte[] first : List.of(startup(3 << 16), CANCEL_REQUEST)) {
            try (Socket socket = connect()) {
                socket.getOutputStream().write(first);
                checkPostgresRefusal(socket);
            }
        }
    }

    @Test
    void shouldNotServeAClientThatHasAskedInAnotherProtocol() throws Exception {
        try (Socket socket = connect()) {
            socket.getOutputStream().write(SSL_REQUEST);
            assertThat(socket.getInputStream().read()).isEqualTo('N');
            socket.getOutputStream().write(Frame.encode(1, RawClient.hello(), new WireWriter()));
            assertThat(rest(socket)).isEmpty();
        }
    }

    @Test
    void shouldRefuseTheDriverOfPostgres() {
        for (String mode : new String[] {"prefer", "allow", "disable"}) {
            assertThatThrownBy(() -> DriverManager.getConnection(
                            "jdbc:postgresql://127.0.0.1:%d/shop?sslmode=%s".formatted(port(), mode),
                            "tester",
                            "right"))
                    .as(mode)
                    .hasMessageContaining(NOT_POSTGRESQL)
                    .extracting("SQLState")
                    .isEqualTo("08P01");
        }
        assertThatThrownBy(() -> DriverManager.getConnection(
                        "jdbc:postgresql://127.0.0.1:%d/shop?sslmode=require".formatted(port()), "tester", "right"))
                .hasMessageContaining("server does not support SSL");
    }

    @Test
    void shouldRefusePsql() throws Exception {
        assumeThat(PSQL).as("psql is not installed: skipped").exists();
        for (String mode : new String[] {"prefer", "allow", "disable"}) {
            assertThat(psql(mode)).as(mode).contains("FATAL:  " + NOT_POSTGRESQL);
        }
        assertThat(psql("require")).contains("server does not support SSL, but SSL was required");
    }

    /** Returns what psql prints, which has failed. */
    private static String psql(String mode) throws Exception {
        Path output = folder.resolve("psql.txt");
        Process psql = new ProcessBuilder(
                        PSQL.toString(),
                        "--no-password",
                        "host=127.0.0.1 port=%d dbname=shop user=tester sslmode=%s".formatted(port(), mode))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        assertThat(psql.waitFor()).isNotZero();
        return Files.readString(output);
    }

    @Test
    void shouldRefuseTheDriverOfMySql() {
        for (String mode : new String[] {"PREFERRED", "DISABLED", "REQUIRED"}) {
            assertThatThrownBy(() -> DriverManager.getConnection(
                            "jdbc:mysql://127.0.0.1:%d/shop?sslMode=%s".formatted(port(), mode), "tester", "right"))
                    .as(mode)
                    .isInstanceOf(SQLException.class)
                    .hasStackTraceContaining(NOT_MYSQL)
                    .extracting("SQLState")
                    .isEqualTo("08S01");
        }
    }

    @Test
    void shouldGreetAClientThatWaitsForIt() throws Exception {
        try (Socket socket = connect()) {
            InputStream in = socket.getInputStream();
            byte[] head = in.readNBytes(4);
            assertThat(head[3]).as("sequence number").isZero();
            byte[] packet = in.readNBytes((head[0] & 0xff) | (head[1] & 0xff) << 8);
            assertThat(packet).startsWith(0xff, 1043 & 0xff, 1043 >>> 8);
            assertThat(new String(packet, 3, packet.length - 3, StandardCharsets.US_ASCII))
                    .startsWith(NOT_MYSQL);
        }
    }

    @Test
    void shouldRefuseHttp() throws Exception {
        for (String method : new String[] {"GET", "POST", "OPTIONS"}) {
            try (Socket socket = connect()) {
                socket.getOutputStream()
                        .write((method + " / HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
                assertThat(rest(socket))
                        .startsWith("HTTP/1.1 400 Bad Request\r\n")
                        .contains("\r\n\r\n" + NOT_HTTP);
            }
        }
    }

    @Test
    void shouldRefuseForeignClientsWithinTls() throws Exception {
        assumeThat(tls).isTrue();
        try (SSLSocket socket = encrypt(connect())) {
            socket.getOutputStream().write(startup(3 << 16));
            checkPostgresRefusal(socket);
        }
        try (SSLSocket socket = encrypt(connect())) {
            socket.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(rest(socket)).contains(NOT_HTTP);
        }
    }

    @Test
    void shouldRefuseTlsByAnAlertWhereThePortHasNone() throws Exception {
        assumeThat(tls).isFalse();
        Files.copy(folder.resolve("serverfalse.pem"), folder.resolve("servertrue.pem"));
        try (Socket plain = connect()) {
            assertThatThrownBy(() -> encrypt(plain))
                    .isInstanceOf(SSLHandshakeException.class)
                    .hasMessageContaining("handshake_failure");
        }
        Files.delete(folder.resolve("servertrue.pem"));
        assertThatThrownBy(() -> client(port(), "sslMode=require"))
                .hasMessageContaining("check listen.tls of the middleware")
                .extracting("SQLState")
                .isEqualTo("08001");
        client(port(), "sslMode=prefer").close();
    }

    @Test
    void shouldReadAHelloThatArrivesInPieces() throws Exception {
        try (Socket socket = tls ? encrypt(connect()) : connect();
                RawClient client = new RawClient(socket)) {
            sendInPieces(socket, Frame.encode(1, RawClient.hello(), new WireWriter()));
            assertThat(client.read()).isInstanceOf(Challenge.class);
        }
    }

    private static Connection client(int port, String properties) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:multimed://127.0.0.1:%d/shop?%s".formatted(port, properties), "tester", "right");
    }

    /** The proxy delays the first bytes of the driver until the middleware has greeted the silent connection. */
    @Test
    void shouldServeItsOwnDriverThatWasSlow() throws Exception {
        try (SlowProxy proxy = new SlowProxy(cluster.middleware().address());
                Connection client = client(proxy.port(), tls ? "sslMode=require" : "sslMode=disable")) {
            assertThat(Sql.text(client, "SELECT 'served'")).isEqualTo("served");
        }
    }

    /** A greeting that is no refusal is not skipped: the engine and the driver would wait for each other. */
    @Test
    void shouldNotWaitForAnEngineThatGreetsTheDriver() throws Exception {
        byte[] greeting = ByteBuffer.allocate(4 + 74)
                .put((byte) 74)
                .position(4)
                .put((byte) 10)
                .put("11.4.2\0".getBytes(StandardCharsets.US_ASCII))
                .array();
        try (ServerSocket engine = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread thread = new Thread(() -> greetAll(engine, greeting), "greeting-engine");
            thread.start();
            assertThatThrownBy(() -> client(engine.getLocalPort(), "sslMode=" + (tls ? "prefer" : "disable")))
                    .hasMessageContaining("check that host and port are those of the middleware")
                    .extracting("SQLState")
                    .isEqualTo("08006");
            engine.close();
            thread.join(PATIENCE_MILLIS);
        }
    }

    /** Reads nothing, and keeps all connections until the listener is closed. */
    private static void greetAll(ServerSocket engine, byte[] greeting) {
        List<Socket> clients = new ArrayList<>();
        try {
            while (true) {
                Socket client = engine.accept();
                clients.add(client);
                client.getOutputStream().write(greeting);
            }
        } catch (IOException e) {
            for (Socket client : clients) {
                try {
                    client.close();
                } catch (IOException ignored) {
                    assertThat(ignored).isNotNull();
                }
            }
        }
    }

    /** Passes on the first connection; the client's bytes only after the first bytes of the server. */
    private static final class SlowProxy implements AutoCloseable {
        private final ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        private final InetSocketAddress target;
        private final Thread thread = new Thread(this::serve, "slow-proxy");

        SlowProxy(InetSocketAddress target) throws IOException {
            this.target = target;
            thread.start();
        }

        int port() {
            return listener.getLocalPort();
        }

        private void serve() {
            try (Socket client = listener.accept();
                    Socket server = new Socket(target.getAddress(), target.getPort())) {
                client.getOutputStream().write(server.getInputStream().read());
                Thread back = new Thread(() -> copy(server, client), "slow-proxy-back");
                back.start();
                copy(client, server);
                back.join();
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        private static void copy(Socket from, Socket to) {
            try {
                from.getInputStream().transferTo(to.getOutputStream());
                to.shutdownOutput();
            } catch (IOException e) {
                assertThat(e).isNotNull(); // one side has closed the connection
            }
        }

        @Override
        public void close() throws Exception {
            thread.join(PATIENCE_MILLIS);
            listener.close();
        }
    }
}
