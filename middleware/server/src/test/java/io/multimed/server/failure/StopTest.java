// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.engine.conformance.EngineSql;
import io.multimed.engine.conformance.Sql;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.model.NodeSpec;
import io.multimed.model.SystemModel;
import io.multimed.server.Middleware;
import io.multimed.server.NodeAccessResolver;
import io.multimed.server.SatelliteProvisioner;
import io.multimed.server.testing.TestCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A middleware that was stopped, or whose start has failed, leaves nothing behind in its process. */
@Tag("slow")
@Timeout(300)
class StopTest {
    private static final EngineSql WORDS = EngineSql.of("postgresql", "words");

    private static final String ADMISSIONS_THAT_WAIT =
            "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%multimed.enter%' AND wait_event_type = 'Lock'";

    private static final String ADDITION =
            "ALTER MULTIMED SATELLITE late ADD '{name: late, role: satellite, memory: 128m}'";

    private static final String FENCES = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'";

    /** Maintenance opens the fence again, and waits for a row, while the middleware stops. */
    @Test
    @Tag("exhaustive")
    void shouldReleaseTheMasterDuringMaintenance() throws Exception {
        try (TestCluster cluster = TestCluster.withSatellites(0).awaitOnline();
                Connection holder = cluster.direct("master");
                Connection observer = cluster.direct("master")) {
            holder.setAutoCommit(false);
            Sql.run(holder, "SELECT * FROM multimed.base FOR UPDATE");
            assertThat(Sql.endSessions(observer, WORDS, "keeper")).isPositive();
            awaitCount(observer, ADMISSIONS_THAT_WAIT, "1");
            cluster.middleware().close();
            holder.rollback();
            awaitCount(observer, ADMISSIONS_THAT_WAIT, "0");
            await("no session of the stopped middleware keeps others away")
                    .pollDelay(Duration.ofSeconds(1)) // the session may only have begun to do so
                    .untilAsserted(() -> assertThat(Sql.text(observer, FENCES)).isEqualTo("0"));
            cluster.startMiddleware();
        }
    }

    private static void awaitCount(Connection observer, String query, String count) {
        await(query)
                .atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(Sql.text(observer, query)).isEqualTo(count));
    }

    /** The engine of the satellite becomes ready after the stop. */
    @Test
    @Tag("exhaustive")
    void shouldNotAddASatellite() throws Exception {
        try (TestCluster cluster = TestCluster.withSatellites(1)) {
            SystemModel model = cluster.middleware().model().withPort(0);
            cluster.middleware().close();
            SlowProvisioner provisioner = new SlowProvisioner(access(cluster, "satellite-1"));
            Middleware stopped = Middleware.start(model, node -> access(cluster, node.name()), provisioner);
            CompletableFuture<Void> addition = CompletableFuture.runAsync(() -> add(stopped));
            provisioner.asked.await();
            stopped.close();
            provisioner.mayAnswer.countDown();
            await("the engine is stopped")
                    .atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(provisioner.calls).containsSubsequence("start late", "stop late"));
            awaitEnd("late");
            assertThatThrownBy(addition::join).hasCauseInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    @Tag("exhaustive")
    void shouldStopTheEngineOfASatelliteThatCannotBeAdded() throws Exception {
        try (TestCluster cluster = TestCluster.withSatellites(1)) {
            SystemModel model = cluster.middleware().model().withPort(0);
            cluster.middleware().close();
            SlowProvisioner provisioner = new SlowProvisioner(access(cluster, "satellite-1"));
            provisioner.mayAnswer.countDown();
            try (Middleware middleware = Middleware.start(model, node -> access(cluster, node.name()), provisioner);
                    Connection connection = DriverManager.getConnection(middleware.jdbcUrl(), "tester", "")) {
                assertThatThrownBy(() -> Sql.run(connection, ADDITION)).hasMessageContaining("cannot be stored");
            }
            assertThat(provisioner.calls).containsExactly("start late", "stop late");
        }
    }

    private static void add(Middleware middleware) {
        try (Connection connection = DriverManager.getConnection(middleware.jdbcUrl(), "tester", "")) {
            Sql.run(connection, "ALTER MULTIMED SATELLITE late ADD '{name: late, role: satellite, memory: 128m}'");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Starts an engine when the test permits this, also if the thread is interrupted meanwhile, and then does not store
     * the definition.
     */
    private static final class SlowProvisioner implements SatelliteProvisioner {
        private final CountDownLatch asked = new CountDownLatch(1);
        private final CountDownLatch mayAnswer = new CountDownLatch(1);
        private final Queue<String> calls = new ConcurrentLinkedQueue<>();
        private final NodeAccess access;

        SlowProvisioner(NodeAccess access) {
            this.access = access;
        }

        @Override
        public NodeAccess start(NodeSpec node) {
            calls.add("start " + node.name());
            asked.countDown();
            while (true) {
                try {
                    mayAnswer.await();
                    return access;
                } catch (InterruptedException e) {
                    calls.add("interrupted");
                }
            }
        }

        @Override
        public void remember(String name, String definition) {
            throw new IllegalStateException("the definition cannot be stored");
        }

        @Override
        public void stop(NodeSpec node) {
            calls.add("stop " + node.name());
        }
    }

    @Test
    void shouldLeaveNothingAfterAFailedStart() throws Exception {
        try (TestCluster cluster = TestCluster.withSatellites(1)) {
            SystemModel model = cluster.middleware().model().withPort(0);
            cluster.middleware().close();
            assertFails(model, node -> {
                if (node.name().equals("master")) {
                    return access(cluster, "master");
                }
                throw new IllegalStateException("no engine");
            });
            awaitEnd("freshness-deadlines");
            assertFails(model, node -> {
                if (node.name().equals("master")) {
                    return access(cluster, "master");
                }
                throw new AssertionError("no engine");
            });
            awaitEnd("freshness-deadlines");
            cluster.startMiddleware();
        }
    }

    private static void assertFails(SystemModel model, NodeAccessResolver engines) {
        assertThatThrownBy(() -> Middleware.start(model, engines)).hasMessage("no engine");
    }

    private static NodeAccess access(TestCluster cluster, String node) {
        var engine = cluster.engine(node);
        return new NodeAccess(node, engine.jdbcUrl(), engine.user(), engine.password(), engine.socket());
    }

    /** Waits until no thread runs whose name contains the text. */
    private static void awaitEnd(String part) {
        await("the threads end") // Awaitility's own thread has this name
                .atMost(Duration.ofSeconds(10))
                .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                        .noneMatch(thread -> thread.getName().contains(part)));
    }

    /** Counted without a middleware, whose connections to engines have selectors, too. */
    @Test
    void shouldCloseItsSelectors() throws Exception {
        try (TestCluster cluster = TestCluster.withSatellites(0)) {
            useAndStop(cluster);
            long before = settledSelectors();
            for (int i = 0; i < 4; i++) {
                cluster.startMiddleware();
                useAndStop(cluster);
            }
            await("the selectors of the stopped middlewares are closed")
                    .atMost(Duration.ofSeconds(10))
                    .untilAsserted(() -> assertThat(selectors()).isLessThanOrEqualTo(before));
        }
    }

    /** Returns the number of selectors when the last connections to the engine are closed: the number is constant. */
    private static long settledSelectors() {
        AtomicLong last = new AtomicLong(-1);
        await("the number of selectors is constant")
                .during(Duration.ofMillis(500))
                .atMost(Duration.ofSeconds(10))
                .until(() -> {
                    long now = selectors();
                    return last.getAndSet(now) == now;
                });
        return last.get();
    }

    private static void useAndStop(TestCluster cluster) throws SQLException {
        cluster.connect().close();
        cluster.middleware().close();
    }

    /** Returns the number of descriptors by which this process waits for sockets. */
    private static long selectors() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.filter(StopTest::isSelector).count();
        }
    }

    private static boolean isSelector(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith("anon_inode");
        } catch (NoSuchFileException e) {
            return false; // closed meanwhile
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
