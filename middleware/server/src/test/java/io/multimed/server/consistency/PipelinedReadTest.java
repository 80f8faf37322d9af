// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.consistency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.server.testing.SharedReads;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/** Reads of several clients are sent as requests that follow each other; each has its own result or error. */
@Tag("slow")
@ParameterizedClass
@EachEngine({"mariadb", "mysql"})
@Timeout(600)
@Tag("standbys")
class PipelinedReadTest {
    private static final int CLIENTS = 24;
    private static final int ROWS = 500;
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private static TestCluster cluster;
    private static SharedReads reads;

    /** @param engine of all nodes */
    PipelinedReadTest(String engine) {
        assertThat(engine).isNotEmpty();
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = TestCluster.withSatellites(engine, 1).awaitOnline();
        reads = new SharedReads(cluster, CLIENTS);
        cluster.run(
                "CREATE TABLE item (id int PRIMARY KEY, name varchar(40), price numeric(10, 2))",
                "CREATE TABLE counter (id int PRIMARY KEY, n int NOT NULL)",
                "INSERT INTO counter VALUES (1, 0)");
        StringBuilder rows = new StringBuilder("INSERT INTO item VALUES (0, 'item 0', 0)");
        for (int id = 1; id < ROWS; id++) {
            rows.append(", (%d, 'item %d', %d / 100)".formatted(id, id, id));
        }
        cluster.run(rows.toString());
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    private static void readItem(PreparedStatement statement, int id) throws SQLException {
        statement.setInt(1, id);
        try (ResultSet row = statement.executeQuery()) {
            assertThat(row.next()).as("item %d", id).isEqualTo(id < ROWS);
            if (id < ROWS) {
                assertThat(row.getInt(1)).isEqualTo(id);
                assertThat(row.getString("name")).isEqualTo("item " + id);
                assertThat(row.getBigDecimal(3)).isEqualByComparingTo(String.valueOf(id / 100.0));
                assertThat(row.next()).isFalse();
            }
        }
    }

    @Test
    void shouldReturnItsOwnRowToEachClient() throws Exception {
        reads.untilShared(
                "SELECT id, name, price FROM item WHERE id = ?",
                200,
                (statement, client, round) -> readItem(statement, (client * 31 + round * 7) % (ROWS + 20)));
    }

    /** The engine's driver limits the rows of a session until its next statement. */
    @Tag("exhaustive")
    @Test
    void shouldNotInheritTheLimitOfRowsOfAnotherClient() throws Exception {
        reads.untilShared("SELECT id FROM item WHERE id BETWEEN ? AND ?", 200, (statement, client, round) -> {
            if (round % 10 == client % 10) {
                try (PreparedStatement limited =
                        statement.getConnection().prepareStatement("SELECT name FROM item WHERE id >= ?")) {
                    limited.setMaxRows(1);
                    limited.setInt(1, client);
                    assertThat(count(limited)).isEqualTo(1);
                }
            }
            statement.setInt(1, client);
            statement.setInt(2, client + 2);
            assertThat(count(statement)).isEqualTo(3);
        });
    }

    private static int count(PreparedStatement query) throws SQLException {
        int count = 0;
        try (ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                count++;
            }
        }
        return count;
    }

    @Test
    void shouldReturnSeveralRowsAndTextsWithQuotes() throws Exception {
        reads.untilShared(
                "SELECT i.*, ? AS own FROM item i WHERE id BETWEEN ? AND ? ORDER BY id",
                100,
                (statement, client, round) -> {
                    String own = "\\' \" ; -- `" + client + "\u00e9\n";
                    statement.setString(1, own);
                    statement.setInt(2, client);
                    statement.setInt(3, client + round % 5);
                    try (ResultSet rows = statement.executeQuery()) {
                        for (int id = client; id <= client + round % 5; id++) {
                            assertThat(rows.next()).isTrue();
                            assertThat(rows.getInt("id")).isEqualTo(id);
                            assertThat(rows.getString("own")).isEqualTo(own);
                        }
                        assertThat(rows.next()).isFalse();
                    }
                });
    }

    @Test
    @Tag("exhaustive")
    void shouldReturnTheEnginesErrorToTheClientThatCausedIt() throws Exception {
        String sql = "SELECT id, (SELECT i.id FROM item i WHERE i.id < ?) FROM item WHERE id = ?";
        reads.untilShared(sql, 50, (statement, client, round) -> readFirst(statement, 1, client));
        reads.inParallel(sql, 100, (statement, client, round) -> {
            if (client == 3 && round % 10 == 0) {
                assertThatThrownBy(() -> readFirst(statement, 2, client))
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                failure -> assertThat(failure.getErrorCode()).isEqualTo(1242));
            } else {
                readFirst(statement, 1, client);
            }
        });
    }

    private static void readFirst(PreparedStatement statement, int limit, int id) throws SQLException {
        statement.setInt(1, limit);
        statement.setInt(2, id);
        try (ResultSet row = statement.executeQuery()) {
            assertThat(row.next()).isTrue();
            assertThat(row.getInt(1)).isEqualTo(id);
            assertThat(row.getInt(2)).isZero();
        }
    }

    @Test
    @Tag("exhaustive")
    void shouldReturnItsWarningsToEachClient() throws Exception {
        String sql = "SELECT id, 1 / ? FROM item WHERE id = ?";
        reads.untilShared(sql, 50, (statement, client, round) -> divide(statement, 1, client));
        reads.inParallel(sql, 100, (statement, client, round) -> {
            int divisor = (client + round) % 10 == 0 ? 0 : 1;
            divide(statement, divisor, client);
        });
    }

    private static void divide(PreparedStatement statement, int divisor, int id) throws SQLException {
        statement.setInt(1, divisor);
        statement.setInt(2, id);
        try (ResultSet row = statement.executeQuery()) {
            assertThat(row.next()).isTrue();
            assertThat(row.getInt(1)).isEqualTo(id);
            assertThat((Object) row.getBigDecimal(2) == null).isEqualTo(divisor == 0);
            assertThat((Object) statement.getWarnings() == null).isEqualTo(divisor != 0);
        }
    }

    /** Each client changes a row and then reads at least the value that was acknowledged before the read. */
    @Test
    void shouldSeeEachClientsOwnCommitAndNeverAnOlderState() throws Exception {
        AtomicInteger acknowledged = new AtomicInteger();
        reads.untilShared("SELECT n FROM counter WHERE id = ?", 100, (statement, client, round) -> {
            if (round % 10 == client % 10) {
                try (Statement update = statement.getConnection().createStatement()) {
                    update.executeUpdate("UPDATE counter SET n = n + 1 WHERE id = 1");
                }
                acknowledged.incrementAndGet();
            }
            int least = acknowledged.get();
            statement.setInt(1, 1);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                assertThat(row.getInt(1)).isGreaterThanOrEqualTo(least);
            }
        });
    }

    /**
     * An engine may report a canceled read as one that finds no row. A cancel request of one client, or of the lane,
     * must not change the result of another one.
     */
    @Tag("exhaustive")
    @Test
    void shouldNotChangeTheResultsOfOthersByCancelRequests() throws Exception {
        String sql =
                "SELECT i.id, (SELECT COUNT(*) FROM item a JOIN item b ON b.price >= 0 WHERE a.id < ?) FROM item i WHERE i.id = ?";
        reads.untilShared(sql, 50, (statement, client, round) -> count(statement, 1, client));
        AtomicInteger canceled = new AtomicInteger();
        reads.inParallel(sql, 60, (statement, client, round) -> {
            if (client % 6 != 0) {
                count(statement, 1, client);
                return;
            }
            AtomicBoolean ended = new AtomicBoolean();
            ExecutorService canceler = Executors.newSingleThreadExecutor();
            try {
                Future<?> cancel = canceler.submit(() -> {
                    while (!ended.get()) {
                        statement.cancel();
                        TimeUnit.MILLISECONDS.sleep(1); // each request has a connection of its own
                    }
                    return null;
                });
                count(statement, ROWS, client);
                assertThat(cancel).isNotCancelled();
            } catch (SQLException e) {
                canceled.incrementAndGet();
            } finally {
                ended.set(true);
                canceler.shutdown();
                await("the request to cancel ends").atMost(PATIENCE).until(canceler::isTerminated);
            }
        });
        assertThat(canceled).hasPositiveValue();
    }

    private static void count(PreparedStatement statement, int size, int id) throws SQLException {
        statement.setInt(1, size);
        statement.setInt(2, id);
        try (ResultSet row = statement.executeQuery()) {
            assertThat(row.next() || size > 1).as("item %d", id).isTrue();
            if (size == 1) {
                assertThat(row.getInt(1)).isEqualTo(id);
                assertThat(row.next()).isFalse();
            }
        }
    }

    /** All requests are sent before a result is read. */
    @Tag("exhaustive")
    @Test
    @Timeout(120)
    void shouldNotWaitForeverIfResultsAreLarge() throws Exception {
        String sql = "SELECT REPEAT('x', ?), ?";
        reads.untilShared(sql, 50, (statement, client, round) -> repeat(statement, 1, client));
        reads.inParallel(
                sql,
                60,
                (statement, client, round) -> repeat(statement, (client + round) % 20 == 0 ? 1 << 20 : 1, client));
    }

    private static void repeat(PreparedStatement statement, int size, int client) throws SQLException {
        statement.setInt(1, size);
        statement.setInt(2, client);
        try (ResultSet row = statement.executeQuery()) {
            assertThat(row.next()).isTrue();
            assertThat(row.getString(1)).hasSize(size);
            assertThat(row.getInt(2)).isEqualTo(client);
        }
    }

    /** Connections that break in the middle are replaced: no client receives an error. */
    @Tag("exhaustive")
    @Test
    void shouldAnswerOnAnotherNodeWhenConnectionsAreLost() throws Exception {
        String sql = "SELECT id, name, price FROM item WHERE id = ? AND price >= 0";
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger ran = new AtomicInteger();
        reads.untilShared(sql, 50, (statement, client, round) -> readItem(statement, client));
        reads.inParallel(sql, 1, (statement, client, round) -> {
            if (client > 0) {
                while (!over.get()) {
                    readItem(statement, client);
                    ran.incrementAndGet();
                }
                return;
            }
            try (Connection direct = cluster.direct("satellite-1")) {
                for (int i = 0; i < 10; i++) {
                    int before = ran.get();
                    await("the other clients' reads run").atMost(PATIENCE).until(() -> ran.get() >= before + CLIENTS);
                    killReaders(direct);
                }
            } finally {
                over.set(true);
            }
        });
    }

    private static void killReaders(Connection direct) throws SQLException {
        try (Statement find = direct.createStatement();
                Statement kill = direct.createStatement();
                ResultSet running = find.executeQuery(
                        "SELECT ID FROM information_schema.PROCESSLIST WHERE INFO LIKE '%FROM item%' AND ID <> CONNECTION_ID()")) {
            while (running.next()) {
                try {
                    kill.execute("KILL " + running.getLong(1));
                } catch (SQLException e) {
                    assertThat(e.getErrorCode()).as("the session has ended").isEqualTo(1094);
                }
            }
        }
    }
}
