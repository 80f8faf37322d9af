// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.consistency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.SharedReads;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TimeZone;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads of several clients run together, in one message to the engine; each has its own result or error. */
@Tag("slow")
@Timeout(600)
@Tag("standbys")
class SharedReadTest {
    private static final int CLIENTS = 24;
    private static final int ROWS = 500;
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private static TestCluster cluster;
    private static SharedReads reads;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.withSatellites("postgresql", 1).awaitOnline();
        reads = new SharedReads(cluster, CLIENTS);
        cluster.run(
                "CREATE TABLE item (id int PRIMARY KEY, name text, price numeric(10, 2), sold timestamptz)",
                "INSERT INTO item SELECT i, 'item ' || i, i / 100.0, timestamptz '2026-01-01 00:00+00' + i * interval '1 hour' FROM generate_series(0, %d) i"
                        .formatted(ROWS - 1),
                "CREATE TABLE counter (id int PRIMARY KEY, n int NOT NULL)",
                "INSERT INTO counter VALUES (1, 0)");
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    /** Requests of JDBC in auto-commit mode do not stand alone after BEGIN. */
    @Test
    void shouldReadTheSnapshotOfATransactionThatSqlBegins() throws SQLException {
        try (Connection client = cluster.connect();
                Statement statement = client.createStatement();
                PreparedStatement read = client.prepareStatement("SELECT name FROM item WHERE id = 7")) {
            for (int i = 0; i < 50; i++) { // until the text is known to be short
                read.executeQuery().close();
            }
            statement.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
            String first = name(read);
            cluster.run("UPDATE item SET name = 'changed' WHERE id = 7");
            try {
                assertThat(name(read)).isEqualTo(first);
                statement.execute("COMMIT");
                assertThat(name(read)).isEqualTo("changed");
            } finally {
                cluster.run("UPDATE item SET name = 'item 7' WHERE id = 7");
            }
        }
    }

    private static String name(PreparedStatement read) throws SQLException {
        try (ResultSet row = read.executeQuery()) {
            row.next();
            return row.getString(1);
        }
    }

    @Test
    void shouldReturnItsOwnRowToEachClient() throws Exception {
        AtomicInteger done = new AtomicInteger();
        long before = reads.status("reads");
        reads.untilShared("SELECT id, name, price FROM item WHERE id = ?", 200, (statement, client, round) -> {
            int id = (client * 31 + round * 7) % (ROWS + 20); // the last 20 do not exist
            statement.setInt(1, id);
            try (ResultSet row = statement.executeQuery()) {
                assertThat(row.next()).isEqualTo(id < ROWS);
                if (id < ROWS) {
                    assertThat(row.getInt(1)).isEqualTo(id);
                    assertThat(row.getString("name")).isEqualTo("item " + id);
                    assertThat(row.getBigDecimal(3)).isEqualByComparingTo(String.valueOf(id / 100.0));
                    assertThat(row.next()).isFalse();
                }
            }
            done.incrementAndGet();
        });
        assertThat(reads.status("reads") - before).isEqualTo(done.get());
    }

    @Test
    void shouldReturnSeveralRowsNullsAndOtherTypesOfParameters() throws Exception {
        reads.untilShared(
                "SELECT i.*, ?::int + 1 AS one_more FROM item i WHERE id BETWEEN ? AND ? OR name = ? ORDER BY id -- all",
                100,
                (statement, client, round) -> {
                    boolean none = (client + round) % 3 == 0;
                    if (none) {
                        statement.setNull(1, Types.INTEGER);
                    } else {
                        statement.setInt(1, client);
                    }
                    statement.setInt(2, client);
                    statement.setInt(3, client + round % 5);
                    statement.setString(4, "item 499");
                    try (ResultSet rows = statement.executeQuery()) {
                        for (int id = client; id <= client + round % 5; id++) {
                            assertThat(rows.next()).isTrue();
                            assertThat(rows.getInt("id")).isEqualTo(id);
                            assertThat(rows.getObject("one_more")).isEqualTo(none ? null : client + 1);
                        }
                        assertThat(rows.next()).isTrue();
                        assertThat(rows.getString("name")).isEqualTo("item 499");
                        assertThat(rows.next()).isFalse();
                    }
                });
    }

    @Test
    void shouldReturnTheEnginesErrorToTheClientThatCausedIt() throws Exception {
        String sql = "SELECT id, 100 / (id - ?) FROM item WHERE id = ?";
        reads.untilShared(sql, 50, (statement, client, round) -> divide(statement, 1_000, client));
        SQLException direct;
        try (Connection connection = cluster.direct("satellite-1");
                PreparedStatement statement = connection.prepareStatement(sql)) {
            direct = org.junit.jupiter.api.Assertions.assertThrows(SQLException.class, () -> divide(statement, 3, 3));
        }
        reads.inParallel(sql, 100, (statement, client, round) -> {
            if (client == 3 && round % 10 == 0) {
                assertThatThrownBy(() -> divide(statement, 3, 3))
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                failure -> assertThat(failure.getSQLState()).isEqualTo(direct.getSQLState()))
                        .hasMessage(direct.getMessage());
            } else {
                divide(statement, 1_000, client);
            }
        });
    }

    private static void divide(PreparedStatement statement, int zero, int id) throws SQLException {
        statement.setInt(1, zero);
        statement.setInt(2, id);
        try (ResultSet row = statement.executeQuery()) {
            assertThat(row.next()).isTrue();
            assertThat(row.getInt(1)).isEqualTo(id);
            assertThat(row.getInt(2)).isEqualTo(100 / (id - zero));
        }
    }

    /** Each client changes a row and then reads at least the value that it has committed. */
    @Test
    void shouldSeeEachClientsOwnCommitAndNeverAnOlderState() throws Exception {
        AtomicInteger acknowledged = new AtomicInteger();
        reads.untilShared("SELECT n FROM counter WHERE id = ?", 100, (statement, client, round) -> {
            if (round % 10 == client % 10) {
                try (Statement update = statement.getConnection().createStatement();
                        ResultSet row = update.executeQuery("UPDATE counter SET n = n + 1 WHERE id = 1 RETURNING n")) {
                    row.next();
                    acknowledged.accumulateAndGet(row.getInt(1), Math::max);
                }
            }
            int least = acknowledged.get();
            statement.setInt(1, 1);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                assertThat(row.getInt(1)).isGreaterThanOrEqualTo(least);
            }
        });
    }

    @Test
    void shouldKeepTheTimeZonesOfClientsApart() throws Exception {
        String sql = "SELECT to_char(sold, 'HH24:MI') FROM item WHERE id = ?";
        reads.untilShared(sql, 100, (statement, client, round) -> {
            boolean set = client % 3 == 0;
            if (round == 0 && set) {
                try (Statement zone = statement.getConnection().createStatement()) {
                    zone.execute("SET TIME ZONE 'Asia/Kathmandu'"); // UTC+05:45
                }
            }
            int id = 24 * (client % 4);
            statement.setInt(1, id);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                assertThat(row.getString(1)).isEqualTo(set ? "05:45" : local());
            }
        });
    }

    /** Returns midnight in UTC on 1 January, as the time of day in this machine's zone. */
    private static String local() {
        int minutes = TimeZone.getDefault().getOffset(1_767_225_600_000L) / 60_000;
        int ofDay = Math.floorMod(minutes, 24 * 60);
        return "%02d:%02d".formatted(ofDay / 60, ofDay % 60);
    }

    @Test
    void shouldReturnTheNewColumnsAfterDdl() throws Exception {
        cluster.run("CREATE TABLE changing (id int PRIMARY KEY, v text)", "INSERT INTO changing VALUES (1, 'a')");
        AtomicBoolean added = new AtomicBoolean();
        AtomicInteger seen = new AtomicInteger();
        reads.untilShared(
                "SELECT * FROM changing WHERE id = ?", 50, (statement, client, round) -> readChanging(statement));
        reads.inParallel("SELECT * FROM changing WHERE id = ?", 200, (statement, client, round) -> {
            if (client == 0 && round == 50) {
                cluster.run("ALTER TABLE changing ADD COLUMN w int DEFAULT 7");
                added.set(true);
            }
            boolean expected = added.get();
            int columns = readChanging(statement);
            if (expected) {
                assertThat(columns).isEqualTo(3);
                seen.incrementAndGet();
            }
        });
        assertThat(seen).hasPositiveValue();
    }

    private static int readChanging(PreparedStatement statement) throws SQLException {
        statement.setInt(1, 1);
        try (ResultSet row = statement.executeQuery()) {
            assertThat(row.next()).isTrue();
            int columns = row.getMetaData().getColumnCount();
            assertThat(row.getString(2)).isEqualTo("a");
            if (columns == 3) {
                assertThat(row.getInt("w")).isEqualTo(7);
            }
            return columns;
        }
    }

    /** A read that is short for most parameters delays the others only for a while, and its client can cancel it. */
    @Test
    void shouldNotLetALongReadBlockTheOthers() throws Exception {
        String sql =
                "SELECT count(*) FROM generate_series(1, ?) a, generate_series(1, ?) b, item WHERE item.id = 1 AND (a.a + b.b) % 7 >= 0";
        reads.untilShared(sql, 50, (statement, client, round) -> count(statement, 1));
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger ran = new AtomicInteger();
        reads.inParallel(sql, 1, (statement, client, round) -> {
            if (client == 0) {
                ExecutorService canceler = Executors.newSingleThreadExecutor();
                try {
                    Future<?> cancel = canceler.submit(() -> {
                        while (!over.get()) { // the first one may come before the read
                            awaitAtLeast(ran, ran.get() + 100, over);
                            statement.cancel();
                        }
                        return null;
                    });
                    assertThatThrownBy(() -> count(statement, 100_000))
                            .isInstanceOfSatisfying(
                                    SQLException.class,
                                    failure -> assertThat(failure.getSQLState()).isEqualTo("57014"));
                    over.set(true);
                    cancel.get();
                } finally {
                    over.set(true);
                    canceler.shutdownNow();
                }
            } else {
                while (!over.get()) {
                    count(statement, 1);
                    ran.incrementAndGet();
                }
            }
        });
        assertThat(ran).hasValueGreaterThanOrEqualTo(100);
    }

    /** Waits until other clients have run a number of reads, or do not run any more. */
    private static void awaitAtLeast(AtomicInteger ran, int count, AtomicBoolean over) {
        await("the other clients' reads run").atMost(PATIENCE).until(() -> over.get() || ran.get() >= count);
    }

    private static void count(PreparedStatement statement, int size) throws SQLException {
        statement.setInt(1, size);
        statement.setInt(2, size);
        try (ResultSet row = statement.executeQuery()) {
            row.next();
            assertThat(row.getLong(1)).isEqualTo((long) size * size);
        }
    }

    /** The copies of a text are separated reliably, or the text runs alone. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT id FROM item WHERE id = ? -- a comment",
                "SELECT id FROM item WHERE id = ? /* a /* nested */ comment */",
                "SELECT id FROM item WHERE id = ? AND name <> ';'",
                "SELECT id FROM item WHERE id = ? AND name <> 'it''s' AND name <> $$--$$ AND name <> E'\\''",
                "SELECT \"id\" FROM item WHERE id = ? AND jsonb_build_object('a', id) ?? 'a'",
                "(SELECT id FROM item WHERE id = ?)",
                "WITH i AS (SELECT * FROM item WHERE id = ?) SELECT id FROM i",
                "VALUES (?::int)",
                "SELECT ?::int, '{' || id || '}' FROM item WHERE id = 1",
                "SELECT ?::int, {fn length(name)}, {d '2026-01-01'} FROM item WHERE id = 1",
                "SELECT ?::int /* *}/ + 1000 --*/ , {d '2026-01-01'"
            })
    @Tag("exhaustive")
    void shouldSeparateTexts(String sql) throws Exception {
        reads.inParallel(sql, 60, (statement, client, round) -> {
            statement.setInt(1, client + round);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                assertThat(row.getInt(1)).isEqualTo(client + round);
                assertThat(row.next()).isFalse();
            }
        });
    }

    /**
     * The driver sends the whole message before it reads a result: an engine that waits until the results are read
     * would wait for ever if the message were too large for the buffers in between.
     */
    @Tag("exhaustive")
    @Test
    @Timeout(120)
    void shouldNotWaitForeverIfParametersAndResultsAreLarge() throws Exception {
        String sql = "SELECT repeat('x', ?::int), length(?::text)";
        String parameter = "p".repeat(1 << 19);
        reads.untilShared(sql, 50, (statement, client, round) -> repeat(statement, 1, "p"));
        CyclicBarrier begin = new CyclicBarrier(CLIENTS);
        reads.inParallel(sql, 100, (statement, client, round) -> {
            boolean large = round % 20 == 19;
            if (large) {
                begin.await();
            }
            int size = large && client % 3 == 0 ? 1 << 20 : 1;
            repeat(statement, size, large && client % 3 > 0 ? parameter : "p");
        });
    }

    private static void repeat(PreparedStatement statement, int size, String parameter) throws SQLException {
        statement.setInt(1, size);
        statement.setString(2, parameter);
        try (ResultSet row = statement.executeQuery()) {
            row.next();
            assertThat(row.getString(1)).hasSize(size);
            assertThat(row.getInt(2)).isEqualTo(parameter.length());
        }
    }

    /** A satellite that is lost in the middle is replaced by another node: no client receives an error. */
    @Tag("exhaustive")
    @Test
    void shouldAnswerOnAnotherNodeWhenConnectionsAreLost() throws Exception {
        String sql = "SELECT name FROM item WHERE id = ?";
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger ran = new AtomicInteger();
        reads.untilShared(sql, 50, (statement, client, round) -> name(statement, client));
        reads.inParallel(sql, 1, (statement, client, round) -> {
            if (client > 0) {
                while (!over.get()) {
                    name(statement, client);
                    ran.incrementAndGet();
                }
                return;
            }
            try (Connection direct = cluster.direct("satellite-1")) {
                for (int i = 0; i < 10; i++) {
                    awaitAtLeast(ran, ran.get() + CLIENTS, over);
                    Sql.text(
                            direct,
                            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'multimed_reader'");
                }
            } finally {
                over.set(true);
            }
        });
    }

    /** Reads that run together on an engine that hangs are canceled, which the engine does not answer either. */
    @Test
    @Tag("exhaustive")
    void shouldAnswerOnAnotherNodeWhileTheEngineHangs() throws Exception {
        String sql = "SELECT name FROM item WHERE id = ? AND price >= 0";
        AtomicBoolean hangs = new AtomicBoolean();
        AtomicBoolean over = new AtomicBoolean();
        Set<Integer> answered = ConcurrentHashMap.newKeySet();
        reads.untilShared(sql, 50, (statement, client, round) -> name(statement, client));
        reads.inParallel(sql, 1, (statement, client, round) -> {
            if (client > 0) {
                while (!over.get()) {
                    boolean begunMeanwhile = hangs.get();
                    name(statement, client);
                    if (begunMeanwhile) {
                        answered.add(client);
                    }
                }
                return;
            }
            List<String> processes = processes();
            signal("-STOP", processes);
            hangs.set(true);
            try {
                await("every other client has an answer").atMost(PATIENCE).until(() -> answered.size() == CLIENTS - 1);
            } finally {
                over.set(true);
                signal("-CONT", processes);
            }
        });
        cluster.awaitOnline();
    }

    private static List<String> processes() throws SQLException {
        try (Connection direct = cluster.direct("satellite-1")) {
            long own = Long.parseLong(Sql.text(direct, "SELECT pg_backend_pid()"));
            ProcessHandle engine = ProcessHandle.of(own).orElseThrow().parent().orElseThrow();
            return Stream.concat(Stream.of(engine), engine.descendants())
                    .map(process -> String.valueOf(process.pid()))
                    .toList();
        }
    }

    private static void signal(String signal, List<String> processes) throws Exception {
        List<String> command = new ArrayList<>(List.of("kill", signal));
        command.addAll(processes);
        new ProcessBuilder(command).start().waitFor();
    }

    private static void name(PreparedStatement statement, int id) throws SQLException {
        statement.setInt(1, id);
        try (ResultSet row = statement.executeQuery()) {
            row.next();
            assertThat(row.getString(1)).isEqualTo("item " + id);
        }
    }
}
