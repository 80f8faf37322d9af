// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.administration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.engine.conformance.Sql;
import io.multimed.model.SystemModel;
import io.multimed.model.listen.UserLimits;
import io.multimed.model.listen.UsersFile;
import io.multimed.protocol.Scram;
import io.multimed.protocol.request.Ping;
import io.multimed.protocol.response.ErrorReport;
import io.multimed.protocol.response.Executed;
import io.multimed.protocol.response.Welcome;
import io.multimed.server.Middleware;
import io.multimed.server.testing.RawClient;
import io.multimed.server.testing.TestCluster;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each limit of {@code listen.limits}: what is refused and with which error, and that other clients are not affected.
 * Nothing of it depends on the engine.
 */
@Tag("slow")
@Timeout(300)
@Tag("standbys")
class LimitsTest {
    private static final String NODES = """
            share-cores: true
            nodes:
            - {name: master, role: master, memory: 128m, pool: 4}
            - {name: satellite-1, role: satellite, memory: 128m, pool: 2}
            """;

    private static final String USERS = """
            listen:
              limits: {clients-per-user: 3, acquire-timeout: 500ms}
              users:
              - {name: tester, password: tester, administrator: true, max-clients: 0}
              - {name: small, password: small, max-clients: 2, max-statements: 1}
              - {name: other, password: other}
            """;

    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.of(USERS + NODES).awaitOnline();
        try (Connection tester = connect("tester")) {
            Sql.run(
                    tester,
                    "CREATE TABLE t (a int PRIMARY KEY, b int NOT NULL)",
                    "GRANT ALL ON t TO small, other",
                    "INSERT INTO t SELECT n, 0 FROM generate_series(1, 100) n");
        }
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @AfterEach
    void shouldReleaseEverything() {
        await("the middleware has released the clients and their memory")
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(List.of(
                                (long) cluster.middleware().rememberedClients(),
                                cluster.middleware().clientMemory()))
                        .containsOnly(0L));
    }

    private static Connection connect(String user) throws SQLException {
        return DriverManager.getConnection(cluster.url(), user, user);
    }

    /** Restarts the middleware with other limits and without users. */
    private static void restart(String limits) throws Exception {
        cluster.middleware().close();
        cluster.startMiddleware("listen: {limits: {%s}}%n".formatted(limits) + NODES);
        cluster.awaitOnline();
    }

    /** Returns how often a limit has refused a client or a statement. */
    private static double refusals(Connection client, String limit) throws SQLException {
        return Sql.rows(client, "SHOW MULTIMED METRICS").stream()
                .filter(row -> row.startsWith("multimed_limit_refusals|limit=%s|".formatted(limit)))
                .mapToDouble(row -> Double.parseDouble(row.substring(row.lastIndexOf('|') + 1)))
                .findFirst()
                .orElseThrow();
    }

    private static void restore() throws Exception {
        cluster.middleware().close();
        cluster.startMiddleware(USERS + NODES);
        cluster.awaitOnline();
    }

    @Test
    void shouldRefuseTheClientsOfAUserAboveItsLimit() throws Exception {
        try (Connection first = connect("small");
                Connection second = connect("small")) {
            assertThatThrownBy(() -> connect("small"))
                    .hasMessageContaining(
                            "too many clients of user \"small\" are connected: 2, the maximum (listen.limits.clients-per-user, or max-clients of the user)")
                    .hasMessageContaining("close connections")
                    .extracting("SQLState")
                    .isEqualTo("53300");
            assertThat(Sql.text(first, "SELECT count(*) FROM t")).isEqualTo("100");
            assertThat(second.isValid(60)).isTrue();
            assertThat(refusals(first, "clients-per-user")).isPositive();
            assertThatDefaultApplies();
        }
        await("the clients have left")
                .ignoreExceptionsInstanceOf(SQLException.class)
                .untilAsserted(() -> connect("small").close());
    }

    private static void assertThatDefaultApplies() throws SQLException {
        List<Connection> others = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                others.add(connect("other"));
            }
            assertThatThrownBy(() -> connect("other")).hasMessageContaining("user \"other\" are connected: 3");
            for (int i = 0; i < 5; i++) {
                others.add(connect("tester")); // has no limit
            }
        } finally {
            for (Connection each : others) {
                each.close();
            }
        }
    }

    /** A wrong password must not use up the clients of a user. */
    @Test
    void shouldCountOnlyClientsThatHaveLoggedIn() throws Exception {
        for (int i = 0; i < 4; i++) {
            assertThatThrownBy(() -> DriverManager.getConnection(cluster.url(), "small", "wrong"))
                    .extracting("SQLState")
                    .isEqualTo("28P01");
        }
        try (Connection first = connect("small");
                Connection second = connect("small")) {
            assertThat(first.isValid(60) && second.isValid(60)).isTrue();
        }
    }

    @Test
    void shouldRefuseStatementsOfAUserThatWaitForTooLong() throws Exception {
        try (Connection holder = connect("tester");
                Connection first = connect("small");
                Connection second = connect("small");
                Connection other = connect("other")) {
            holder.setAutoCommit(false);
            Sql.run(holder, "UPDATE t SET b = b + 1 WHERE a = 1");
            CompletableFuture<Void> waitsForTheLock = CompletableFuture.runAsync(() -> lock(first));
            await("the statement waits for the lock").until(LimitsTest::isBlocked);
            assertThatThrownBy(() -> Sql.text(second, "SELECT count(*) FROM t"))
                    .hasMessageContaining(
                            "waited for 0.5 s, because as many statements run as may run at the same time (listen.limits.acquire-timeout; listen.limits.statements-per-user, or max-statements of the user \"small\": 1)")
                    .hasMessageContaining("run it again later")
                    .extracting("SQLState")
                    .isEqualTo("53400");
            assertThat(Sql.text(other, "SELECT count(*) FROM t")).isEqualTo("100");
            assertThat(refusals(other, "statements-per-user")).isPositive();
            holder.commit();
            waitsForTheLock.join();
            assertThat(Sql.text(second, "SELECT count(*) FROM t")).isEqualTo("100");
        }
    }

    private static void lock(Connection connection) {
        try {
            connection.setAutoCommit(false);
            Sql.run(connection, "UPDATE t SET b = b + 1 WHERE a = 1");
            connection.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean isBlocked() throws SQLException {
        try (Connection master = cluster.direct("master")) {
            return !Sql.text(master, "SELECT count(*) FROM pg_locks WHERE NOT granted")
                    .equals("0");
        }
    }

    /** A statement inside a transaction may hold the locks for which the others wait. */
    @Test
    void shouldRunTheStatementsOfAnOpenTransactionInAnyCase() throws Exception {
        try (Connection holder = connect("small");
                Connection waiter = connect("small")) {
            holder.setAutoCommit(false);
            Sql.run(holder, "UPDATE t SET b = b + 1 WHERE a = 1");
            CompletableFuture<Void> waitsForTheLock = CompletableFuture.runAsync(() -> lock(waiter));
            await("the statement waits for the lock").until(LimitsTest::isBlocked);
            Sql.run(holder, "UPDATE t SET b = b + 1 WHERE a = 2");
            holder.commit();
            waitsForTheLock.join();
        }
    }

    @Test
    @Tag("exhaustive")
    @Tag("exhaustive")
    void shouldCancelAStatementThatWaitsForItsTurn() throws Exception {
        restart("statements: 1, acquire-timeout: 1m");
        try (Connection holder = connect("tester");
                Connection first = connect("tester");
                Connection second = connect("tester");
                Statement canceled = second.createStatement()) {
            holder.setAutoCommit(false);
            Sql.run(holder, "UPDATE t SET b = b + 1 WHERE a = 1");
            CompletableFuture<Void> waitsForTheLock = CompletableFuture.runAsync(() -> lock(first));
            await("the statement waits for the lock").until(LimitsTest::isBlocked);
            CompletableFuture<Throwable> failure =
                    CompletableFuture.supplyAsync(() -> org.assertj.core.api.Assertions.catchThrowable(
                            () -> canceled.executeQuery("SELECT count(*) FROM t")));
            await("the statement is canceled").until(() -> {
                canceled.cancel();
                return failure.isDone();
            });
            assertThat(failure.join()).extracting("SQLState").isEqualTo("57014");
            holder.commit();
            waitsForTheLock.join();
            assertThat(Sql.text(second, "SELECT count(*) FROM t")).isEqualTo("100");
        } finally {
            restore();
        }
    }

    @Test
    void shouldRefuseStatementsThatWaitTooLongForAConnection() throws Exception {
        List<Connection> holders = new ArrayList<>();
        try (Connection waiter = connect("tester");
                Connection reader = connect("other")) {
            for (int i = 1; i <= 4; i++) {
                Connection holder = connect("tester");
                holders.add(holder);
                holder.setAutoCommit(false);
                Sql.run(holder, "UPDATE t SET b = b + 1 WHERE a = " + i);
            }
            waiter.setAutoCommit(false);
            assertThatThrownBy(() -> Sql.run(waiter, "UPDATE t SET b = b + 1 WHERE a = 10"))
                    .hasMessageContaining(
                            "no connection to node master became free within 0.5 s (listen.limits.acquire-timeout), because transactions use all 4")
                    .hasMessageContaining("end transactions earlier, or raise pool of the node")
                    .extracting("SQLState")
                    .isEqualTo("53300");
            assertThat(Sql.text(reader, "SELECT count(*) FROM t")).isEqualTo("100");
            holders.get(0).commit();
            Sql.run(waiter, "UPDATE t SET b = b + 1 WHERE a = 10");
            waiter.commit();
        } finally {
            for (Connection holder : holders) {
                holder.close();
            }
        }
    }

    @Test
    void shouldRefuseReadsThatWaitTooLongForASatellite() throws Exception {
        List<Connection> holders = new ArrayList<>();
        try (Connection waiter = connect("tester")) {
            for (int i = 0; i < 2; i++) {
                Connection holder = connect("tester");
                holders.add(holder);
                holder.setReadOnly(true);
                holder.setAutoCommit(false);
                assertThat(Sql.text(holder, "SELECT count(*) FROM t")).isEqualTo("100");
                assertThat(Sql.node(holder)).isEqualTo("satellite-1");
            }
            assertThatThrownBy(() -> Sql.text(waiter, "SELECT b FROM t WHERE a = 50"))
                    .hasMessageContaining("no connection to node satellite-1 became free within 0.5 s")
                    .extracting("SQLState")
                    .isEqualTo("53300");
            waiter.setReadOnly(true);
            waiter.setAutoCommit(false);
            assertThatThrownBy(() -> Sql.text(waiter, "SELECT b FROM t WHERE a = 50"))
                    .extracting("SQLState")
                    .isEqualTo("53300");
            holders.get(0).commit();
            assertThat(Sql.text(waiter, "SELECT b FROM t WHERE a = 50")).isEqualTo("0");
        } finally {
            for (Connection holder : holders) {
                holder.close();
            }
        }
    }

    @Test
    void shouldRefuseTheClientsOfAnAddressAboveItsLimit() throws Exception {
        restart("clients-per-address: 2");
        try (Connection first = connect("tester");
                Connection second = connect("tester");
                RawClient elsewhere =
                        new RawClient(cluster.middleware().address(), InetAddress.getByName("127.0.0.2"))) {
            assertThatThrownBy(() -> connect("tester"))
                    .hasMessageContaining(
                            "too many clients are connected from 127.0.0.1: 2, the maximum (listen.limits.clients-per-address)")
                    .extracting("SQLState")
                    .isEqualTo("53300");
            assertThat(elsewhere.ask(RawClient.hello())).isInstanceOf(Welcome.class);
            assertThat(first.isValid(60) && second.isValid(60)).isTrue();
            assertThat(refusals(first, "clients-per-address")).isEqualTo(1);
        } finally {
            restore();
        }
    }

    @Test
    void shouldDisplaceTheOldestConnectionOfAnAddressWithTooManyThatHaveNotLoggedIn() throws Exception {
        restart("pending-logins: 20, pending-logins-per-address: 5");
        List<RawClient> silent = new ArrayList<>();
        InetAddress attacker = InetAddress.getByName("127.0.0.2");
        try (RawClient other = new RawClient(cluster.middleware().address())) {
            for (int i = 0; i < 50; i++) {
                silent.add(new RawClient(cluster.middleware().address(), attacker));
            }
            for (RawClient displaced : silent.subList(0, 45)) {
                ErrorReport error = (ErrorReport) displaced.read();
                assertThat(error.sqlState()).isEqualTo("53300");
                assertThat(error.message()).contains("pending-logins-per-address");
                assertThat(displaced.isHungUp()).isTrue();
            }
            assertThat(other.ask(RawClient.hello())).isInstanceOf(Welcome.class);
            assertThat(silent.get(49).ask(RawClient.hello())).isInstanceOf(Welcome.class);
            try (Connection client = connect("tester")) {
                assertThat(refusals(client, "pending-logins")).isEqualTo(45);
            }
        } finally {
            for (RawClient client : silent) {
                client.close();
            }
            restore();
        }
    }

    /** The answers would need 60 MB: the middleware makes the next one only when the client has read the last ones. */
    @Test
    @Tag("exhaustive")
    @Tag("exhaustive")
    void shouldLetTheNextRequestWaitUntilTheClientHasReadItsAnswers() throws Exception {
        restart("queued-per-client: 64k");
        int size = 1_000_000;
        int requests = 60;
        try (RawClient lazy = RawClient.open(cluster.middleware().address());
                Connection other = connect("tester")) {
            for (int i = 0; i < requests; i++) {
                lazy.send(RawClient.execute("SELECT repeat('%d', %d)".formatted(i % 10, size), true));
            }
            for (int i = 0; i < 100; i++) {
                assertThat(Sql.text(other, "SELECT count(*) FROM t")).isEqualTo("100");
                assertThat(cluster.middleware().clientMemory()).isLessThan(4L * size);
            }
            for (int i = 0; i < requests; i++) {
                Executed answer = (Executed) lazy.read();
                assertThat(answer.toString()).isNotEmpty();
            }
            lazy.send(new Ping());
            assertThat(lazy.read()).isNotInstanceOf(ErrorReport.class);
        } finally {
            restore();
        }
    }

    @Test
    void shouldDisconnectAClientThatSendsTooMuchAhead() throws Exception {
        restart("queued-per-client: 64k");
        try (Connection holder = connect("tester");
                RawClient hasty = RawClient.open(cluster.middleware().address())) {
            holder.setAutoCommit(false);
            Sql.run(holder, "UPDATE t SET b = b + 1 WHERE a = 1");
            hasty.send(RawClient.execute("UPDATE t SET b = b + 1 WHERE a = 1", false));
            await("the statement waits for the lock").until(LimitsTest::isBlocked);
            for (int i = 0; i < 3; i++) {
                hasty.send(RawClient.execute("SELECT 1 -- " + "x".repeat(40_000), false));
            }
            ErrorReport error = (ErrorReport) hasty.read();
            assertThat(error.sqlState()).isEqualTo("08P01");
            assertThat(error.message())
                    .contains("more than 65536 bytes of requests sent ahead", "listen.limits.queued-per-client");
            assertThat(hasty.isHungUp()).isTrue();
            holder.commit();
            assertThat(refusals(holder, "queued-per-client")).isEqualTo(1);
            holder.commit();
        } finally {
            restore();
        }
    }

    @Test
    @Tag("exhaustive")
    @Tag("exhaustive")
    void shouldLimitTheMemoryOfAllClients() throws Exception {
        restart("memory: 16m");
        try (Connection large = connect("tester");
                Connection other = connect("tester")) {
            assertThatThrownBy(() -> Sql.text(large, "SELECT repeat('x', 30000000)"))
                    .hasMessageContaining("memory")
                    .extracting("SQLState")
                    .isEqualTo("53200");
            assertThat(Sql.text(other, "SELECT count(*) FROM t")).isEqualTo("100");
            assertThat(refusals(other, "memory")).isEqualTo(1);
        } finally {
            restore();
        }
    }

    @Test
    void shouldRefuseAMemoryThatTheHeapCannotHold() throws Exception {
        SystemModel model = SystemModel.parse(
                        "listen: {limits: {memory: 900000m}}\nnodes:\n- {name: master, role: master}\n", "m")
                .withPort(0);
        assertThatThrownBy(() -> Middleware.start(model, node -> {
                    throw new AssertionError("the master is asked for");
                }))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("listen.limits.memory: 900000m is more than 75 % of the heap")
                .hasMessageContaining("-Xmx");
    }

    @Test
    @Tag("exhaustive")
    @Tag("exhaustive")
    void shouldUseTheLimitsInTheFileOfUsers(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("users");
        write(file, OptionalInt.of(1));
        cluster.middleware().close();
        cluster.startMiddleware("listen: {users-file: '%s'}%n".formatted(file) + NODES);
        try (Connection ann = connect("ann")) {
            assertThatThrownBy(() -> connect("ann")).extracting("SQLState").isEqualTo("53300");
            write(file, OptionalInt.empty());
            await("the changed file is in use")
                    .atMost(Duration.ofSeconds(30))
                    .ignoreExceptionsInstanceOf(SQLException.class)
                    .untilAsserted(() -> connect("ann").close());
            assertThat(ann.isValid(60)).isTrue();
        } finally {
            restore();
        }
    }

    private static void write(Path file, OptionalInt clients) throws IOException {
        String verifier = Scram.verifier("ann".toCharArray()).toText();
        UserLimits limits = new UserLimits(clients, OptionalInt.empty());
        new UsersFile(List.of(new UsersFile.Entry("ann", verifier, true, null, limits))).write(file);
    }
}
