// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.port;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.multimed.engine.conformance.Sql;
import io.multimed.protocol.fuzz.FuzzOptions;
import io.multimed.server.testing.Certificates;
import io.multimed.server.testing.TestCluster;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/**
 * Many connections send wrong input to the port. A regular client receives right answers meanwhile; the middleware
 * reports no error of its own; and at the end no memory, connection, lease, thread or file of the wrong clients is
 * left. docs/development.md describes the properties. The engine does not matter.
 */
@Tag("exhaustive")
@Timeout(7_200)
class PortFuzzTest {
    static final String USER = "fuzzer";
    static final String PASSWORD = "fuzzer";

    private static final int CLIENTS = 2;

    /** The budget of all clients, in MB. Small, so that the limit matters. */
    private static final int BUDGET = 32;

    /** A threshold for leaks: one leak per connection would exceed it. */
    private static final int FEW = 40;

    @TempDir
    private static Path folder;

    private static TestCluster cluster;

    /** The errors of the middleware itself, at most as many as fit. */
    private final List<String> errors = Collections.synchronizedList(new ArrayList<>());

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong nextSeed = new AtomicLong(FuzzOptions.seed());
    private final AtomicLong mostMemory = new AtomicLong();
    private final Map<FuzzedConnection.Kind, Integer> kinds =
            Collections.synchronizedMap(new EnumMap<>(FuzzedConnection.Kind.class));

    @BeforeAll
    static void start() throws Exception {
        Certificates.make(folder, "server", "ip:127.0.0.1", "EC");
        cluster = TestCluster.of("""
                listen:
                  tls: {certificate: '%1$s/server.pem', key: '%1$s/server.key', required: false}
                  users: [{name: tester, password: tester, administrator: true}, {name: %2$s, password: %3$s, administrator: true}]
                  limits: {memory: %4$dm, acquire-timeout: 1m}
                share-cores: true
                nodes:
                - {name: master, role: master, memory: 128m, pool: 8}
                - {name: satellite-1, role: satellite, memory: 128m, pool: 8}
                """.formatted(folder, USER, PASSWORD, BUDGET)).awaitOnline();
        try (Connection tester = connect()) {
            Sql.run(
                    tester,
                    "CREATE TABLE healthy_rows (a int PRIMARY KEY, b int NOT NULL)",
                    "INSERT INTO healthy_rows SELECT n, 0 FROM generate_series(0, %d) n"
                            .formatted(HealthyClient.ROWS - 1),
                    "CREATE TABLE fuzzed_rows (a int PRIMARY KEY, b int, c text)",
                    "INSERT INTO fuzzed_rows SELECT n, 0, 'c' FROM generate_series(1, 500) n");
        }
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @AfterEach
    void stopThreads() {
        threads.shutdownNow();
    }

    private static Connection connect() throws SQLException {
        return DriverManager.getConnection(cluster.url(), "tester", "tester");
    }

    @Test
    void harmsNoOtherClientAndLeavesNothingBehind() throws Exception {
        Logger own = (Logger) LoggerFactory.getLogger("io.multimed");
        Logger port = (Logger) LoggerFactory.getLogger("io.multimed.server");
        Errors appender = new Errors();
        appender.start();
        own.addAppender(appender);
        Level before = port.getLevel();
        port.setLevel(Level.ERROR); // each wrong input causes a warning
        try {
            run(200); // opens the connections, threads and files that the middleware keeps
            Usage usage = Usage.now();
            run(FuzzOptions.inputsOfEach());
            System.out.printf(
                    "port: %d inputs on %d connections from seed %d %s; at most %d kB of memory for clients%n",
                    sent.get(), nextSeed.get() - FuzzOptions.seed(), FuzzOptions.seed(), kinds, mostMemory.get() >> 10);
            assertThat(kinds.keySet()).containsExactlyInAnyOrder(FuzzedConnection.Kind.values());
            Usage.now().assertIsNotMuchMoreThan(usage);
        } finally {
            port.setLevel(before);
            own.detachAppender(appender);
        }
        cluster.awaitApplied();
        try (Connection tester = connect()) {
            cluster.assertEqualToMaster(tester, "SELECT a, b FROM healthy_rows ORDER BY a");
        }
    }

    /** Sends a number of inputs, beside a regular client, and waits until everything is released. */
    private void run(long inputs) throws Exception {
        long end = sent.get() + inputs;
        try (Connection connection = connect()) {
            Sql.run(connection, "UPDATE healthy_rows SET b = 0");
            HealthyClient healthy = new HealthyClient(connection);
            CompletableFuture<Void> working = CompletableFuture.runAsync(healthy, threads);
            List<CompletableFuture<Void>> wrong = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                wrong.add(CompletableFuture.runAsync(() -> sendUntil(end, working), threads));
            }
            wrong.forEach(CompletableFuture::join);
            healthy.stop();
            working.join();
            assertThat(healthy.rounds()).as("rounds of the regular client").isPositive();
        }
        await("the middleware has released the clients and their memory")
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(List.of(
                                (long) cluster.middleware().rememberedClients(),
                                cluster.middleware().clientMemory()))
                        .as("clients, memory of clients in bytes")
                        .containsOnly(0L));
        await("no transaction is left")
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(cluster.middleware().status().nodes())
                        .as("nodes on which transactions run")
                        .allMatch(node -> node.active() == 0));
        assertThat(cluster.pinned()).isEmpty();
        assertThat(errors).as("errors of the middleware").isEmpty();
    }

    private void sendUntil(long end, CompletableFuture<Void> healthy) {
        try {
            SSLContext context = trustingAll();
            byte[] hello = clientHello(context);
            while (sent.get() < end && !healthy.isDone() && errors.isEmpty()) {
                send(context, hello, nextSeed.getAndIncrement());
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private void send(SSLContext context, byte[] hello, long seed) {
        FuzzedConnection connection =
                new FuzzedConnection(cluster.middleware().address(), context.getSocketFactory(), hello, seed);
        try {
            connection.run();
        } catch (IOException e) {
            throw new IllegalStateException("-Dmultimed.fuzz.seed=%d (%s)".formatted(seed, connection.kind()), e);
        }
        sent.addAndGet(connection.inputs());
        kinds.merge(connection.kind(), 1, Integer::sum);
        long memory = cluster.middleware().clientMemory();
        mostMemory.accumulateAndGet(memory, Math::max);
        assertThat(memory).as("memory of clients, seed %d", seed).isLessThan((BUDGET + 8L) << 20);
    }

    private static SSLContext trustingAll() throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new TrustsAll()}, new SecureRandom());
        return context;
    }

    private static byte[] clientHello(SSLContext context) throws SSLException {
        SSLEngine engine = context.createSSLEngine("127.0.0.1", 1);
        engine.setUseClientMode(true);
        ByteBuffer out = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), out);
        byte[] hello = new byte[out.flip().remaining()];
        out.get(hello);
        return hello;
    }

    /** Accepts any certificate: the tests of TLS check what is accepted. */
    private static final class TrustsAll implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    /** Keeps the first errors that the middleware logs. */
    private final class Errors extends AppenderBase<ILoggingEvent> {
        @Override
        protected void append(ILoggingEvent event) {
            if (event.getLevel().isGreaterOrEqual(Level.ERROR) && errors.size() < 20) {
                errors.add("%s (seeds before %d)".formatted(event.getFormattedMessage(), nextSeed.get()));
            }
        }
    }

    /** What this process uses. */
    private record Usage(int threads, long files, long heap) {
        static Usage now() throws IOException {
            System.gc(); // the used heap is that of reachable objects
            try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
                return new Usage(
                        ManagementFactory.getThreadMXBean().getThreadCount(),
                        files.count(),
                        ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
            }
        }

        void assertIsNotMuchMoreThan(Usage before) {
            System.out.println("before: " + before + ", after: " + this);
            assertThat(threads).as("threads").isLessThan(before.threads + FEW);
            assertThat(files).as("open files").isLessThan(before.files + FEW);
            assertThat(heap).as("used heap").isLessThan(before.heap + (64L << 20));
        }
    }
}
