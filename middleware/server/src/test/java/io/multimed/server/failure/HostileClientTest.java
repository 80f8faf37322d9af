// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.protocol.request.CatalogCall;
import io.multimed.protocol.request.Goodbye;
import io.multimed.protocol.request.Hello;
import io.multimed.protocol.request.Ping;
import io.multimed.protocol.response.ErrorReport;
import io.multimed.protocol.response.Executed;
import io.multimed.protocol.response.Welcome;
import io.multimed.protocol.statement.TransactionMode;
import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.Protocol;
import io.multimed.protocol.wire.WireWriter;
import io.multimed.server.testing.RawClient;
import io.multimed.server.testing.TestCluster;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Clients that violate the protocol lose only their own connection: no other client waits, and all their resources are
 * released. The engine does not matter.
 */
@Tag("slow")
@Timeout(300)
@Tag("standbys")
class HostileClientTest {
    private static final int POOL = 4;
    private static final int UPDATES = 20;

    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.of("""
                engine: postgresql
                nodes:
                - {name: master, role: master, memory: 128m, pool: %d}
                """.formatted(POOL));
        cluster.run("CREATE TABLE t (a int PRIMARY KEY, b int NOT NULL)", "INSERT INTO t VALUES (1, 0)");
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @AfterEach
    void shouldServeOtherClientsAndReleaseAllResources() throws Exception {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(60);
            assertThat(statement.executeUpdate("UPDATE t SET b = b + 1")).isEqualTo(1);
        }
        await("the middleware has released the clients and their memory")
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(List.of(
                                (long) cluster.middleware().rememberedClients(),
                                cluster.middleware().clientMemory()))
                        .containsOnly(0L));
    }

    private static InetSocketAddress address() {
        return cluster.middleware().address();
    }

    private static String state(RawClient client) throws IOException {
        return ((ErrorReport) client.read()).sqlState();
    }

    /** A name with a line break would be a line of its own in the log. */
    @Test
    void shouldRefuseNamesThatForgeTheLog() throws Exception {
        for (String name : List.of("tester\n12:00:00.000 ERROR Server: forged", "\u001b[2J", "x".repeat(5_000))) {
            try (RawClient client = new RawClient(address())) {
                client.send(new Hello(Protocol.VERSION, "shop", name, "raw", new byte[18], ""));
                assertThat(state(client)).isEqualTo("28000");
                assertThat(client.isHungUp()).isTrue();
            }
        }
    }

    /**
     * More clients than the master has connections: each transaction of such a client once pinned a connection for
     * ever.
     */
    @Test
    void shouldRefuseASecondHelloAndReleaseTheTransactionOfTheFirst() throws Exception {
        for (int i = 0; i < UPDATES; i++) {
            try (RawClient client = RawClient.open(address())) {
                assertThat(client.ask(RawClient.execute("UPDATE t SET b = b + 1", false)))
                        .isInstanceOf(Executed.class);
                client.send(RawClient.hello());
                assertThat(state(client)).isEqualTo("08P01");
                assertThat(client.isHungUp()).isTrue();
            }
        }
    }

    @Test
    void shouldRefuseASecondHelloThatIsSentAhead() throws Exception {
        try (RawClient client = new RawClient(address())) {
            client.send(RawClient.hello());
            client.send(RawClient.hello());
            assertThat(client.read()).isInstanceOf(Welcome.class);
            assertThat(state(client)).isEqualTo("08P01");
            assertThat(client.isHungUp()).isTrue();
        }
    }

    @Test
    @Tag("exhaustive")
    void shouldRemoveSessionsThatSaidGoodbye() throws Exception {
        for (int i = 0; i < 500; i++) {
            try (RawClient client = RawClient.open(address())) {
                client.send(new Goodbye());
                assertThat(client.isHungUp()).isTrue();
            }
        }
    }

    @Test
    @Tag("exhaustive")
    void shouldRemoveSessionsWhoseConnectionsBreak() throws Exception {
        for (int i = 0; i < 200; i++) {
            try (RawClient client = RawClient.open(address())) {
                if (i % 2 == 0) {
                    client.send(RawClient.execute("UPDATE t SET b = b + 1", false));
                }
            }
        }
    }

    /** A frame of 4 MB with 33 nested lists, each of which declares as many elements as the frame has bytes. */
    @Test
    void shouldAcceptOnlyALoginBeforeALogin() throws Exception {
        byte[] lists = claimedLists(33, 4 << 20);
        for (int i = 0; i < 5; i++) {
            try (RawClient client = new RawClient(address())) {
                sendUntilHungUp(client, lists);
                assertThat(client.isHungUp()).isTrue();
            }
            try (RawClient client = new RawClient(address())) {
                client.send(new Ping());
                assertThat(state(client)).isEqualTo("08P01");
                assertThat(client.isHungUp()).isTrue();
            }
        }
        try (RawClient client = RawClient.open(address())) {
            client.send(lists);
            assertThat(state(client)).isEqualTo("08P01");
        }
    }

    private static void sendUntilHungUp(RawClient client, byte[] bytes) {
        try {
            client.send(bytes);
        } catch (IOException e) {
            assertThat(e).isNotNull(); // the connection was closed while this client sent
        }
    }

    private static byte[] claimedLists(int depth, int size) {
        WireWriter out = new WireWriter(size);
        out.writeInt(size);
        out.writeByte(MessageType.CATALOG_CALL.code());
        out.writeInt(1);
        out.writeByte(1); // auto-commit
        out.writeByte(0);
        out.writeString("getTables");
        out.writeVarint(1);
        for (int i = 0; i < depth; i++) {
            out.writeByte(17); // an array
            out.writeString("");
            out.writeInt(0);
            out.writeVarint(size - 1_000);
        }
        return java.util.Arrays.copyOf(out.toByteArray(), Protocol.LENGTH + size);
    }

    @Test
    void shouldAdmitClientsWhileManyConnectionsDoNotLogIn() throws Exception {
        List<RawClient> silent = new ArrayList<>();
        try {
            for (int i = 0; i < 1_100; i++) {
                silent.add(new RawClient(address()));
            }
            RawClient latest = silent.get(silent.size() - 1);
            cluster.connect().close();
            assertThat(latest.ask(RawClient.hello()))
                    .as("the login of a client whose time to log in has not expired")
                    .isInstanceOf(Welcome.class);
            assertThat(silent.get(0).isHungUp()).isTrue();
        } finally {
            for (RawClient client : silent) {
                client.close();
            }
        }
    }

    /**
     * These clients send nothing or incomplete frames, and do not close their connection: the middleware closes the
     * connection after a time limit.
     */
    @Test
    @Tag("exhaustive")
    void shouldCloseConnectionsThatHoldResourcesAndSendNothing() throws Exception {
        byte[] part = ByteBuffer.allocate(4 << 20).putInt(63 << 20).array();
        try (RawClient silent = new RawClient(address());
                RawClient half = new RawClient(address());
                RawClient large = RawClient.open(address())) {
            half.send(new byte[] {0, 0, 0, 50, 1, 0});
            large.send(part);
            await("the middleware has received the large frame; see its memory of clients")
                    .atMost(Duration.ofSeconds(10))
                    .until(() -> cluster.middleware().clientMemory() >= part.length - 64_000);
            assertThat(state(silent)).isEqualTo("08004");
            assertThat(silent.isHungUp()).isTrue();
            assertThat(half.isHungUp()).isTrue();
            assertThat(state(large)).isEqualTo("08P01"); // no byte of the frame arrived within the limit
        }
    }

    @Test
    @Tag("exhaustive")
    void shouldSurviveRandomAndMutatedBytes() throws Exception {
        long seed = Long.getLong("multimed.test.seed", 11);
        Random random = new Random(seed);
        for (int i = 0; i < 300; i++) {
            try (RawClient client = i % 2 == 0 ? new RawClient(address()) : RawClient.open(address())) {
                sendUntilHungUp(client, garbage(random));
            }
        }
    }

    /** Returns several frames: a valid message with some bytes changed, or noise. */
    private static byte[] garbage(Random random) {
        ByteBuffer all = ByteBuffer.allocate(8_000);
        for (int frames = random.nextInt(1, 6); frames > 0; frames--) {
            byte[] bytes = io.multimed.protocol.Frame.encode(
                    frames,
                    random.nextBoolean()
                            ? RawClient.execute("SELECT a FROM t", random.nextBoolean())
                            : new CatalogCall(new TransactionMode(true, false, 0), "getTables", List.of("a", "b")),
                    new WireWriter());
            for (int changes = random.nextInt(4); changes > 0; changes--) {
                bytes[random.nextInt(random.nextInt(10) == 0 ? 0 : 4, bytes.length)] = (byte) random.nextInt();
            }
            all.put(bytes);
        }
        return java.util.Arrays.copyOf(all.array(), all.position());
    }
}
