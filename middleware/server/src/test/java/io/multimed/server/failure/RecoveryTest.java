// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.EngineSql;
import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.Copies;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Replication continues after failures and applies each change exactly once. Comparisons find and repair differences.
 */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
class RecoveryTest {
    private static final int ACCOUNTS = 20;
    private static final int TOTAL = ACCOUNTS * 100;

    private static TestCluster cluster;
    private static Copies copies;

    private final EngineSql words;

    RecoveryTest(String engine) {
        words = EngineSql.of(engine, "words");
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = TestCluster.withSatellites(engine, 2).awaitOnline();
        run(
                "CREATE TABLE account (id INT PRIMARY KEY, balance INT NOT NULL)",
                "CREATE TABLE log (what VARCHAR(50), n INT)");
        for (int i = 0; i < ACCOUNTS; i++) {
            run("INSERT INTO account VALUES (" + i + ", 100)");
        }
        copies = Copies.of(cluster, "satellite-1", "satellite-2").mark();
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    private static void run(String... statements) throws SQLException {
        cluster.run(statements);
    }

    @Test
    void shouldContinueReplicationAfterARestartOfTheMiddleware() throws Exception {
        run("INSERT INTO log VALUES ('before', 1)");
        cluster.restartMiddleware();
        run("INSERT INTO log VALUES ('after', 1)");
        copies.assertSame();
    }

    @Test
    void shouldCatchUpFromSealedWriteSetsWhenApplierConnectionsBreak() throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        AtomicInteger written = new AtomicInteger();
        FutureTask<Void> writing = new FutureTask<>(() -> {
            while (!done.get()) {
                run("INSERT INTO log VALUES ('cut', " + written.incrementAndGet() + ")");
            }
            return null;
        });
        new Thread(writing).start();
        int cut = 0;
        for (int i = 0; i < 4; i++) {
            int before = written.get();
            await("50 more rows are written; see the failure of the writer")
                    .atMost(Duration.ofSeconds(90))
                    .until(() -> writing.isDone() || written.get() > before + 50);
            if (writing.isDone()) {
                writing.get(); // throws the failure of the writer
            }
            try (Connection satellite = cluster.direct("satellite-1")) {
                cut += Sql.endSessions(satellite, words, "applier");
            }
        }
        run("INSERT INTO log SELECT 'many', n FROM log");
        done.set(true);
        writing.get();
        assertThat(cut).isPositive();
        cluster.awaitOnline();
        copies.assertSame();
    }

    /** The WriteSet is committed and cannot be skipped, so the satellite that needs the WriteSet is seeded again. */
    @Test
    void shouldSeedASatelliteAgainWhenAWriteSetCannotBeRead() throws Exception {
        cluster.engine("satellite-1").kill();
        await("satellite-1 is not ONLINE; see its state in the status")
                .atMost(Duration.ofSeconds(90))
                .until(() -> !state("satellite-1").equals("ONLINE"));
        run("INSERT INTO log VALUES ('garbled', 1)");
        try (Connection master = cluster.direct("master")) {
            Sql.run(master, words.statement("garble the last WriteSet"));
        }
        cluster.engine("satellite-1").restart();
        cluster.awaitOnline();
        copies.mark();
        run("INSERT INTO log VALUES ('after', 2)");
        copies.assertSame();
    }

    private static String state(String node) {
        return cluster.middleware().status().nodes().stream()
                .filter(status -> status.name().equals(node))
                .map(status -> status.state())
                .findFirst()
                .orElseThrow();
    }

    @Tag("exhaustive")
    @Test
    void shouldShowCompleteAndFreshCommitsToEachReader() throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        AtomicInteger transfers = new AtomicInteger();
        AtomicInteger onSatellites = new AtomicInteger();
        Queue<String> wrong = new ConcurrentLinkedQueue<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            int client = i;
            threads.add(new Thread(() -> transfer(client, done, transfers, onSatellites, wrong)));
        }
        threads.forEach(Thread::start);
        await("500 transfers, and 500 reads on satellites; see the state and the lag in the status")
                .atMost(Duration.ofSeconds(90))
                .until(() -> !wrong.isEmpty() || (transfers.get() > 500 && onSatellites.get() > 500));
        done.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(wrong).isEmpty();
        copies.assertSame();
    }

    /** Moves money; after each commit, reads the sum and the row that only this client writes on a satellite. */
    private static void transfer(
            int client, AtomicBoolean done, AtomicInteger transfers, AtomicInteger onSatellites, Queue<String> wrong) {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement();
                PreparedStatement move =
                        connection.prepareStatement("UPDATE account SET balance = balance + ? WHERE id = ?")) {
            statement.execute("INSERT INTO log VALUES ('client " + client + "', 0)");
            for (int n = 1; !done.get(); n++) {
                connection.setReadOnly(false);
                connection.setAutoCommit(false);
                try {
                    int from = ThreadLocalRandom.current().nextInt(ACCOUNTS - 1);
                    move(move, -1, from);
                    move(move, 1, from + 1);
                    statement.execute("UPDATE log SET n = " + n + " WHERE what = 'client " + client + "'");
                    connection.commit();
                } catch (SQLException e) {
                    connection.rollback(); // a deadlock
                    n--;
                    continue;
                }
                transfers.incrementAndGet();
                connection.setReadOnly(true);
                expect(statement, "SELECT SUM(balance) FROM account", TOTAL, wrong);
                expect(statement, "SELECT n FROM log WHERE what = 'client " + client + "'", n, wrong);
                connection.commit();
                if (Sql.node(connection).startsWith("satellite")) {
                    onSatellites.incrementAndGet();
                }
            }
        } catch (SQLException e) {
            wrong.add(e.toString());
        }
    }

    private static void move(PreparedStatement move, int amount, int account) throws SQLException {
        move.setInt(1, amount);
        move.setInt(2, account);
        move.executeUpdate();
    }

    private static void expect(Statement statement, String query, int expected, Queue<String> wrong)
            throws SQLException {
        try (ResultSet row = statement.executeQuery(query)) {
            row.next();
            if (row.getInt(1) != expected) {
                wrong.add("%s gives %d instead of %d".formatted(query, row.getInt(1), expected));
            }
        }
    }

    @Test
    void shouldFindAndRepairDifferences() throws Exception {
        run(words.statements("letters"));
        run(
                "CREATE TABLE compared (id INT PRIMARY KEY, f FLOAT(24), v VARCHAR(20), ts TIMESTAMP(3) NULL, e %s)"
                        .formatted(words.statement("letter")),
                "INSERT INTO compared VALUES (1, 0.1, 'one', '2024-01-01 00:00:00.5', 'a'), (2, 0.2, 'two', NULL, 'b'), (3, NULL, NULL, NULL, NULL)",
                "CREATE TABLE compared_keyless (a INT, b VARCHAR(10))",
                "INSERT INTO compared_keyless VALUES (1, 'x'), (1, 'x'), (2, 'y')");
        cluster.awaitApplied();
        assertThat(findings("VERIFY MULTIMED")).isEmpty();
        try (Connection satellite = cluster.direct("satellite-2")) {
            Sql.run(
                    satellite,
                    "UPDATE compared SET f = 0.3 WHERE id = 1",
                    "DELETE FROM compared WHERE id = 2",
                    "INSERT INTO compared (id) VALUES (4)",
                    words.statement("delete one").formatted("compared_keyless", "a = 1"));
        }
        String home = words.statement("home");
        assertThat(findings("VERIFY MULTIMED"))
                .contains(
                        home + ".compared changed [id] = (1)",
                        home + ".compared missing [id] = (2)",
                        home + ".compared extra [id] = (4)")
                .anyMatch(finding -> finding.startsWith(home + ".compared_keyless missing"));
        findings("VERIFY MULTIMED REPAIR");
        assertThat(findings("VERIFY MULTIMED")).isEmpty();
        copies.mark().assertSame();
    }

    /** Returns all differences as table, outcome and detail. */
    private static List<String> findings(String verify) throws SQLException {
        List<String> findings = new ArrayList<>();
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(verify)) {
            while (rows.next()) {
                if (!rows.getString("outcome").equals("equal")) {
                    findings.add("%s %s %s"
                            .formatted(rows.getString("table_name"), rows.getString("outcome"), rows.getString("key")));
                }
            }
        }
        return findings;
    }

    @Test
    @Tag("exhaustive")
    void shouldSeedASatelliteAgainWhenAWriteSetCannotBeApplied() throws SQLException {
        run("CREATE TABLE fragile (id INT PRIMARY KEY, v VARCHAR(5))", "INSERT INTO fragile VALUES (1, 'a')");
        cluster.awaitApplied();
        try (Connection satellite = cluster.direct("satellite-1")) {
            Sql.run(satellite, "DROP TABLE fragile");
        }
        run("INSERT INTO fragile VALUES (2, 'b')");
        cluster.awaitApplied();
        copies.mark().assertSame();
        assertThat(copies.rows("satellite-1", "fragile")).hasSize(2);
    }
}
