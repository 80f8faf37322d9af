// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.history;

import static io.multimed.deploy.fault.TestModels.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.cluster.Cluster;
import io.multimed.deploy.fault.TestModels;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.deploy.launcher.TestTier;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.model.SystemModel;
import io.multimed.tpcw.run.Target;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Strong snapshot isolation over a master and its own standbys ({@code propagation: log}). */
@Tag("slow")
@Timeout(600)
class StandbyConsistencyTest {
    private static final int TRANSACTIONS = 1_000;

    private static final String MODEL = TestModels.TWO_STANDBYS;

    private static StateFolder state;
    private static Cluster cluster;

    @BeforeAll
    static void start() throws Exception {
        state = StateFolder.temporary("multimed-test-");
        cluster = Cluster.start(SystemModel.parse(MODEL, "test"), state, step -> {});
        cluster.awaitSatellites();
    }

    @AfterAll
    static void stop() {
        cluster.close();
        state.discard();
    }

    private static Connection connect() throws SQLException {
        return DriverManager.getConnection(cluster.middleware().jdbcUrl());
    }

    @Test
    void shouldGiveEveryTransactionTheIsolationLevelThatItRequests() throws Exception {
        judge(Isolation.REPEATABLE_READ);
        judge(Isolation.READ_COMMITTED);
    }

    private static void judge(Isolation asked) throws Exception {
        Target target = TestModels.target(cluster);
        HistoryRecorder recorder = HistoryRecorder.start(target, 24, 0.5, asked);
        await("the recorded load commits: see the errors of its clients")
                .atMost(Duration.ofSeconds(90))
                .until(() -> recorder.committed() > TestTier.repetitions(TRANSACTIONS));
        List<Operation> operations = recorder.stop();
        try (Connection connection = target.connect()) {
            assertThat(HistoryChecker.check(operations, recorder.finalState(connection)))
                    .isEmpty();
        }
        assertThat(recorder.doubts()).isEmpty();
    }

    /** A read on a standby sees each commit that was acknowledged before. */
    @Test
    void shouldReadItsOwnWritesOnStandbys() throws Exception {
        try (Connection connection = connect();
                Connection other = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE counter (id int PRIMARY KEY, n int)");
            statement.execute("INSERT INTO counter VALUES (1, 0)");
            int onStandbys = 0;
            int rounds = TestTier.repetitions(800);
            for (int i = 1; i <= rounds; i++) {
                statement.executeUpdate("UPDATE counter SET n = n + 1 WHERE id = 1");
                assertThat(text(other, "SELECT n FROM counter WHERE id = 1")).isEqualTo(Integer.toString(i));
                onStandbys += other.unwrap(MultimedConnection.class).lastNode().equals("master") ? 0 : 1;
            }
            assertThat(onStandbys).isGreaterThan(rounds / 2);
        }
    }

    /** A commit on the master past Multimed is seen by the next read, also under load, and also without a flush. */
    @ParameterizedTest
    @ValueSource(strings = {"on", "off"})
    void shouldSeeCommitsThatDoNotComeThroughMultimed(String synchronous) throws Exception {
        String table = "direct_" + synchronous;
        AtomicBoolean done = new AtomicBoolean();
        try (Connection master = TestModels.direct(cluster.engine("master"));
                Connection connection = connect();
                Statement direct = master.createStatement()) {
            master.setAutoCommit(true);
            direct.execute("SET synchronous_commit = " + synchronous);
            direct.execute("CREATE TABLE %s (id int PRIMARY KEY, n int)".formatted(table));
            direct.execute("INSERT INTO %s SELECT i, 0 FROM generate_series(1, 10) i".formatted(table));
            CompletableFuture<Void> load = CompletableFuture.runAsync(() -> update(table, done));
            int onStandbys = 0;
            int rounds = TestTier.repetitions(600);
            for (int i = 1; i <= rounds; i++) {
                direct.executeUpdate("UPDATE %s SET n = n + 1 WHERE id = 1".formatted(table));
                assertThat(text(connection, "SELECT n FROM %s WHERE id = 1".formatted(table)))
                        .isEqualTo(Integer.toString(i));
                onStandbys +=
                        connection.unwrap(MultimedConnection.class).lastNode().equals("master") ? 0 : 1;
            }
            done.set(true);
            load.get(60, TimeUnit.SECONDS);
            assertThat(onStandbys).isGreaterThan(rounds / 5);
            direct.execute("ALTER TABLE %s RENAME COLUMN n TO m".formatted(table));
            assertThat(text(connection, "SELECT m FROM %s WHERE id = 1".formatted(table)))
                    .isEqualTo(Integer.toString(rounds));
        }
    }

    private static void update(String table, AtomicBoolean done) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            while (!done.get()) {
                statement.executeUpdate("UPDATE %s SET n = n + 1 WHERE id = 2".formatted(table));
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Nothing is refused because it cannot be captured, and all of it is on the standbys at once. */
    @Test
    void shouldShowEveryChangeOfTheSchemaOnStandbys() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE parent (id int PRIMARY KEY)");
            statement.execute("CREATE TABLE child (id int PRIMARY KEY, p int REFERENCES parent ON DELETE CASCADE)");
            statement.execute("INSERT INTO parent VALUES (1), (2)");
            statement.execute("INSERT INTO child VALUES (1, 1), (2, 2)");
            statement.execute("DELETE FROM parent WHERE id = 1");
            assertThat(text(connection, "SELECT count(*) FROM child")).isEqualTo("1");
            assertThat(connection.unwrap(MultimedConnection.class).lastNode()).startsWith("standby");
            statement.execute("ALTER TABLE child ADD COLUMN v xml");
            statement.execute("UPDATE child SET v = '<a/>'");
            assertThat(text(connection, "SELECT v FROM child")).isEqualTo("<a/>");
            statement.execute("CREATE INDEX CONCURRENTLY child_p ON child (p)");
            statement.execute("VACUUM FULL child");
            assertThat(text(connection, "SELECT id FROM child WHERE p = 2")).isEqualTo("2");
            statement.execute("DROP TABLE child");
            statement.execute("CREATE TABLE child AS SELECT 7 AS id, 'new' AS name");
            assertThat(text(connection, "SELECT name FROM child WHERE id = 7")).isEqualTo("new");
        }
    }

    @Test
    void shouldContinueWithoutAStandbyThatHasDied() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE survived (id int PRIMARY KEY)");
            cluster.engine("standby-1").kill();
            for (int i = 0; i < 200; i++) {
                statement.executeUpdate("INSERT INTO survived VALUES (" + i + ")");
                assertThat(text(connection, "SELECT count(*) FROM survived")).isEqualTo(Integer.toString(i + 1));
            }
            await().atMost(Duration.ofSeconds(60)).until(() -> cluster.missing().isEmpty());
        }
    }

    /**
     * What a read has seen, each later read sees, on whatever node: also commits that a standby shows before they are
     * acknowledged. Multimed does not ask the master before a
     * read here, so that only the order of answers ensures this.
     */
    @Test
    void shouldNeverGoBackWhenReadsAlternateBetweenStandbys() throws Exception {
        StateFolder folder = StateFolder.temporary("multimed-test-");
        String model = MODEL.replace("propagation: log", "propagation: log\ndirect-writes: none");
        AtomicBoolean done = new AtomicBoolean();
        try (Cluster throughMultimedOnly = Cluster.start(SystemModel.parse(model, "test"), folder, step -> {})) {
            throughMultimedOnly.awaitSatellites();
            String url = throughMultimedOnly.middleware().jdbcUrl();
            try (Connection setup = DriverManager.getConnection(url);
                    Statement statement = setup.createStatement()) {
                statement.execute("CREATE TABLE ahead (id int PRIMARY KEY, n int)");
                statement.execute("INSERT INTO ahead VALUES (1, 0), (2, 0)");
            }
            List<CompletableFuture<Long>> clients = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                clients.add(CompletableFuture.supplyAsync(() -> alternate(url, done)));
            }
            try (Connection connection = DriverManager.getConnection(url);
                    PreparedStatement update = connection.prepareStatement("UPDATE ahead SET n = n + 1 WHERE id = 1")) {
                for (int i = 0; i < TestTier.repetitions(3_000); i++) {
                    update.executeUpdate();
                }
            }
            done.set(true);
            for (CompletableFuture<Long> client : clients) {
                assertThat(client.get(60, TimeUnit.SECONDS)).isGreaterThan(30);
            }
        } finally {
            done.set(true);
            folder.discard();
        }
    }

    /** Reads on one standby after the other, and returns the number of reads. */
    private static long alternate(String url, AtomicBoolean done) {
        long reads = 0;
        long last = 0;
        try (Connection connection = DriverManager.getConnection(url)) {
            while (!done.get()) {
                String node = "standby-" + (1 + reads % 2);
                long found = Long.parseLong(
                        text(connection, "/*+ multimed: node=" + node + " */ SELECT n FROM ahead WHERE id = 1"));
                assertThat(found).as("on " + node).isGreaterThanOrEqualTo(last);
                last = found;
                reads++;
            }
            return reads;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What only a standby refuses runs on the master, and the client does not see it. */
    @Test
    void shouldRunOnTheMasterWhatStandbysRefuse() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE UNLOGGED TABLE unlogged (id int PRIMARY KEY)");
            statement.execute("INSERT INTO unlogged VALUES (1)");
            assertThat(text(connection, "SELECT count(*) FROM unlogged")).isEqualTo("1");
            assertThat(connection.unwrap(MultimedConnection.class).lastNode()).isEqualTo("master");
            statement.execute("CREATE SEQUENCE numbers");
            assertThat(text(connection, "SELECT nextval('numbers')")).isEqualTo("1");
            assertThat(text(connection, "SELECT txid_current() > 0")).isEqualTo("t");
            connection.setReadOnly(true);
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            assertThat(text(connection, "SELECT count(*) FROM unlogged")).isEqualTo("1");
            connection.commit();
        }
    }

    /** A transaction that has changed data, and then becomes read-only, has changed data. */
    @Test
    void shouldPublishATransactionThatBecomesReadOnly() throws Exception {
        try (Connection connection = connect();
                Connection other = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE closing (id int PRIMARY KEY, n int)");
            statement.execute("INSERT INTO closing VALUES (1, 0)");
            connection.setAutoCommit(false);
            for (int i = 1; i <= 50; i++) {
                statement.executeUpdate("UPDATE closing SET n = n + 1 WHERE id = 1");
                text(connection, "SELECT set_config('transaction_read_only', 'on', true)");
                connection.commit();
                assertThat(text(other, "SELECT n FROM closing WHERE id = 1")).isEqualTo(Integer.toString(i));
            }
        }
    }

    /**
     * Cancel requests meet commits at every moment, also between the COMMIT and the question for its position. What was
     * acknowledged has happened, and what failed has not.
     */
    @Test
    @Tag("exhaustive")
    void shouldReportTheOutcomeOfCanceledCommits() throws Exception {
        try (Connection setup = connect();
                Statement statement = setup.createStatement()) {
            statement.execute("CREATE TABLE canceled (id int PRIMARY KEY, n int)");
            statement.execute("INSERT INTO canceled VALUES (1, 0)");
            int acknowledged = 0;
            for (int i = 0; i < TestTier.repetitions(1_500); i++) {
                acknowledged += commitUnderCancel(statement, i) ? 1 : 0;
            }
            assertThat(text(setup, "SELECT n FROM canceled")).isEqualTo(Integer.toString(acknowledged));
        }
    }

    /** Returns whether the commit was acknowledged: of a transaction, or of a statement in auto-commit. */
    private static boolean commitUnderCancel(Statement statement, int number) throws SQLException {
        String update = "UPDATE canceled SET n = n + 1";
        if (number % 4 > 0) {
            statement.execute("BEGIN");
            statement.executeUpdate(update);
        }
        long pause = number % 150 * 5_000L;
        CompletableFuture<Void> cancel = CompletableFuture.runAsync(() -> cancel(statement, pause));
        try {
            statement.execute(number % 4 > 0 ? "COMMIT" : update);
            return true;
        } catch (SQLException e) {
            return false;
        } finally {
            cancel.join();
            statement.execute("ROLLBACK");
        }
    }

    private static void cancel(Statement statement, long nanos) {
        LockSupport.parkNanos(nanos);
        try {
            statement.cancel();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Standbys on the master's machine would write into the same folder. */
    @Test
    void shouldRefuseTablespaces() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.execute("CREATE TABLESPACE shared LOCATION '/tmp'"))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            error -> assertThat(error.getSQLState()).isEqualTo("0A000"))
                    .hasMessageContaining("source: external");
        }
    }

    /** A standby that somebody promotes is a server of its own. */
    @Test
    void shouldNotReadOnAStandbyThatWasPromoted() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE promoted (n int)");
            statement.execute("INSERT INTO promoted VALUES (1)");
            try (Connection standby = TestModels.direct(cluster.engine("standby-2"))) {
                standby.setAutoCommit(true);
                assertThat(text(standby, "SELECT pg_promote()")).isEqualTo("t");
            }
            await("the standby is taken out of service")
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> cluster.missing().stream()
                            .anyMatch(node -> node.name().equals("standby-2")));
            for (int i = 2; i <= 50; i++) {
                statement.executeUpdate("UPDATE promoted SET n = " + i);
                assertThat(text(connection, "SELECT n FROM promoted")).isEqualTo(Integer.toString(i));
                assertThat(connection.unwrap(MultimedConnection.class).lastNode())
                        .isNotEqualTo("standby-2");
            }
            statement.execute("ALTER MULTIMED SATELLITE standby-2 RESEED");
            await().atMost(Duration.ofSeconds(60)).until(() -> cluster.missing().isEmpty());
        }
    }

    /** A read that conflicts with the log that its standby replays moves to the master. */
    @Test
    @Tag("exhaustive")
    void shouldMoveAReadThatConflictsWithTheLog() throws Exception {
        try (Connection connection = connect();
                Connection other = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE long_read (id int PRIMARY KEY)");
            statement.execute("INSERT INTO long_read SELECT generate_series(1, 5)");
            CompletableFuture<String> read = CompletableFuture.supplyAsync(() -> {
                try {
                    return text(other, "SELECT sum(id) FROM long_read, generate_series(1, 8000000)");
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            await("the read runs on a standby; see pg_stat_activity")
                    .until(() -> runsOn("standby-1", "generate_series") || runsOn("standby-2", "generate_series"));
            statement.execute("ALTER TABLE long_read ADD COLUMN v int DEFAULT 1");
            statement.execute("UPDATE long_read SET v = 2");
            assertThat(text(connection, "SELECT sum(v) FROM long_read")).isEqualTo("10");
            assertThat(read.get(60, TimeUnit.SECONDS)).isEqualTo("120000000");
            assertThat(other.unwrap(MultimedConnection.class).lastNode()).isEqualTo("master");
        }
    }

    private static boolean runsOn(String node, String part) throws SQLException {
        try (Connection direct = TestModels.direct(cluster.engine(node))) {
            return text(
                            direct,
                            "SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND state = 'active' AND query LIKE '%"
                                    + part + "%'")
                    .equals("1");
        }
    }

    @Test
    @Tag("exhaustive")
    void shouldMakeStandbysAgainAndAddAndRemoveThem() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE kept (id int PRIMARY KEY)");
            statement.execute("INSERT INTO kept VALUES (1)");
            statement.execute("ALTER MULTIMED SATELLITE standby-1 RESEED");
            statement.execute("ALTER MULTIMED SATELLITE standby-2 RESTART");
            statement.execute(
                    "ALTER MULTIMED SATELLITE standby-3 ADD '{name: standby-3, role: satellite, memory: 128m}'");
            await().atMost(Duration.ofSeconds(60)).until(() -> cluster.missing().isEmpty());
            statement.execute("ALTER MULTIMED SATELLITE standby-1 DRAIN");
            statement.execute("ALTER MULTIMED SATELLITE standby-2 DRAIN");
            statement.execute("INSERT INTO kept VALUES (2)");
            try (Connection later = connect()) { // knows the name of the new node
                assertThat(text(later, "SELECT count(*) FROM kept")).isEqualTo("2");
                assertThat(later.unwrap(MultimedConnection.class).lastNode()).isEqualTo("standby-3");
            }
            statement.execute("ALTER MULTIMED SATELLITE standby-1 RESUME");
            statement.execute("ALTER MULTIMED SATELLITE standby-2 RESUME");
            statement.execute("ALTER MULTIMED SATELLITE standby-3 REMOVE");
            assertThat(text(connection, "SELECT count(*) FROM kept")).isEqualTo("2");
        }
    }
}
