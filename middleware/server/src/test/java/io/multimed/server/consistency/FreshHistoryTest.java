// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.consistency;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.EngineSql;
import io.multimed.engine.conformance.Sql;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * Clients write values to single tables, exchange the names of tables and replace views, while other clients read in
 * auto-commit and the appliers are held back at random. No read returns a value that was replaced before the read
 * began, as far as any client can know: by the end of a write, or by the result of an earlier read.
 */
@Tag("slow")
@Timeout(600)
@Tag("exhaustive")
class FreshHistoryTest {
    private static final int READS = 4_000;
    private static final int EXCHANGES = 8;
    private static final int READERS = 6;

    private final AtomicLong values = new AtomicLong();
    private final AtomicBoolean done = new AtomicBoolean();
    private final AtomicInteger reads = new AtomicInteger();
    private final AtomicInteger fromSatellites = new AtomicInteger();
    private final AtomicInteger exchanges = new AtomicInteger();
    private final Queue<String> stale = new ConcurrentLinkedQueue<>();
    private final Random seeds = new Random();

    /** Target of the view "moving": its index in {@link #plain}. Guarded by the locks of these cells. */
    private int target;

    private final List<Cell> plain = List.of(new Cell("t0"), new Cell("t1"), new Cell("t2"));
    private final Cell x = new Cell("x");
    private final Cell y = new Cell("y");
    private final Cell moving = new Cell("moving");

    /** A name under which one value is read, with all values that it has had. */
    private static final class Cell {
        private final String name;

        /** Excludes other changes of the table with this name. */
        private final ReentrantLock changes = new ReentrantLock();

        /** Guarded by this object's monitor, as the fields below. A value is added before it is written. */
        private final List<Long> history = new ArrayList<>(List.of(0L));

        /** Index of the latest value that a client knows to be there. */
        private int known;

        Cell(String name) {
            this.name = name;
        }

        synchronized int known() {
            return known;
        }

        synchronized long last() {
            return history.get(history.size() - 1);
        }

        synchronized int add(long value) {
            history.add(value);
            return history.size() - 1;
        }

        synchronized void isKnown(int index) {
            known = Math.max(known, index);
        }

        /** Returns whether the value may be read by a read that began when {@code from} was known. */
        synchronized boolean mayShow(long value, int from) {
            for (int i = from; i < history.size(); i++) {
                if (history.get(i) == value) {
                    isKnown(i);
                    return true;
                }
            }
            return false;
        }
    }

    private interface Work {
        void run() throws SQLException;
    }

    /** Makes changes that set these cells to values, in the order of the cells. */
    private static void change(List<Cell> cells, List<Long> to, Work work) throws SQLException {
        List<Integer> places = new ArrayList<>();
        for (int i = 0; i < cells.size(); i++) {
            places.add(cells.get(i).add(to.get(i)));
        }
        work.run();
        for (int i = 0; i < cells.size(); i++) {
            cells.get(i).isKnown(places.get(i));
        }
    }

    private static void locked(List<Cell> cells, Work work) throws SQLException {
        cells.forEach(cell -> cell.changes.lock());
        try {
            work.run();
        } finally {
            cells.forEach(cell -> cell.changes.unlock());
        }
    }

    private void write(PreparedStatement update, Cell cell, boolean shown) throws SQLException {
        long value = values.incrementAndGet();
        update.setLong(1, value);
        List<Cell> cells = shown ? List.of(cell, moving) : List.of(cell);
        change(cells, cells.stream().map(each -> value).toList(), update::executeUpdate);
    }

    private Void writer(TestCluster cluster, Random random) throws SQLException {
        try (Connection client = cluster.connect();
                PreparedStatement brake = client.prepareStatement("UPDATE brake SET n = n + 1")) {
            while (!done.get()) {
                int i = random.nextInt(plain.size() + 2);
                Cell cell = i < plain.size() ? plain.get(i) : i == plain.size() ? x : y;
                locked(List.of(cell), () -> {
                    try (PreparedStatement update =
                            client.prepareStatement("UPDATE %s SET n = ?".formatted(cell.name))) {
                        write(update, cell, i < 2 && i == target);
                    }
                });
                if (random.nextInt(4) == 0) {
                    brake.executeUpdate();
                }
                if (random.nextInt(4) == 0) {
                    both(client);
                }
            }
        }
        return null;
    }

    private void both(Connection client) throws SQLException {
        client.setAutoCommit(false);
        long value = values.incrementAndGet();
        Sql.run(client, "UPDATE p SET n = %d".formatted(value), "UPDATE q SET n = %d".formatted(value));
        client.commit();
        client.setAutoCommit(true);
    }

    private Void schemaChanger(TestCluster cluster, EngineSql sql, Random random) throws Exception {
        String exchange = sql.statement("exchange").formatted("x", "y");
        try (Connection client = cluster.connect()) {
            while (!done.get()) {
                if (random.nextBoolean()) {
                    locked(List.of(x, y), () -> {
                        List<Long> to = List.of(y.last(), x.last());
                        change(List.of(x, y), to, () -> Sql.run(client, exchange));
                    });
                    exchanges.incrementAndGet();
                } else {
                    locked(plain.subList(0, 2), () -> {
                        int next = 1 - target;
                        change(
                                List.of(moving),
                                List.of(plain.get(next).last()),
                                () -> Sql.run(client, "CREATE OR REPLACE VIEW moving AS SELECT n FROM t" + next));
                        target = next;
                    });
                }
                TimeUnit.MILLISECONDS.sleep(random.nextInt(1_000)); // the names are known in between
            }
        }
        return null;
    }

    private Void holdBack(TestCluster cluster, Random random) throws Exception {
        try (Connection one = cluster.direct("satellite-1");
                Connection other = cluster.direct("satellite-2")) {
            one.setAutoCommit(false);
            other.setAutoCommit(false);
            while (!done.get()) {
                Connection held = random.nextBoolean() ? one : other;
                Sql.text(held, "SELECT n FROM brake FOR UPDATE");
                TimeUnit.MILLISECONDS.sleep(random.nextInt(60));
                held.rollback();
            }
        }
        return null;
    }

    private Void reader(TestCluster cluster, EngineSql sql, Random random) throws SQLException {
        String[] more = sql.statements("reads of t2");
        try (Connection client = cluster.connect()) {
            MultimedConnection multimed = client.unwrap(MultimedConnection.class);
            while (!done.get()) {
                switch (random.nextInt(7)) {
                    case 0, 1 -> read(client, random.nextBoolean() ? x : y, "");
                    case 2 -> read(client, plain.get(random.nextInt(plain.size())), "");
                    case 3 -> read(client, moving, "");
                    case 4 -> read(client, plain.get(2), more[random.nextInt(more.length)]);
                    case 5 -> read(client, plain.get(1), "SELECT t1.n FROM t1 CROSS JOIN p");
                    default -> readBoth(client);
                }
                reads.incrementAndGet();
                if (!multimed.lastNode().equals("master")) {
                    fromSatellites.incrementAndGet();
                }
            }
        }
        return null;
    }

    private void read(Connection client, Cell cell, String query) throws SQLException {
        int known = cell.known();
        String text = query.isEmpty() ? "SELECT n FROM " + cell.name : query;
        try (PreparedStatement statement = client.prepareStatement(text);
                ResultSet row = statement.executeQuery()) {
            row.next();
            long value = row.getLong(1);
            if (!cell.mayShow(value, known)) {
                stale.add("%s returned %d from %s, although a later value than that was known"
                        .formatted(text, value, Sql.node(client)));
            }
        }
    }

    private void readBoth(Connection client) throws SQLException {
        try (PreparedStatement statement = client.prepareStatement("SELECT p.n, q.n FROM p, q");
                ResultSet row = statement.executeQuery()) {
            row.next();
            if (row.getLong(1) != row.getLong(2)) {
                stale.add("a part of a commit was read: %d and %d".formatted(row.getLong(1), row.getLong(2)));
            }
        }
    }

    @ParameterizedTest
    @EachEngine
    void shouldReadWhatIsKnownToBeThere(String engine) throws Exception {
        EngineSql sql = EngineSql.of(engine, "freshness");
        ExecutorService clients = Executors.newCachedThreadPool();
        try (TestCluster cluster = TestCluster.withSatellites(engine, 2).awaitOnline()) {
            for (String table : List.of("brake", "t0", "t1", "t2", "x", "y", "p", "q")) {
                cluster.run(
                        "CREATE TABLE %s (id int PRIMARY KEY, n bigint)".formatted(table),
                        "INSERT INTO %s VALUES (1, 0)".formatted(table));
            }
            cluster.run("CREATE VIEW moving AS SELECT n FROM t0");
            cluster.run(sql.statements("readers of t2"));
            List<Callable<Void>> work = new ArrayList<>();
            work.add(() -> writer(cluster, random()));
            work.add(() -> writer(cluster, random()));
            work.add(() -> schemaChanger(cluster, sql, random()));
            work.add(() -> holdBack(cluster, random()));
            for (int i = 0; i < READERS; i++) {
                work.add(() -> reader(cluster, sql, random()));
            }
            List<Future<Void>> running = work.stream().map(clients::submit).toList();
            try {
                while ((reads.get() < READS || exchanges.get() < EXCHANGES)
                        && stale.isEmpty()
                        && running.stream().noneMatch(Future::isDone)) {
                    TimeUnit.MILLISECONDS.sleep(50);
                }
            } finally {
                done.set(true);
            }
            for (Future<Void> each : running) {
                each.get(120, TimeUnit.SECONDS);
            }
            assertThat(stale).isEmpty();
            assertThat(fromSatellites.get()).isGreaterThan(reads.get() / 2);
        } finally {
            clients.shutdownNow();
        }
    }

    private synchronized Random random() {
        return new Random(seeds.nextLong());
    }
}
