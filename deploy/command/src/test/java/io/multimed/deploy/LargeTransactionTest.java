package io.multimed.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.engine.Launchers;
import io.multimed.deploy.engine.RunningEngine;
import io.multimed.deploy.engine.StateFolder;
import io.multimed.deploy.fault.MiddlewareProcess;
import io.multimed.model.Node;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A transaction that is larger than the middleware's whole memory, while others go on. For two million rows, by hand:
 * {@code mvn verify -pl deploy/command -am -Dtest=LargeTransactionTest -Dsurefire.failIfNoSpecifiedTests=false
 * -Dmultimed.test.rows=2000000 -Dmultimed.test.heap=512m}.
 */
@Timeout(1_200)
class LargeTransactionTest {
    private static final int ROWS = Integer.getInteger("multimed.test.rows", 300_000);
    private static final String HEAP = System.getProperty("multimed.test.heap", "80m");
    private static final Duration PATIENCE = Duration.ofMinutes(15);
    private static final String DIGEST =
            "SELECT count(*) || ' ' || coalesce(sum(('x' || substr(md5((t.*)::text), 1, 15))::bit(60)::bigint), 0) FROM %s AS t";

    @TempDir
    private Path folder;

    private final StateFolder state = StateFolder.temporary("multimed-test-");
    private final List<RunningEngine> engines = new ArrayList<>();
    private final AtomicBoolean stop = new AtomicBoolean();
    private String url;

    @AfterEach
    void stopEngines() {
        engines.forEach(RunningEngine::close);
        state.discard();
    }

    @Test
    void shouldReplicateATransactionLargerThanItsMemoryWhileOthersCommit() throws Exception {
        try (MiddlewareProcess middleware =
                new MiddlewareProcess(model(), folder.resolve("output"), List.of("-Xmx" + HEAP))) {
            middleware.start();
            middleware.awaitSatellites();
            run(
                    "CREATE TABLE small (id int PRIMARY KEY, n int)",
                    "INSERT INTO small VALUES (1, 0)",
                    "CREATE TABLE bulk (id int PRIMARY KEY, name text, amount numeric(12, 2), at timestamptz DEFAULT clock_timestamp())");
            CompletableFuture<Histogram> others = CompletableFuture.supplyAsync(this::commitUntilStopped);
            long begin = System.nanoTime();
            run("INSERT INTO bulk SELECT i, repeat('name ' || i, 10), i / 7.0 FROM generate_series(1, %d) i"
                    .formatted(ROWS));
            report("insert", begin);
            awaitApplied();
            report("insert applied", begin);
            begin = System.nanoTime();
            run("UPDATE bulk SET amount = amount + random(), at = clock_timestamp()");
            report("update", begin);
            awaitApplied();
            report("update applied", begin);
            stop.set(true);
            report(others.get(), middleware.pid());
            awaitApplied();
            assertThat(digests("bulk")).containsOnly(digests("bulk").get(0)).hasSize(engines.size());
            assertThat(digests("small")).containsOnly(digests("small").get(0));
            assertThat(middleware.printed()).doesNotContain("OFFLINE", "OutOfMemoryError");
        }
    }

    private Histogram commitUntilStopped() {
        Histogram latencies = new Histogram(3);
        try (Connection connection = DriverManager.getConnection(url, "", "");
                Statement statement = connection.createStatement()) {
            while (!stop.get()) {
                long begin = System.nanoTime();
                statement.executeUpdate("UPDATE small SET n = n + 1");
                latencies.recordValue((System.nanoTime() - begin) / 1_000);
            }
        } catch (SQLException e) {
            throw new IllegalStateException("another client's commit failed", e);
        }
        return latencies;
    }

    private static void report(String what, long begin) {
        System.out.printf("%s of %,d rows after %.1f s%n", what, ROWS, (System.nanoTime() - begin) / 1e9);
    }

    private static void report(Histogram latencies, long pid) throws IOException {
        assertThat(latencies.getTotalCount()).isPositive();
        System.out.printf(
                "%d other commits meanwhile: median %.1f ms, 99%% %.1f ms, longest %.1f ms; heap %s, middleware's largest memory: %s%n",
                latencies.getTotalCount(),
                latencies.getValueAtPercentile(50) / 1e3,
                latencies.getValueAtPercentile(99) / 1e3,
                latencies.getMaxValue() / 1e3,
                HEAP,
                Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
                        .filter(line -> line.startsWith("VmHWM"))
                        .toList());
    }

    private void run(String... statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url, "", "");
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** Everything published before the call is applied everywhere, and no satellite is away. */
    private void awaitApplied() throws SQLException {
        try (Connection connection = DriverManager.getConnection(url, "", "");
                Statement statement = connection.createStatement()) {
            long published = applied(statement).stream().max(Long::compare).orElseThrow();
            await().atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(200))
                    .until(() -> applied(statement).stream().allMatch(scn -> scn >= published));
        }
    }

    private static List<Long> applied(Statement statement) throws SQLException {
        List<Long> applied = new ArrayList<>();
        try (ResultSet nodes = statement.executeQuery("SHOW MULTIMED STATUS")) {
            while (nodes.next()) {
                assertThat(nodes.getString("state")).isEqualTo("ONLINE");
                applied.add(nodes.getLong("applied_scn"));
            }
        }
        return applied;
    }

    private List<String> digests(String table) throws SQLException {
        List<String> digests = new ArrayList<>();
        for (RunningEngine engine : engines) {
            try (Connection connection = TestModels.direct(engine);
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(DIGEST.formatted(table))) {
                row.next();
                digests.add(row.getString(1));
            }
        }
        return digests;
    }

    /** Engines in processes of ours: only the middleware is short of memory. */
    private Path model() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        url = "jdbc:multimed://127.0.0.1:%d/shop".formatted(port);
        StringBuilder yaml = new StringBuilder("listen: {port: %d}%ndatabase: shop%nnodes:%n".formatted(port));
        for (Node node : TestModels.twoSatellites().nodes()) {
            RunningEngine engine = Launchers.start(node, "shop", state);
            engines.add(engine);
            yaml.append("- {name: %s, role: %s, source: external, url: \"%s\", user: %s, password: %s}%n"
                    .formatted(
                            node.name(),
                            node.role().name().toLowerCase(Locale.ROOT),
                            engine.jdbcUrl(),
                            engine.user(),
                            engine.password()));
        }
        return Files.writeString(folder.resolve("model.yaml"), yaml);
    }
}
