// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.administration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.engine.conformance.Sql;
import io.multimed.model.SystemModel;
import io.multimed.model.listen.Listen;
import io.multimed.server.Middleware;
import io.multimed.server.communication.ReservedAddress;
import io.multimed.server.testing.TestCluster;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Checks the port of the middleware: unknown users, invalid bytes, and many clients. The behaviour does not depend on
 * the engine, so the cluster has one engine.
 */
@Tag("slow")
@Timeout(600)
class ListenTest {
    private static final String NODES = """
            share-cores: true
            nodes:
            - {name: master, role: master, memory: 128m, pool: 8}
            - {name: satellite-1, role: satellite, memory: 128m, pool: 8}
            """;

    private static final String USERS =
            "listen: {users: [{name: tester, password: right, administrator: true}], max-frame: 1m}\n" + NODES;

    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.of(USERS).awaitOnline();
        try (Connection connection = connect()) {
            Sql.run(connection, "CREATE TABLE t (a int PRIMARY KEY, b int NOT NULL)", "INSERT INTO t VALUES (2, 0)");
        }
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static Connection connect() throws SQLException {
        return DriverManager.getConnection(cluster.url(), "tester", "right");
    }

    @Test
    void shouldRefuseAWrongPasswordAndAnUnknownUserAlike() {
        for (String[] who : new String[][] {{"tester", "wrong"}, {"nobody", "right"}}) {
            assertThatThrownBy(() -> DriverManager.getConnection(cluster.url(), who[0], who[1]))
                    .hasMessage("password authentication failed for user \"%s\"".formatted(who[0]))
                    .extracting("SQLState")
                    .isEqualTo("28P01");
        }
        assertThatThrownBy(() -> DriverManager.getConnection(cluster.url(), "tester", ""))
                .hasMessageContaining("asks user");
    }

    /** However many connections a guesser opens, only a few of its passwords are checked. */
    @Test
    void shouldRefuseFurtherGuessesWithoutACheck() {
        List<CompletableFuture<String>> guesses = new ArrayList<>();
        ExecutorService guessers = Executors.newFixedThreadPool(8);
        for (int i = 0; i < 40; i++) {
            String password = "guess " + i;
            guesses.add(CompletableFuture.supplyAsync(() -> state("ghost", password), guessers));
        }
        List<String> states =
                guesses.stream().map(CompletableFuture::join).sorted().toList();
        guessers.shutdown();
        assertThat(states).containsOnly("28P01", "53300");
        assertThat(states.indexOf("53300")).as("passwords that were checked").isBetween(5, 20);
        assertThat(state("tester", "right"))
                .as("another user of the same address")
                .isEmpty();
    }

    /** Returns the SQLState of a login; empty if it succeeds. */
    private static String state(String user, String password) {
        try (Connection connection = DriverManager.getConnection(cluster.url(), user, password)) {
            return connection.isValid(10) ? "" : "invalid";
        } catch (SQLException e) {
            return e.getSQLState();
        }
    }

    @Test
    void shouldRefuseAnUnknownDatabase() {
        String url = cluster.url().replace("/shop", "/other");
        assertThatThrownBy(() -> DriverManager.getConnection(url, "tester", "right"))
                .hasMessageContaining("\"other\" is not served here");
    }

    @Test
    void shouldCloseConnectionsThatSendGarbageOrTooLargeFrames() throws Exception {
        byte[] text = "SSH-2.0-client\r\n".getBytes(StandardCharsets.US_ASCII);
        byte[] huge = {0x7f, 0, 0, 0, 1};
        for (byte[] sent : List.of(text, huge)) {
            try (Socket socket = new Socket(
                    InetAddress.getLoopbackAddress(),
                    cluster.middleware().address().getPort())) {
                socket.getOutputStream().write(sent);
                InputStream in = socket.getInputStream();
                assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8))
                        .contains("takes 5 to 8192 before the login");
            }
        }
        try (Connection connection = connect()) {
            assertThat(connection.isValid(60)).isTrue();
        }
    }

    @Test
    @Tag("exhaustive")
    void shouldServeAThousandClientsOnEightConnectionsWithoutAThreadForEach() throws Exception {
        List<Connection> clients = new ArrayList<>();
        ExecutorService users = Executors.newFixedThreadPool(40);
        cluster.middleware().close(); // without users: a thousand password checks take most of a minute
        cluster.startMiddleware("listen: {max-frame: 1m, max-clients: 1005}\n" + NODES);
        cluster.awaitOnline();
        try {
            int threads = Thread.activeCount();
            for (int i = 0; i < 1_000; i++) {
                clients.add(connect());
            }
            assertThat(Thread.activeCount()).isLessThanOrEqualTo(threads + 20);
            List<Future<Integer>> answers = new ArrayList<>();
            for (Connection client : clients) {
                answers.add(users.submit(() -> readAndUpdate(client)));
            }
            for (Future<Integer> answer : answers) {
                assertThat(answer.get()).isEqualTo(1);
            }
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 10; i++) {
                            clients.add(connect());
                        }
                    })
                    .hasMessageContaining("listen.max-clients");
        } finally {
            users.shutdownNow();
            for (Connection client : clients) {
                client.close();
            }
            cluster.middleware().close();
            cluster.startMiddleware(USERS);
            cluster.awaitOnline();
        }
    }

    private static int readAndUpdate(Connection client) throws SQLException {
        try (Statement statement = client.createStatement()) {
            try (ResultSet row = statement.executeQuery("SELECT b FROM t WHERE a = 2")) {
                row.next();
            }
            return statement.executeUpdate("UPDATE t SET b = b + 1 WHERE a = 2");
        }
    }

    /** Checked before the connection to the master, so that a failed start changes nothing. */
    @Test
    void shouldReportAPortInUseBeforeAnythingElse() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = taken.getLocalPort();
            SystemModel model = SystemModel.parse("database: shop\nnodes:\n- {name: master, role: master}\n", "m")
                    .withPort(port);
            assertThatThrownBy(() -> Middleware.start(model, node -> {
                        throw new AssertionError("the master is asked for");
                    }))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("127.0.0.1:" + port)
                    .hasMessageContaining("listen.port");
        }
    }

    @Test
    void shouldReserveAnAddressAndListenThere() throws Exception {
        InetSocketAddress own = cluster.middleware().address();
        assertThatThrownBy(() -> ReservedAddress.of(listen(own.getPort()))).hasMessageContaining("listen.port");
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        try (ReservedAddress reserved = ReservedAddress.of(listen(port));
                ReservedAddress again = ReservedAddress.of(listen(port));
                ServerSocket listening = new ServerSocket()) {
            assertThat(reserved).isNotSameAs(again);
            assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port))
                    .isInstanceOf(ConnectException.class);
            listening.setReuseAddress(true);
            listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        }
    }

    private static Listen listen(int port) {
        return Listen.DEFAULT.withPort(port);
    }
}
