// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.history.HistoryChecker;
import io.multimed.deploy.history.HistoryRecorder;
import io.multimed.deploy.history.Isolation;
import io.multimed.deploy.history.Operation;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests {@code bypass: capture} under faults. Plain connections to the master write to the same rows as Multimed's
 * clients, whose history is recorded, while processes are killed. No acknowledged write of either is lost, none is
 * applied twice, and every satellite equals the master row by row.
 */
@Tag("exhaustive")
@Timeout(600)
class BypassFaultTest {
    private static final int CLIENTS = 6;
    private static final int PLAIN_CLIENTS = 4;
    private static final int TALLIES = 5;

    private static FaultTestCluster bed;

    private final AtomicLong acknowledged = new AtomicLong();
    private final AtomicLong inDoubt = new AtomicLong();

    /** Number of plain connections that broke. */
    private final AtomicLong broken = new AtomicLong();

    private volatile boolean stopped;

    @BeforeAll
    static void start() throws Exception {
        bed = new FaultTestCluster("postgresql", "bypass: capture\n");
        try (Connection connection = bed.straight().connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE tally (id int PRIMARY KEY, n int NOT NULL)");
            statement.execute("INSERT INTO tally SELECT i, 0 FROM generate_series(1, %d) i".formatted(TALLIES));
        }
    }

    @AfterAll
    static void stop() throws Exception {
        bed.close();
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {
                "KILL_MIDDLEWARE",
                "KILL_MASTER",
                "KILL_MASTER_AND_MIDDLEWARE",
                "KILL_SATELLITE",
                "LOSE_SATELLITE_DATA",
                "HANG_SATELLITE",
                "HANG_MASTER"
            })
    void shouldLoseNothingAndApplyNothingTwice(Fault fault) throws Exception {
        long before = tally();
        HistoryRecorder recorder = HistoryRecorder.start(
                bed.target(), CLIENTS, 0.3, Isolation.REPEATABLE_READ, FaultsUnderLoad.PAUSE_MILLIS);
        ExecutorService plain = Executors.newFixedThreadPool(PLAIN_CLIENTS);
        List<Future<?>> writers = new ArrayList<>();
        for (int i = 0; i < PLAIN_CLIENTS; i++) {
            writers.add(plain.submit(this::write));
        }
        awaitMore(recorder, 60);
        try (InjectedFault damage = bed.injector().inject(fault, "satellite-1")) {
            endure(fault);
            damage.heal();
        }
        awaitMore(recorder, 100);
        bed.awaitWhole();
        stopped = true;
        for (Future<?> writer : writers) {
            writer.get();
        }
        plain.shutdown();
        List<Operation> operations = recorder.stop();
        try (Connection connection = bed.straight().connect()) {
            assertThat(HistoryChecker.check(operations, recorder.finalState(connection)))
                    .isEmpty();
        }
        System.out.printf(
                "%s: %d commits past the middleware, %d in doubt%n", fault, acknowledged.get(), inDoubt.get());
        assertThat(tally() - before).isBetween(acknowledged.get(), acknowledged.get() + inDoubt.get());
        assertSameRows("tally");
        assertSameRows("history_lists");
    }

    /** Plain connections continue if the master is alive, even while it is silent for Multimed. */
    private void endure(Fault fault) {
        switch (fault) {
            case HANG_MASTER ->
                await("the silent master is OFFLINE: see its state in SHOW MULTIMED STATUS")
                        .atMost(FaultTestCluster.PATIENCE)
                        .until(() -> bed.state("master").startsWith("OFFLINE"));
            case KILL_MASTER, KILL_MASTER_AND_MIDDLEWARE ->
                await("all plain connections are broken: the master is down")
                        .atMost(FaultTestCluster.PATIENCE)
                        .until(() -> broken.get() >= PLAIN_CLIENTS);
            default -> {
                long past = acknowledged.get();
                await("plain connections commit: the master is alive")
                        .atMost(FaultTestCluster.PATIENCE)
                        .until(() -> acknowledged.get() > past + 100);
            }
        }
    }

    private void awaitMore(HistoryRecorder recorder, int transactions) {
        long committed = recorder.committed();
        long past = acknowledged.get();
        await("commits through Multimed and on plain connections continue: see the middleware's output")
                .atMost(FaultTestCluster.PATIENCE)
                .until(() ->
                        recorder.committed() > committed + transactions && acknowledged.get() > past + transactions);
    }

    /** Writes until the load ends, over one connection after the other. */
    private Void write() throws InterruptedException {
        while (!stopped) {
            try (Connection connection = await(
                                    "a plain connection to the master can be opened again: see the engine's log")
                            .atMost(FaultTestCluster.PATIENCE)
                            .until(this::connect, Objects::nonNull);
                    Statement statement = connection.createStatement()) {
                connection.setAutoCommit(false);
                while (!stopped) {
                    writeOnce(connection, statement);
                    TimeUnit.MILLISECONDS.sleep(FaultsUnderLoad.PAUSE_MILLIS);
                }
            } catch (SQLException e) {
                broken.incrementAndGet();
            }
        }
        return null;
    }

    /** Returns null while the master accepts no connections. */
    private @Nullable Connection connect() {
        try {
            return bed.direct("master");
        } catch (SQLException e) {
            return null;
        }
    }

    private void writeOnce(Connection connection, Statement statement) throws SQLException {
        int row = ThreadLocalRandom.current().nextInt(TALLIES);
        statement.executeUpdate("UPDATE history_lists SET elements = elements WHERE k = " + row);
        statement.executeUpdate("UPDATE tally SET n = n + 1 WHERE id = " + (row + 1));
        try {
            connection.commit();
            acknowledged.incrementAndGet();
        } catch (SQLException e) {
            inDoubt.incrementAndGet();
            throw e;
        }
    }

    private static long tally() throws SQLException {
        try (Connection connection = bed.direct("master");
                Statement statement = connection.createStatement();
                ResultSet sum = statement.executeQuery("SELECT sum(n) FROM tally")) {
            sum.next();
            return sum.getLong(1);
        }
    }

    private static void assertSameRows(String table) throws SQLException {
        try (Connection connection = bed.straight().connect();
                Statement statement = connection.createStatement()) {
            statement
                    .executeQuery("SELECT count(*) FROM pg_class")
                    .close(); // the reply comes after all commits visible on the master are published
        }
        bed.awaitApplied();
        List<String> master = rows("master", table);
        assertThat(master).isNotEmpty();
        assertThat(rows("satellite-1", table)).isEqualTo(master);
        assertThat(rows("satellite-2", table)).isEqualTo(master);
    }

    private static List<String> rows(String node, String table) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Connection connection = bed.direct(node);
                Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery("SELECT t::text FROM " + table + " t ORDER BY 1")) {
            while (found.next()) {
                rows.add(found.getString(1));
            }
        }
        return rows;
    }
}
