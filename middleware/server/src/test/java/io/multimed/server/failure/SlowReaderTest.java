// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Clients that open large results and stop reading delay neither other clients nor the applier, and keep a bounded
 * number of connections for a bounded time.
 */
@Tag("exhaustive")
@Timeout(600)
@ParameterizedClass
@EachEngine
class SlowReaderTest {
    private static final int ROWS = 1 << 15;
    private static final String THIRTY_MEGABYTES = "SELECT * FROM read_slowly";
    private static final String TWO_GIGABYTES =
            "SELECT concat(repeat('x', 2000), a.id) FROM read_slowly a CROSS JOIN read_slowly b WHERE b.id <= 32";
    private static final int POOL = 4;

    private static TestCluster cluster;

    /** Counts the sessions that readers hold on the satellite. */
    private final String keptQuery;

    SlowReaderTest(String engine) {
        keptQuery = engine.equals("postgresql")
                ? "SELECT count(*) FROM pg_stat_activity WHERE usename = 'multimed_reader' AND state LIKE 'idle in transaction%'"
                : "SELECT count(*) FROM information_schema.processlist WHERE user = 'multimed_reader' AND command = 'Query'";
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = TestCluster.of("""
                engine: %s
                share-cores: true
                freshness: {policy: wait-then-master, wait: 1s}
                nodes:
                - {name: master, role: master, memory: 128m, pool: 4}
                - {name: satellite, role: satellite, memory: 128m, pool: 4}
                """.formatted(engine)).awaitOnline();
        cluster.run(
                "CREATE TABLE read_slowly (id int PRIMARY KEY, t varchar(1000))",
                "INSERT INTO read_slowly VALUES (1, repeat('x', 1000))",
                "CREATE TABLE others (id int PRIMARY KEY, n int)",
                "INSERT INTO others VALUES (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0), (7, 0), (8, 0)");
        for (int rows = 1; rows < ROWS; rows *= 2) {
            cluster.run("INSERT INTO read_slowly SELECT id + %d, t FROM read_slowly".formatted(rows));
        }
        cluster.awaitApplied();
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    /** Reads one row of a result that streams, and then no more. */
    private record SlowReader(Connection connection, ResultSet rows) implements AutoCloseable {
        static SlowReader of(String sql) throws SQLException {
            Connection connection = cluster.connect();
            Statement statement = connection.createStatement();
            statement.setFetchSize(100);
            ResultSet rows = statement.executeQuery(sql);
            assertThat(rows.next()).isTrue();
            assertThat(connection.unwrap(MultimedConnection.class).lastNode()).isEqualTo("satellite");
            return new SlowReader(connection, rows);
        }

        int readOn() throws SQLException {
            return readToTheEnd(rows);
        }

        @Override
        public void close() throws SQLException {
            connection.close();
        }
    }

    @Test
    void shouldNotDelayOtherClients() throws Exception {
        try (SlowReader first = SlowReader.of(TWO_GIGABYTES);
                SlowReader second = SlowReader.of(TWO_GIGABYTES)) {
            List<CompletableFuture<Void>> others = new ArrayList<>();
            long begin = System.nanoTime();
            for (int client = 1; client <= 8; client++) {
                int id = client;
                others.add(CompletableFuture.runAsync(() -> workAlongside(id)));
            }
            CompletableFuture.allOf(others.toArray(new CompletableFuture<?>[0])).join();
            System.out.printf(
                    "8 clients, 100 reads and updates each beside two that stopped reading: %.1f s%n",
                    (System.nanoTime() - begin) / 1e9);
            cluster.awaitApplied();
            assertThat(kept()).isBetween(2L, (long) POOL);
            try (SlowReader third = SlowReader.of("SELECT id FROM read_slowly")) {
                assertThat(third.readOn()).isEqualTo(ROWS - 1); // the middleware reads a third result at once
            }
            assertThat(first.rows().next()).isTrue();
            assertThat(second.rows().next()).isTrue();
        }
        await("the satellite has no session of a reader; see: " + keptQuery)
                .atMost(Duration.ofSeconds(90))
                .until(() -> kept() == 0);
    }

    /** Sessions of the satellite that have a result or a transaction open for clients. */
    private long kept() throws SQLException {
        try (Connection satellite = cluster.direct("satellite");
                Statement statement = satellite.createStatement();
                ResultSet row = statement.executeQuery(keptQuery)) {
            row.next();
            return row.getLong(1);
        }
    }

    private static void workAlongside(int id) {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            for (int i = 0; i < 100; i++) {
                statement.executeUpdate("UPDATE others SET n = n + 1 WHERE id = " + id);
                try (ResultSet row = statement.executeQuery("SELECT n FROM others WHERE id = " + id)) {
                    assertThat(row.next()).isTrue();
                    assertThat(row.getInt(1)).isEqualTo(i + 1);
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void shouldLoseTheConnectionThatBlocksTheApplier() throws Exception {
        try (SlowReader reader = SlowReader.of(THIRTY_MEGABYTES);
                Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("ALTER TABLE read_slowly ADD COLUMN n int"); // waits for the reader on the satellite
            try (ResultSet row = statement.executeQuery("SELECT count(n) FROM read_slowly")) {
                assertThat(row.next()).isTrue(); // on the master, during the wait of the satellite
            }
            assertThat(connection.unwrap(MultimedConnection.class).why()).isEqualTo("satellites too far behind");
            cluster.awaitApplied();
            assertThatThrownBy(reader::readOn)
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("nothing was read from it for a long time")
                    .extracting("SQLState")
                    .isEqualTo("57P05");
            try (Statement again = reader.connection().createStatement();
                    ResultSet row = again.executeQuery("SELECT count(*) FROM read_slowly")) {
                assertThat(row.next()).isTrue();
                assertThat(row.getInt(1)).isEqualTo(ROWS);
            }
        }
    }

    @Test
    void shouldLoseOpenTransactionsWhenOtherClientsNeedTheConnections() throws Exception {
        List<Connection> opened = new CopyOnWriteArrayList<>();
        try {
            List<ResultSet> idle = new ArrayList<>();
            for (int i = 0; i < POOL; i++) {
                idle.add(beginReading(opened));
            }
            assertThat(kept()).isEqualTo(POOL);
            List<CompletableFuture<ResultSet>> others = new ArrayList<>();
            for (int i = 0; i < POOL; i++) {
                others.add(CompletableFuture.supplyAsync(() -> beginReading(opened))); // waits for a connection
            }
            others.forEach(CompletableFuture::join);
            for (int i = 0; i < POOL; i++) {
                ResultSet rows = idle.get(i);
                if (i % 2 == 0) {
                    assertOver(() -> readToTheEnd(rows));
                } else {
                    assertOver(() -> rows.getStatement().execute("SELECT count(*) FROM others"));
                }
            }
        } finally {
            for (Connection connection : opened) {
                connection.close();
            }
        }
    }

    private static void assertOver(ThrowingCallable reading) {
        assertThatThrownBy(reading)
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("the read-only transaction has ended")
                .extracting("SQLState")
                .isEqualTo("25P03");
    }

    /** Begins a read-only transaction with a result set that is not read to its end. */
    private static ResultSet beginReading(List<Connection> opened) {
        try {
            Connection connection = cluster.connect();
            opened.add(connection);
            connection.setReadOnly(true);
            connection.setAutoCommit(false);
            Statement statement = connection.createStatement();
            statement.setFetchSize(100);
            ResultSet rows = statement.executeQuery(THIRTY_MEGABYTES);
            assertThat(rows.next()).isTrue();
            assertThat(connection.unwrap(MultimedConnection.class).lastNode()).isEqualTo("satellite");
            return rows;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static int readToTheEnd(ResultSet rows) throws SQLException {
        int count = 0;
        while (rows.next()) {
            count++;
        }
        return count;
    }
}
