// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.ddl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.engine.conformance.EngineSql;
import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Several clients change the same tables and views by DDL at the same time, while other clients write and read rows,
 * and while a satellite is stopped from time to time. {@link DdlHistory} checks each answer to a reader. In pauses, all
 * satellites must equal the master.
 */
final class RandomDdl {
    private static final Logger LOG = LoggerFactory.getLogger(RandomDdl.class);
    private static final List<String> TABLES = List.of("ra", "rb", "rc");
    private static final String VIEW = "rv";
    private static final int CHANGERS = 3;
    private static final int WRITERS = 2;
    private static final int READERS = 2;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final TestCluster cluster;
    private final EngineSql sql;
    private final long seed;
    private final DdlHistory history = new DdlHistory();
    private final AtomicInteger numbers = new AtomicInteger();
    private final ReadWriteLock pause = new ReentrantReadWriteLock(true);
    private final Map<String, AtomicLong> counts = new TreeMap<>();
    private final Queue<String> faults = new ConcurrentLinkedQueue<>();

    /** Open until the run ends, at the first fault at the latest. */
    private final CountDownLatch over = new CountDownLatch(1);

    RandomDdl(TestCluster cluster, EngineSql sql, long seed) {
        this.cluster = cluster;
        this.sql = sql;
        this.seed = seed;
    }

    /** A step that a client repeats. */
    private interface Step {
        void run(Connection connection, Random random) throws SQLException;
    }

    /**
     * @param seconds of all
     * @param between seconds between two pauses
     */
    void run(int seconds, int between) throws Exception {
        long end = System.nanoTime() + Duration.ofSeconds(seconds).toNanos();
        List<CompletableFuture<Void>> clients = new ArrayList<>();
        for (int i = 0; i < CHANGERS + WRITERS + READERS; i++) {
            Random random = new Random(seed + i);
            int writer = i - CHANGERS;
            Step step = i < CHANGERS
                    ? this::change
                    : writer < WRITERS ? (connection, some) -> write(connection, some, writer) : this::read;
            int longest = i < CHANGERS ? 200 : 5;
            clients.add(CompletableFuture.runAsync(
                    () -> work(step, longest, random), command -> new Thread(command, "random-ddl").start()));
        }
        long next = System.nanoTime();
        while (System.nanoTime() < end && over.getCount() > 0) {
            next += Duration.ofSeconds(between).toNanos();
            over.await((Math.min(next, end) - System.nanoTime()) / 2, TimeUnit.NANOSECONDS);
            if (over.getCount() > 0) {
                loseSatellite();
                over.await(Math.min(next, end) - System.nanoTime(), TimeUnit.NANOSECONDS);
            }
            check();
        }
        over.countDown();
        clients.forEach(CompletableFuture::join);
        cluster.run("DROP VIEW IF EXISTS " + VIEW); // a view without its table is missing on satellites
        LOG.info("seed {}: {}", seed, counts);
        assertThat(faults).as("seed " + seed + ", " + counts).isEmpty();
    }

    /** @param longest the longest pause between two steps, in milliseconds */
    private void work(Step step, int longest, Random random) {
        try (Connection connection = cluster.connect()) {
            while (!over.await(random.nextInt(longest), TimeUnit.MILLISECONDS)) {
                pause.readLock().lock();
                try {
                    step.run(connection, random);
                } catch (SQLException e) {
                    failed(e);
                } finally {
                    pause.readLock().unlock();
                }
            }
        } catch (SQLException | InterruptedException | RuntimeException e) {
            fault(e.toString());
        }
    }

    private void fault(String what) {
        faults.add(what);
        over.countDown();
    }

    private void failed(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        count(state.equals("0A000") ? failure.getMessage() : state + " " + failure.getErrorCode());
        boolean ordinary = state.matches("0A000|2....|3....|4....|HY000|55P03") || isConcurrent(failure);
        if (!ordinary) {
            fault(state + " " + failure.getMessage());
        }
    }

    /** PostgreSQL's answer to two statements that change the same catalog row. */
    private static boolean isConcurrent(SQLException failure) {
        return String.valueOf(failure.getMessage()).contains("tuple concurrently ");
    }

    private void count(String what) {
        synchronized (counts) {
            counts.computeIfAbsent(what, key -> new AtomicLong()).incrementAndGet();
        }
    }

    /**
     * Breaks the connections of the first satellite for a moment; the satellite then reads the missed WriteSets from
     * the master.
     */
    private void loseSatellite() throws SQLException {
        try (Connection direct = cluster.direct("satellite-1")) {
            String end = Sql.text(direct, sql.statement("statement that ends the session of the applier"));
            if (end != null) { // else the satellite is away already
                Sql.run(direct, end);
            }
        }
    }

    /** Stops all clients and checks that the satellites reach the state of the master. */
    private void check() throws Exception {
        pause.writeLock().lock();
        try {
            cluster.awaitApplied();
            await("all satellites equal the master; see the state and the lag in the status")
                    .atMost(PATIENCE)
                    .ignoreExceptions()
                    .untilAsserted(() -> assertThat(differences()).isEmpty());
            count("pauses");
        } catch (RuntimeException | AssertionError e) {
            fault("in a pause: " + e.getMessage() + " " + differences());
        } finally {
            history.clear();
            pause.writeLock().unlock();
        }
    }

    private Set<String> differences() throws SQLException {
        Set<String> found = new HashSet<>();
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("VERIFY MULTIMED")) {
            while (rows.next()) {
                if (!rows.getString("outcome").equals("equal")) {
                    found.add(rows.getString("table_name") + " " + rows.getString("outcome"));
                }
            }
        }
        for (String query : sql.statements("catalog")) {
            List<String> wanted = catalog("master", query);
            cluster.engines().forEach(node -> found.addAll(differences(node, query, wanted)));
        }
        return found;
    }

    /** Satellites may lack views. */
    private Set<String> differences(String node, String query, List<String> wanted) {
        List<String> has = catalog(node, query);
        boolean same = query.contains("VIEWS") ? wanted.containsAll(has) : wanted.equals(has);
        return same ? Set.of() : Set.of("%s has %s instead of %s".formatted(node, has, wanted));
    }

    private List<String> catalog(String node, String query) {
        try (Connection direct = cluster.direct(node)) {
            return Sql.rows(direct, query);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static <T> T any(List<T> all, Random random) {
        return all.get(random.nextInt(all.size()));
    }

    private void change(Connection connection, Random random) throws SQLException {
        boolean together = random.nextInt(4) == 0
                && sql.section("DDL in a transaction").notHere().isEmpty();
        int statements = together ? 1 + random.nextInt(3) : 1;
        List<DdlHistory.Change> changes = new ArrayList<>();
        connection.setAutoCommit(!together);
        try {
            for (int i = 0; i < statements; i++) {
                String table = any(TABLES, random);
                String other = any(TABLES, random);
                int number = numbers.incrementAndGet();
                String kind = any(
                        sql.sections().stream()
                                .filter(name -> name.startsWith("random: "))
                                .toList(),
                        random);
                String[] texts = sql.section(kind).notHere().isEmpty() ? sql.statements(kind) : new String[0];
                if (texts.length == 0 || (together && kind.contains("alone"))) {
                    continue;
                }
                changes.add(history.begin(kind, table, other, number));
                Sql.run(connection, any(List.of(texts), random).formatted(table, other, number));
                count(kind);
            }
            boolean kept = !together || random.nextInt(4) > 0;
            if (together && kept) {
                connection.commit();
            }
            changes.forEach(change -> history.end(change, kept));
        } catch (SQLException e) {
            changes.forEach(change -> history.end(change, false));
            throw e;
        } finally {
            if (together) {
                connection.rollback();
            }
        }
    }

    private void write(Connection connection, Random random, int writer) throws SQLException {
        connection.setAutoCommit(true);
        String table = any(TABLES, random);
        DdlHistory.@Nullable Row row = random.nextBoolean() ? history.some(table, writer, random) : null;
        int number = numbers.incrementAndGet();
        if (row == null) {
            DdlHistory.Row fresh = history.insert(table, number, writer);
            Sql.run(connection, "INSERT INTO %s (id, n) VALUES (%d, %d)".formatted(table, number, number));
            fresh.written(number);
        } else if (random.nextInt(4) == 0) {
            row.delete();
            try (Statement statement = connection.createStatement()) {
                String delete = "DELETE FROM %s WHERE id = %d".formatted(table, row.id());
                if (statement.executeUpdate(delete) == 1) {
                    row.deleted();
                }
            }
        } else {
            try (Statement statement = connection.createStatement()) {
                String update = "UPDATE %s SET n = %d WHERE id = %d".formatted(table, number, row.id());
                if (statement.executeUpdate(update) == 1) {
                    row.written(number);
                }
            }
        }
        count("writes");
    }

    private void read(Connection connection, Random random) throws SQLException {
        boolean view = random.nextInt(4) == 0;
        String name = view ? VIEW : any(TABLES, random);
        long begun = System.nanoTime();
        Map<Integer, Integer> rows = new HashMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery("SELECT id, n FROM " + name)) {
            while (found.next()) {
                rows.put(found.getInt(1), found.getInt(2));
            }
        } catch (SQLException e) {
            if (!sql.statement("error of a table that is not there").equals(e.getSQLState())) {
                throw e;
            }
            rows = null;
        }
        String node = Sql.node(connection);
        count((view ? "views from " : "reads from ") + node + (rows == null ? ", absent" : ""));
        if (!view) {
            history.faults(name, begun, rows).forEach(fault -> fault(fault + " on " + node));
        }
    }
}
