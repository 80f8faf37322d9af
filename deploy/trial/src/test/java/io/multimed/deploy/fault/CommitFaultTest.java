// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.multimed.deploy.load.CountingClient;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests the outcomes of commits that clients receive when a process is killed, or another commit fails, during the
 * commit.
 */
@Tag("exhaustive")
class CommitFaultTest extends FaultsUnderLoad {
    private static final int CHILDREN = 60;

    private static final List<String> SLOW_COMMITS = List.of(
            "CREATE TABLE slow (seconds int)",
            "GRANT ALL ON slow TO pg_monitor",
            "CREATE FUNCTION take_time() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(NEW.seconds); RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON slow DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION take_time()");

    /** Statements that change the name, or the role, of a session. */
    private static final List<String> DISGUISES =
            List.of("SET application_name = 'x'", "SET LOCAL application_name = ''", "SET ROLE pg_monitor");

    CommitFaultTest(String engine) {
        super(engine);
    }

    @Test
    void shouldLetAMemberOfACommitGroupFailAlone() throws Exception {
        assumeTrue(engine().equals("postgresql"), "no deferred triggers in " + engine());
        try (Connection connection = bed().straight().connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE parent (id int PRIMARY KEY)");
            statement.execute("INSERT INTO parent VALUES (0)");
            statement.execute(
                    "CREATE TABLE child (id int PRIMARY KEY, parent int REFERENCES parent DEFERRABLE INITIALLY DEFERRED)");
        }
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
        try {
            List<Future<Integer>> failures = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                int client = i;
                failures.add(clients.submit(() -> insertChildren(client)));
            }
            for (Future<Integer> failed : failures) {
                assertThat(failed.get()).isEqualTo(CHILDREN / 2);
            }
        } finally {
            clients.shutdownNow();
        }
        assertThat(rows("master", "child")).hasSize(CLIENTS * CHILDREN / 2);
        assertSameRows("child");
    }

    /** Commits rows of which every other one violates a deferred foreign key; returns the number of failures. */
    private static int insertChildren(int client) throws SQLException {
        int failed = 0;
        try (Connection connection = bed().straight().connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            for (int i = 0; i < CHILDREN; i++) {
                statement.executeUpdate("INSERT INTO child VALUES (%d, %d)".formatted(client * CHILDREN + i, i % 2));
                try {
                    connection.commit();
                } catch (SQLIntegrityConstraintViolationException e) {
                    assertThat(e.getSQLState()).isEqualTo("23503");
                    failed++;
                }
            }
        }
        return failed;
    }

    /**
     * The COMMITs, delayed by a trigger, are in progress when the middleware is killed. The next middleware must not
     * report outcomes before they have ended.
     */
    @Test
    void shouldEndSessionsThatTheirClientsHaveRenamed() throws Exception {
        assumeTrue(engine().equals("postgresql"), "no deferred triggers in " + engine());
        try (Connection connection = bed().straight().connect();
                Statement statement = connection.createStatement()) {
            for (String sql : SLOW_COMMITS) {
                statement.execute(sql);
            }
        }
        ExecutorService clients = Executors.newFixedThreadPool(DISGUISES.size() + 1);
        try (Connection judge = bed().direct("master")) {
            // While this transaction commits, the others join the next group.
            Future<String> first = clients.submit(() -> commitSlowly("RESET ALL", 3));
            await("the first commit sleeps in its trigger: see pg_stat_activity")
                    .atMost(FaultTestCluster.PATIENCE)
                    .until(() -> sleeping(judge) == 1);
            List<Future<String>> ends = new ArrayList<>();
            for (String disguise : DISGUISES) {
                ends.add(clients.submit(() -> commitSlowly(disguise, 100)));
            }
            await("the first commit has ended, and the second group sleeps in its triggers: see pg_stat_activity")
                    .atMost(FaultTestCluster.PATIENCE)
                    .until(() -> first.isDone() && sleeping(judge) == DISGUISES.size());
            bed().middleware().kill();
            bed().middleware().start();
            for (Future<String> end : ends) {
                assertThat(end.get()).isEqualTo("40001");
            }
            assertThat(sleeping(judge)).isZero();
            assertThat(first.get()).isEmpty();
        } finally {
            clients.shutdownNow();
        }
        bed().awaitWhole();
        assertSameRows("slow");
    }

    private static void awaitMore(List<CountingClient> counting, long updates) {
        long before = counting.stream().mapToLong(CountingClient::count).sum();
        await("updates are acknowledged: see the clients' errors and the middleware's output")
                .atMost(FaultTestCluster.PATIENCE)
                .until(() -> counting.stream().mapToLong(CountingClient::count).sum() > before + updates);
    }

    /** Returns the SQLState with which the commit fails; empty if it succeeds. */
    private static String commitSlowly(String disguise, int seconds) throws SQLException {
        Connection connection = bed().straight().connect();
        try (Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute(disguise);
            statement.execute("INSERT INTO slow VALUES (%d)".formatted(seconds));
            connection.commit();
            return "";
        } catch (SQLException e) {
            return e.getSQLState();
        } finally {
            connection.close();
        }
    }

    private static int sleeping(Connection judge) throws SQLException {
        try (Statement statement = judge.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND query NOT LIKE '%0.002%'")) {
            row.next();
            return row.getInt(1);
        }
    }

    /** The counters must equal the acknowledged increments. */
    @Test
    void shouldReportOnlyDocumentedErrorsForUpdatesWhenTheMasterDies() throws Exception {
        try (Connection connection = bed().straight().connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE counted (id int PRIMARY KEY, n int NOT NULL)");
            for (int i = 0; i < CLIENTS; i++) {
                statement.execute("INSERT INTO counted VALUES (%d, 0)".formatted(i));
            }
        }
        List<CountingClient> counting = new ArrayList<>();
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
        try {
            for (int i = 0; i < CLIENTS; i++) {
                counting.add(new CountingClient(bed().straight(), i));
            }
            counting.forEach(clients::execute);
            for (boolean gently : new boolean[] {false, true, false}) {
                awaitMore(counting, 300);
                bed().restartMaster(gently);
            }
            awaitMore(counting, 300);
        } finally {
            counting.forEach(CountingClient::stop);
            clients.shutdown();
        }
        assertThat(clients.awaitTermination(90, TimeUnit.SECONDS)).isTrue();
        assertThat(counting)
                .allSatisfy(client -> assertThat(client.troubles()).isEmpty())
                .anySatisfy(client -> assertThat(client.states()).contains("40001"));
        List<String> counted = counting.stream()
                .map(client -> "[%d, %d]".formatted(client.id(), client.count()))
                .toList();
        assertThat(rows("master", "counted")).hasSameElementsAs(counted);
        bed().awaitWhole();
        assertSameRows("counted");
    }
}
