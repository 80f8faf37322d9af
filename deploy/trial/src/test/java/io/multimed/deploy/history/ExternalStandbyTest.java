// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.history;

import static io.multimed.deploy.fault.TestModels.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.cluster.Cluster;
import io.multimed.deploy.fault.TestModels;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.tpcw.run.Target;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Multimed in front of a primary and a standby that run already, with an ordinary role: nothing is installed. */
@Tag("slow")
@Timeout(300)
class ExternalStandbyTest {
    private static final int TRANSACTIONS = 600;

    private static ExternalCluster external;
    private static RunningEngine primary;
    private static RunningEngine standby;
    private static Cluster cluster;

    @BeforeAll
    static void start() throws Exception {
        external = new ExternalCluster();
        primary = external.primary();
        standby = external.standby();
        cluster = external.cluster();
    }

    @AfterAll
    static void stop() throws SQLException {
        external.stopMiddleware();
        try (Connection superuser = TestModels.direct(primary)) {
            assertThat(text(superuser, "SELECT count(*) FROM pg_namespace WHERE nspname = 'multimed'"))
                    .isEqualTo("0");
            assertThat(text(superuser, "SELECT count(*) FROM pg_event_trigger")).isEqualTo("0");
        }
        external.close();
    }

    private static Connection connect() throws SQLException {
        return external.connect();
    }

    private static String node(Connection connection) throws SQLException {
        return connection.unwrap(MultimedConnection.class).lastNode();
    }

    @Test
    void shouldGiveEveryTransactionTheIsolationLevelThatItRequests() throws Exception {
        Target target = TestModels.target(cluster);
        HistoryRecorder recorder = HistoryRecorder.start(target, 16, 0.5, Isolation.REPEATABLE_READ);
        await("the recorded load commits: see the errors of its clients")
                .atMost(Duration.ofSeconds(90))
                .until(() -> recorder.committed() > TRANSACTIONS);
        List<Operation> operations = recorder.stop();
        try (Connection connection = target.connect()) {
            assertThat(HistoryChecker.check(operations, recorder.finalState(connection)))
                    .isEmpty();
        }
    }

    /** Both by clients of Multimed, and by a client of the primary. */
    @Test
    void shouldSeeEachCommitOnTheStandby() throws Exception {
        try (Connection connection = connect();
                Connection other = connect();
                Connection direct = DriverManager.getConnection(primary.jdbcUrl(), "app", "app");
                Statement past = direct.createStatement();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE counter (id int PRIMARY KEY, n int)");
            statement.execute("INSERT INTO counter VALUES (1, 0)");
            int onStandby = 0;
            for (int i = 1; i <= 600; i++) {
                (i % 3 == 0 ? past : statement).executeUpdate("UPDATE counter SET n = n + 1 WHERE id = 1");
                assertThat(text(other, "SELECT n FROM counter WHERE id = 1")).isEqualTo(Integer.toString(i));
                onStandby += node(other).equals("replica") ? 1 : 0;
            }
            assertThat(onStandby).isGreaterThan(300);
        }
    }

    @Test
    void shouldCheckDeferredConstraintsAndRestoreTheSession() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE deferred (id int UNIQUE DEFERRABLE INITIALLY DEFERRED)");
            statement.execute("INSERT INTO deferred VALUES (1)");
            connection.setAutoCommit(false);
            statement.execute("INSERT INTO deferred VALUES (1)");
            assertThatThrownBy(connection::commit)
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            error -> assertThat(error.getSQLState()).isEqualTo("23505"));
            connection.rollback();
            statement.execute("SET LOCAL work_mem = '77MB'");
            statement.execute("SET TIME ZONE 'Asia/Tokyo'");
            statement.execute("INSERT INTO deferred VALUES (2)");
            connection.commit();
            assertThat(text(connection, "SHOW work_mem")).isNotEqualTo("77MB");
            assertThat(text(connection, "SHOW TimeZone")).isEqualTo("Asia/Tokyo");
            connection.rollback();
        }
        try (Connection later = connect()) {
            for (int i = 0; i < 20; i++) {
                assertThat(text(later, "SHOW TimeZone")).isNotEqualTo("Asia/Tokyo");
            }
        }
    }

    /** Functions and changes of the schema by Multimed's clients have their effect on the next read. */
    @Test
    void shouldNoticeChangesOfTheSchema() throws Exception {
        try (Connection connection = connect();
                Connection direct = DriverManager.getConnection(primary.jdbcUrl(), "app", "app");
                Statement past = direct.createStatement();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE renamed (id int PRIMARY KEY, a int)");
            statement.execute("INSERT INTO renamed VALUES (1, 5)");
            statement.execute("CREATE FUNCTION plus(n int) RETURNS int LANGUAGE sql AS 'SELECT n + 1'");
            assertThat(text(connection, "SELECT plus(a) FROM renamed")).isEqualTo("6");
            assertThat(node(connection)).isEqualTo("replica");
            statement.execute(
                    "CREATE OR REPLACE FUNCTION plus(n int) RETURNS int LANGUAGE sql AS 'SELECT pg_backend_pid()'");
            text(connection, "SELECT plus(a) FROM renamed");
            assertThat(node(connection)).isEqualTo("primary");
            past.execute("CREATE OR REPLACE FUNCTION plus(n int) RETURNS int LANGUAGE sql AS 'SELECT n + 2'");
            past.execute("ALTER TABLE renamed RENAME a TO b");
            assertThat(text(connection, "SELECT b FROM renamed")).isEqualTo("5");
            await("the statistics of the engine show the direct DDL")
                    .atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> {
                        text(connection, "SELECT count(*) FROM renamed"); // a read on a standby asks the primary
                        assertThat(text(connection, "SELECT plus(b) FROM renamed"))
                                .isEqualTo("7");
                        assertThat(node(connection)).isEqualTo("replica");
                    });
        }
    }

    /** If the connection breaks during a commit, and there are no receipts, the outcome of the commit is unknown. */
    @Test
    void shouldSayThatTheOutcomeOfACommitIsUnknown() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE suicide (id int PRIMARY KEY)");
            statement.execute("CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS"
                    + " 'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END'");
            statement.execute("CREATE CONSTRAINT TRIGGER late AFTER INSERT ON suicide DEFERRABLE INITIALLY DEFERRED"
                    + " FOR EACH ROW WHEN (new.id > 1) EXECUTE FUNCTION die()");
            connection.setAutoCommit(false);
            statement.execute("INSERT INTO suicide VALUES (1)");
            connection.commit();
            statement.execute("INSERT INTO suicide VALUES (2)");
            assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
        }
        try (Connection later = connect()) {
            assertThat(text(later, "SELECT count(*) FROM suicide")).isEqualTo("1");
        }
    }

    /** No acknowledged commit is lost, and commits that failed with another error than 08007 have not happened. */
    @Test
    void shouldLoseNoCommitWhenThePrimaryIsKilled() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE survived (id int PRIMARY KEY, n int)");
            for (int i = 1; i <= 8; i++) {
                statement.execute("INSERT INTO survived VALUES (" + i + ", 0)");
            }
        }
        AtomicBoolean done = new AtomicBoolean();
        AtomicInteger acknowledged = new AtomicInteger();
        AtomicInteger unknown = new AtomicInteger();
        List<CompletableFuture<Void>> clients = new ArrayList<>();
        for (int i = 1; i <= 8; i++) {
            int id = i;
            clients.add(CompletableFuture.runAsync(() -> increment(id, done, acknowledged, unknown)));
        }
        await().until(() -> acknowledged.get() > 500);
        primary.kill();
        int before = acknowledged.get();
        primary.restart();
        await().atMost(Duration.ofSeconds(60)).until(() -> acknowledged.get() > before + 500);
        done.set(true);
        for (CompletableFuture<Void> client : clients) {
            client.get(60, TimeUnit.SECONDS);
        }
        try (Connection connection = connect()) {
            int found = Integer.parseInt(text(connection, "SELECT sum(n) FROM survived"));
            assertThat(found).isBetween(acknowledged.get(), acknowledged.get() + unknown.get());
        }
    }

    /**
     * A standby that was killed accepts connections before it has replayed what it has shown before. The delay of the
     * replay makes this state last. While nothing is written, the applier has no reason to look at the standby.
     */
    @Test
    void shouldNotReadAnOlderStateAfterTheStandbyIsKilled() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                Connection direct = TestModels.direct(standby);
                Statement setting = direct.createStatement()) {
            statement.execute("CREATE TABLE seen (id int PRIMARY KEY, n int)");
            statement.execute("INSERT INTO seen VALUES (1, 0)");
            setting.execute("ALTER SYSTEM SET recovery_min_apply_delay = '1500ms'"); // from the next start on
        }
        AtomicBoolean done = new AtomicBoolean();
        AtomicInteger written = new AtomicInteger();
        AtomicInteger reads = new AtomicInteger();
        List<CompletableFuture<Void>> clients = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            boolean alone = i % 2 == 0;
            clients.add(CompletableFuture.runAsync(() -> readWhatIsWritten(alone, done, written, reads)));
        }
        CompletableFuture<Object> failed = CompletableFuture.anyOf(clients.toArray(CompletableFuture[]::new));
        try {
            for (int i = 0; i < 4; i++) {
                cluster.awaitSatellites();
                write(300, written);
                standby.kill();
                standby.restart();
                int before = reads.get();
                await().atMost(Duration.ofSeconds(60)).until(() -> reads.get() > before + 1_500 || failed.isDone());
            }
        } finally {
            done.set(true);
            try (Connection direct = TestModels.direct(standby);
                    Statement setting = direct.createStatement()) {
                setting.execute("ALTER SYSTEM RESET recovery_min_apply_delay");
                setting.execute("SELECT pg_reload_conf()");
            }
        }
        for (CompletableFuture<Void> client : clients) {
            client.get(60, TimeUnit.SECONDS);
        }
    }

    private static void write(int updates, AtomicInteger written) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (int i = 0; i < updates; i++) {
                statement.executeUpdate("UPDATE seen SET n = n + 1");
                written.incrementAndGet();
            }
        }
    }

    /** Reads alone, or in a transaction of two statements. */
    private static void readWhatIsWritten(
            boolean alone, AtomicBoolean done, AtomicInteger written, AtomicInteger reads) {
        try (Connection connection = connect()) {
            connection.setReadOnly(!alone);
            connection.setAutoCommit(alone);
            while (!done.get()) {
                int least = written.get();
                try {
                    String first = text(connection, "SELECT n FROM seen WHERE id = 1");
                    assertThat(Integer.parseInt(first)).isGreaterThanOrEqualTo(least);
                    if (!alone) {
                        assertThat(text(connection, "SELECT n FROM seen WHERE id = 1"))
                                .isEqualTo(first);
                        connection.commit();
                    }
                    reads.incrementAndGet();
                } catch (SQLException e) {
                    assertThat(e.getSQLState()).isIn("40001", "57P03"); // the standby of a transaction was lost
                    if (!alone) {
                        connection.rollback();
                    }
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void increment(int id, AtomicBoolean done, AtomicInteger acknowledged, AtomicInteger unknown) {
        while (!done.get()) {
            try (Connection connection = connect();
                    Statement statement = connection.createStatement()) {
                while (!done.get()) {
                    statement.executeUpdate("UPDATE survived SET n = n + 1 WHERE id = " + id);
                    acknowledged.incrementAndGet();
                }
            } catch (SQLException e) {
                if ("08007".equals(e.getSQLState())) {
                    unknown.incrementAndGet();
                }
            }
        }
    }

    @Test
    void shouldKeepASecondMiddlewareAway() {
        StateFolder another = StateFolder.temporary("multimed-test-");
        try {
            assertThatThrownBy(() ->
                            Cluster.start(external.model(), another, step -> {}).close())
                    .hasMessageContaining("another middleware is running on this master");
        } finally {
            another.discard();
        }
    }
}
