// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.ParallelClients;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The settings and prepared statements of connections that serve many clients do not change what a statement does. */
@Tag("slow")
@Timeout(600)
@Tag("standbys")
class SharedSessionsTest {
    /** More executions than a statement needs to be known as fast, and to remain prepared in the engine. */
    private static final int RUNS = 40;

    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.withSatellites("postgresql", 1).awaitOnline();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static void run(PreparedStatement statement, int number) throws SQLException {
        statement.setInt(1, number);
        assertThat(statement.executeUpdate()).isEqualTo(1);
    }

    private static void runOften(PreparedStatement statement) throws SQLException {
        for (int i = 0; i < RUNS; i++) {
            run(statement, i);
        }
    }

    /** A trigger must not catch the error of the time limit for locks that statements have in commit groups. */
    @Test
    void shouldWaitForALockThatATriggerNeedsAlthoughTheTriggerHandlesErrors() throws Exception {
        cluster.run(
                "CREATE TABLE counted (id int PRIMARY KEY)",
                "CREATE TABLE tally (n int)",
                "INSERT INTO tally VALUES (0)",
                "CREATE FUNCTION count_it() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE tally SET n = n + 1; RETURN NEW; EXCEPTION WHEN OTHERS THEN RETURN NEW; END $$",
                "CREATE TRIGGER counting BEFORE INSERT ON counted FOR EACH ROW EXECUTE FUNCTION count_it()");
        ExecutorService waiter = Executors.newSingleThreadExecutor();
        try (Connection holder = cluster.connect();
                Connection client = cluster.connect();
                PreparedStatement insert = client.prepareStatement("INSERT INTO counted VALUES (?)")) {
            runOften(insert);
            holder.setAutoCommit(false);
            Sql.run(holder, "UPDATE tally SET n = n");
            Future<?> waiting = waiter.submit(() -> {
                run(insert, RUNS);
                return null;
            });
            String blocked =
                    "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'INSERT INTO counted%'";
            while (!waiting.isDone() && "0".equals(cluster.onMaster(blocked))) {
                TimeUnit.MILLISECONDS.sleep(5);
            }
            TimeUnit.MILLISECONDS.sleep(200); // longer than the limits of a commit group
            holder.rollback();
            waiting.get(1, TimeUnit.MINUTES);
        } finally {
            waiter.shutdownNow();
        }
        assertThat(cluster.onMaster("SELECT n FROM tally")).isEqualTo(String.valueOf(RUNS + 1));
        cluster.run("DROP TABLE counted", "DROP FUNCTION count_it()");
    }

    /** The engine reads the constant when it parses the statement. */
    @Test
    void shouldNotStoreTheTimeOfAnEarlierClient() throws Exception {
        cluster.run("CREATE TABLE stamped (id int PRIMARY KEY, at timestamptz)");
        for (int i = 0; i < RUNS; i++) {
            try (Connection client = cluster.connect();
                    PreparedStatement insert = client.prepareStatement("INSERT INTO stamped VALUES (?, 'now')")) {
                run(insert, i);
            }
        }
        assertThat(cluster.onMaster("SELECT count(DISTINCT at) FROM stamped")).isEqualTo(String.valueOf(RUNS));
    }

    @Test
    void shouldNotReadTheTimeOfAnEarlierClient() throws Exception {
        cluster.run("CREATE TABLE single (id int PRIMARY KEY)", "INSERT INTO single VALUES (1)");
        Set<String> times = new HashSet<>();
        for (int i = 0; i < RUNS; i++) {
            try (Connection client = cluster.connect();
                    PreparedStatement read =
                            client.prepareStatement("SELECT timestamptz 'now' FROM single WHERE id = ?")) {
                read.setInt(1, 1);
                try (ResultSet row = read.executeQuery()) {
                    assertThat(row.next()).isTrue();
                    times.add(row.getString(1));
                }
            }
        }
        assertThat(times).hasSize(RUNS);
    }

    /** A level that the statement does not request is the default of the database, also in commit groups. */
    @Test
    void shouldRunAtTheIsolationLevelOfTheDatabase() throws Exception {
        cluster.run("CREATE TABLE levels (id int PRIMARY KEY, level text)");
        level("serializable");
        try (Connection client = cluster.connect();
                PreparedStatement insert = client.prepareStatement(
                        "INSERT INTO levels VALUES (?, current_setting('transaction_isolation'))")) {
            runOften(insert);
            assertThat(cluster.onMaster("SELECT string_agg(DISTINCT level, ',') FROM levels"))
                    .isEqualTo("serializable");
            Sql.run(client, "TRUNCATE levels");
            client.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            runOften(insert);
            assertThat(cluster.onMaster("SELECT string_agg(DISTINCT level, ',') FROM levels"))
                    .isEqualTo("read committed");
        } finally {
            level("read committed");
        }
    }

    private static void level(String name) throws Exception {
        try (Connection direct = cluster.direct("master")) {
            Sql.run(direct, "ALTER DATABASE shop SET default_transaction_isolation = '%s'".formatted(name));
        }
        cluster.restartMiddleware();
        cluster.awaitOnline();
    }

    /** The driver would join the inserts of a batch, which are those of several clients, and count no rows. */
    @Tag("exhaustive")
    @Test
    void shouldCountTheRowOfEachInsertWhateverTheUrlOfTheEngineSays() throws Exception {
        try (TestCluster engines = TestCluster.withSatellites("postgresql", 0)) {
            engines.middleware().close();
            RunningEngine master = engines.engine("master");
            countInserts("""
                    engine: postgresql
                    share-cores: true
                    nodes:
                    - {name: master, role: master, source: external, url: "%s%sreWriteBatchedInserts=true", user: "%s", password: "%s"}
                    """.formatted(
                    master.jdbcUrl(), master.jdbcUrl().contains("?") ? "&" : "?", master.user(), master.password()));
        }
    }

    private static void countInserts(String model) throws Exception {
        try (TestCluster external = TestCluster.of(model)) {
            external.run("CREATE TABLE counted_rows (id int PRIMARY KEY)");
            ParallelClients.execute(
                    external,
                    16,
                    "INSERT INTO counted_rows VALUES (?)",
                    60,
                    (insert, client, round) -> run(insert, 16 * round + client));
        }
    }
}
