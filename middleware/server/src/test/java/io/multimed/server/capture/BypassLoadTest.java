// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Plain connections and clients of Multimed change the same rows at the same time, with {@code bypass: capture}. Each
 * transaction increments the same number in two tables and appends its own number to a list, so that readers detect
 * torn, lost and stale snapshots.
 */
@Tag("exhaustive")
@Timeout(600)
class BypassLoadTest {
    private static final String ENGINES = """
            share-cores: true
            nodes:
            - {name: master, role: master, memory: 128m}
            - {name: satellite-1, role: satellite, memory: 128m}
            - {name: satellite-2, role: satellite, memory: 128m}
            """;
    private static final int ROWS = 5;

    /** Pause of a client after each transaction, because all nodes share the processors. */
    private static final long PAUSE_MILLIS = 5;

    private static final String SEEN =
            "SELECT c.n, l.n, c.list FROM counter c JOIN ledger l ON l.id = c.id WHERE c.id = ";

    private final AtomicLong acknowledged = new AtomicLong();
    private final AtomicLong reads = new AtomicLong();
    private final ExecutorService clients = Executors.newCachedThreadPool();
    private final List<Future<?>> running = new ArrayList<>();
    private volatile boolean stopped;
    private TestCluster cluster;

    @BeforeEach
    void start() throws Exception {
        cluster = TestCluster.of("bypass: capture\n" + ENGINES).awaitOnline();
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE counter (id int PRIMARY KEY, n int NOT NULL, list text NOT NULL)");
            statement.execute("CREATE TABLE ledger (id int PRIMARY KEY, n int NOT NULL)");
            statement.execute("CREATE TABLE hits (id int PRIMARY KEY, n int NOT NULL)");
            statement.execute("INSERT INTO counter SELECT i, 0, '' FROM generate_series(1, %d) i".formatted(ROWS));
            statement.execute("INSERT INTO ledger SELECT i, 0 FROM generate_series(1, %d) i".formatted(ROWS));
            statement.execute("INSERT INTO hits SELECT i, 0 FROM generate_series(1, %d) i".formatted(ROWS));
        }
    }

    @AfterEach
    void stop() {
        stopped = true;
        clients.shutdownNow();
        cluster.close();
    }

    private interface Client {
        void run() throws Exception;
    }

    private void begin(Client client) {
        running.add(clients.submit(() -> {
            client.run();
            return null;
        }));
    }

    private void beginWriters() {
        for (int i = 0; i < 4; i++) {
            begin(() -> write(cluster.connect()));
            begin(() -> write(cluster.direct("master")));
            begin(() -> hit(cluster.connect()));
        }
    }

    private void finish() throws Exception {
        stopped = true;
        for (Future<?> client : running) {
            client.get();
        }
    }

    /** Read, think, write. */
    private void write(Connection opened) throws SQLException, InterruptedException {
        try (Connection connection = opened;
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            while (!stopped) {
                int row = ThreadLocalRandom.current().nextInt(ROWS) + 1;
                int now;
                try (ResultSet found =
                        statement.executeQuery("SELECT n FROM counter WHERE id = " + row + " FOR UPDATE")) {
                    found.next();
                    now = found.getInt(1);
                }
                statement.executeUpdate("UPDATE counter SET n = %d, list = list || '%d,' WHERE id = %d"
                        .formatted(now + 1, now + 1, row));
                statement.executeUpdate("UPDATE ledger SET n = %d WHERE id = %d".formatted(now + 1, row));
                connection.commit();
                acknowledged.incrementAndGet();
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
        }
    }

    /** A statement that runs inside commit groups, on rows that plain connections change, too. */
    private void hit(Connection opened) throws SQLException, InterruptedException {
        try (Connection connection = opened;
                PreparedStatement update = connection.prepareStatement("UPDATE hits SET n = n + 1 WHERE id = ?");
                Connection direct = cluster.direct("master");
                Statement past = direct.createStatement()) {
            for (int i = 0; !stopped; i++) {
                int row = ThreadLocalRandom.current().nextInt(ROWS) + 1;
                update.setInt(1, row);
                update.executeUpdate();
                if (i % 4 == 0) {
                    past.executeUpdate("UPDATE hits SET n = n + 1 WHERE id = " + row);
                }
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
        }
    }

    /** Reads from satellites and the master in turn; a later read never shows an older state. */
    private void read() throws SQLException, InterruptedException {
        int[] seen = new int[ROWS + 1];
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            for (int i = 0; !stopped; i++) {
                int row = ThreadLocalRandom.current().nextInt(ROWS) + 1;
                String master = i % 3 == 0 ? " AND EXISTS (SELECT FROM pg_class)" : "";
                try (ResultSet found = statement.executeQuery(SEEN + row + master)) {
                    found.next();
                    int now = found.getInt(1);
                    assertThat(found.getInt(2)).as("the same transaction's").isEqualTo(now);
                    assertThat(found.getString(3)).isEqualTo(list(now));
                    assertThat(now)
                            .as("row %d, after it was %d", row, seen[row])
                            .isGreaterThanOrEqualTo(seen[row]);
                    seen[row] = now;
                    reads.incrementAndGet();
                }
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
        }
    }

    private static String list(int upTo) {
        StringBuilder list = new StringBuilder();
        for (int i = 1; i <= upTo; i++) {
            list.append(i).append(',');
        }
        return list.toString();
    }

    private void awaitMore(int transactions) {
        long before = acknowledged.get();
        await(transactions + " more transactions are acknowledged; see the failures of the writers")
                .atMost(Duration.ofSeconds(90))
                .until(() -> acknowledged.get() > before + transactions
                        || running.stream().anyMatch(Future::isDone));
    }

    private void assertNothingLost() throws SQLException {
        cluster.awaitApplied();
        try (Connection master = cluster.direct("master");
                Statement statement = master.createStatement();
                ResultSet sum = statement.executeQuery("SELECT sum(n) FROM counter")) {
            sum.next();
            assertThat(sum.getLong(1)).isEqualTo(acknowledged.get());
        }
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement();
                ResultSet tables = statement.executeQuery("VERIFY MULTIMED")) {
            int compared = 0;
            for (; tables.next(); compared++) {
                assertThat(tables.getString("outcome"))
                        .as("%s on %s: %s"
                                .formatted(
                                        tables.getString("table_name"),
                                        tables.getString("satellite"),
                                        tables.getString("key")))
                        .isEqualTo("equal");
            }
            assertThat(compared).isEqualTo(6);
        }
    }

    @Test
    void shouldKeepOneCommitOrder() throws Exception {
        assertOneCommitOrder(400);
    }

    /** Each group has one member, and each member waits for the disk. */
    @Test
    void shouldKeepOneCommitOrderWhenGroupsHaveOneMember() throws Exception {
        cluster.middleware().close();
        cluster.startMiddleware("bypass: capture\ncommit: {order: serial}\n" + ENGINES);
        cluster.awaitOnline();
        assertOneCommitOrder(120);
    }

    private void assertOneCommitOrder(int transactions) throws Exception {
        Copies copies = Copies.of(cluster, "satellite-1", "satellite-2").mark();
        beginWriters();
        begin(this::read);
        begin(this::read);
        awaitMore(transactions);
        finish();
        System.out.printf("%d transactions, %d reads%n", acknowledged.get(), reads.get());
        assertThat(reads.get()).isPositive();
        multimed("SELECT count(*) FROM pg_class");
        copies.assertSame();
        assertNothingLost();
    }

    @Test
    void shouldSeedAndCompareSatellitesUnderLoad() throws Exception {
        beginWriters();
        begin(this::read);
        awaitMore(200);
        for (int i = 0; i < 3; i++) {
            multimed("ALTER MULTIMED SATELLITE satellite-1 RESEED");
            cluster.awaitOnline();
            awaitMore(100);
            assertNoDifference();
        }
        finish();
        multimed("SELECT count(*) FROM pg_class");
        assertNothingLost();
    }

    /**
     * On a busy machine, a comparison may end before a satellite has applied the SCN of the master. After the end of
     * all writes, every comparison must complete.
     */
    private void assertNoDifference() throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement();
                ResultSet tables = statement.executeQuery("VERIFY MULTIMED")) {
            while (tables.next()) {
                assertThat(tables.getString("outcome")).isIn("equal", "not compared");
            }
        }
    }

    @Test
    void shouldReplicateChangesMadeWhileNoMiddlewareRan() throws Exception {
        Copies copies = Copies.of(cluster, "satellite-1", "satellite-2").mark();
        for (int i = 0; i < 4; i++) {
            begin(() -> write(cluster.direct("master")));
        }
        for (int i = 0; i < 3; i++) {
            awaitMore(150);
            cluster.middleware().close();
            awaitMore(150);
            cluster.startMiddleware();
            cluster.awaitOnline();
        }
        awaitMore(100);
        finish();
        multimed("SELECT count(*) FROM pg_class");
        copies.assertSame();
        assertNothingLost();
    }

    /** A middleware that takes over changes the epoch, also between two steps of a commit. */
    @Test
    void shouldCommitDuringTakeoversOfMiddlewares() throws Exception {
        Copies copies = Copies.of(cluster, "satellite-1", "satellite-2").mark();
        cluster.middleware().close();
        for (int i = 0; i < 4; i++) {
            begin(() -> write(cluster.direct("master")));
        }
        begin(() -> {
            try (Connection direct = cluster.direct("master")) {
                while (!stopped) {
                    Sql.run(direct, "UPDATE multimed.base SET epoch = epoch + 1");
                }
            }
        });
        awaitMore(250);
        finish();
        cluster.startMiddleware();
        cluster.awaitOnline();
        copies.assertSame();
        assertNothingLost();
    }

    @Test
    void shouldRefuseBypassingWritesAfterAChangeOfTheModel() throws Exception {
        Copies copies = Copies.of(cluster, "satellite-1", "satellite-2").mark();
        try (Connection direct = cluster.direct("master");
                Statement plain = direct.createStatement()) {
            direct.setAutoCommit(false);
            plain.executeUpdate("UPDATE hits SET n = 5");
            cluster.middleware().close();
            Future<?> start = clients.submit(() -> {
                cluster.startMiddleware("bypass: refuse\n" + ENGINES);
                return null;
            });
            await("the start waits for the table that the old transaction holds; see pg_locks on the master")
                    .atMost(Duration.ofSeconds(90))
                    .until(() -> waitsForATable(plain));
            direct.commit(); // this transaction began before the start of the middleware
            start.get();
            assertThatThrownBy(() -> plain.executeUpdate("UPDATE hits SET n = 6"))
                    .hasMessageContaining("bypass: capture")
                    .extracting("SQLState")
                    .isEqualTo("0A000");
            direct.rollback();
            multimed("UPDATE hits SET n = n + 1 WHERE id = 1");
            cluster.awaitOnline();
            copies.assertSame();
            cluster.middleware().close();
            cluster.startMiddleware("bypass: capture\n" + ENGINES);
            plain.executeUpdate("UPDATE hits SET n = n + 1");
            direct.commit();
        }
        cluster.awaitOnline();
        multimed("SELECT count(*) FROM pg_class");
        copies.assertSame();
        assertThat(copies.rows("satellite-1", "hits")).contains("(1,7)", "(2,6)");
    }

    /** The starting middleware waits for the transaction that has captured something. */
    private static boolean waitsForATable(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery(
                "SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'multimed.bypassing'::regclass AND NOT granted)")) {
            row.next();
            return row.getBoolean(1);
        }
    }

    /** The numbers are moved on, as if as many had committed. */
    @Test
    void shouldDiscardTheHistoryWhenNoMiddlewareRunsForLong() throws Exception {
        cluster.awaitApplied();
        cluster.middleware().close();
        try (Connection master = cluster.direct("master");
                Statement statement = master.createStatement()) {
            statement.execute("SELECT setval('multimed.scn', 300000)");
            statement.executeUpdate("UPDATE hits SET n = 7");
            try (ResultSet row = statement.executeQuery(
                    "SELECT (SELECT scn FROM multimed.base), (SELECT count(*) FROM multimed.sealed)")) {
                row.next();
                assertThat(row.getLong(1)).isEqualTo(300_001);
                assertThat(row.getLong(2)).isZero();
            }
            statement.executeUpdate("UPDATE hits SET n = 8");
        }
        cluster.startMiddleware();
        cluster.awaitOnline();
        assertNothingLost();
    }

    private void multimed(String sql) throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
