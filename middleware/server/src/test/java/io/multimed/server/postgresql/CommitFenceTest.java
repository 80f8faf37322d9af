// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static io.multimed.server.testing.RoleUsers.user;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.engine.conformance.Sql;
import io.multimed.model.listen.UsersFile;
import io.multimed.server.testing.Monitored;
import io.multimed.server.testing.RoleUsers;
import io.multimed.server.testing.TestCluster;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A transaction that waits, or takes long, inside the commit order leaves the order alone, with its own error. */
@Tag("exhaustive")
@Timeout(600)
class CommitFenceTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String COMMITTED = "";
    private static final String NO_LOCK = "55P03";
    private static final String CANCELED = "57014";
    private static final String SUSPENDED = "53400";

    @TempDir
    private static Path folder;

    private static final int ROLES = 20;
    private static final AtomicInteger NEXT = new AtomicInteger();

    private static TestCluster cluster;

    /** The connections of a test, which may wait for each other if it fails. */
    private final List<Connection> opened = new ArrayList<>();

    @BeforeAll
    static void start() throws Exception {
        Path file = folder.resolve("users");
        List<UsersFile.Entry> users = new ArrayList<>(List.of(user("boss", null)));
        IntStream.range(0, ROLES).forEach(i -> users.add(user(role(i), role(i))));
        new UsersFile(users).write(file);
        cluster = TestCluster.of("""
                listen: {users-file: '%s'}
                monitoring: {port: 0}
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: satellite, role: satellite, memory: 128m}
                """.formatted(file)).awaitOnline();
        RoleUsers.asBoss(
                cluster,
                "CREATE TABLE other (id int PRIMARY KEY, n int NOT NULL)",
                "INSERT INTO other VALUES (1, 0)",
                "CREATE SCHEMA den",
                "GRANT USAGE ON SCHEMA den TO PUBLIC",
                "CREATE TABLE den.late (remaining int, deed text)",
                "GRANT SELECT, INSERT ON den.late TO PUBLIC",
                // each run defers the trigger again: the last one is later than all that Multimed does before
                """
                CREATE FUNCTION den.come_again() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    SET CONSTRAINTS den.again DEFERRED;
                    IF NEW.remaining > 0 THEN
                        INSERT INTO den.late VALUES (NEW.remaining - 1, NEW.deed);
                    ELSE
                        EXECUTE NEW.deed;
                    END IF;
                    RETURN NULL;
                END $$""",
                "CREATE CONSTRAINT TRIGGER again AFTER INSERT ON den.late DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION den.come_again()");
    }

    private static String role(int number) {
        return "clerk" + number;
    }

    /** Returns a role that has not held up commits yet. */
    private static String nextRole() {
        return role(NEXT.getAndIncrement());
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @AfterEach
    void abort() throws SQLException {
        for (Connection connection : opened) {
            connection.abort(Runnable::run);
        }
        cluster.awaitUnpinned();
    }

    private Connection transaction(String user, String... statements) throws SQLException {
        Connection connection = RoleUsers.connect(cluster, user);
        opened.add(connection);
        connection.setAutoCommit(false);
        run(connection, statements);
        return connection;
    }

    /** Opens a transaction of a direct connection to the master. */
    private Connection direct(String... statements) throws SQLException {
        Connection connection = cluster.direct("master");
        opened.add(connection);
        connection.setAutoCommit(false);
        run(connection, statements);
        return connection;
    }

    private static CompletableFuture<String> commit(Connection connection) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                connection.commit();
                return COMMITTED;
            } catch (SQLException e) {
                return e.getSQLState();
            }
        });
    }

    private static String get(CompletableFuture<String> commit) throws Exception {
        return commit.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    /** Other clients wait for a limited time, and commit. The transaction itself has left nothing. */
    private void assertLeavesAlone(Connection offender, String state, String trace) throws Exception {
        double stopped = Monitored.metric(cluster, "multimed_commits_stopped_total");
        CompletableFuture<String> commit = commit(offender);
        List<CompletableFuture<String>> others = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            others.add(commit(
                    transaction("boss", "INSERT INTO other VALUES (" + System.nanoTime() % 1_000_000_000 + ", 0)")));
        }
        assertThat(get(commit)).isEqualTo(state);
        for (CompletableFuture<String> other : others) {
            assertThat(get(other)).isEqualTo(COMMITTED);
        }
        assertThat(Monitored.metric(cluster, "multimed_commits_stopped_total")).isGreaterThan(stopped);
        Connection reader = transaction("boss");
        assertThat(text(reader, trace)).isEqualTo("0");
        reader.commit();
        cluster.awaitApplied();
        reader.setAutoCommit(true);
        assertThat(Sql.rows(reader, "VERIFY MULTIMED")).isNotEmpty().allMatch(row -> row.contains("|equal|"));
    }

    /** The trigger runs before the transaction joins the order, in the seal, and at the COMMIT. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldStopATriggerThatSleeps(int remaining) throws Exception {
        Connection offender = transaction(
                nextRole(), "INSERT INTO den.late VALUES (%d, 'SELECT pg_sleep(600)')".formatted(remaining));
        assertLeavesAlone(offender, CANCELED, "SELECT count(*) FROM den.late");
        assertThat(text(offender, "SELECT 1")).as("the session continues").isEqualTo("1");
    }

    @Test
    void shouldStopATriggerThatComputes() throws Exception {
        Connection offender = transaction(
                nextRole(),
                "INSERT INTO den.late VALUES (1, 'SELECT count(*) FROM generate_series(1, 1000000000000)')");
        assertLeavesAlone(offender, CANCELED, "SELECT count(*) FROM den.late");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldStopATriggerThatWaitsForALock(int remaining) throws Exception {
        direct("SELECT pg_advisory_lock(5)");
        Connection offender = transaction(
                nextRole(),
                "INSERT INTO den.late VALUES (%d, 'SELECT set_config(''lock_timeout'', ''0'', true), pg_advisory_xact_lock(5)')"
                        .formatted(remaining));
        assertLeavesAlone(offender, NO_LOCK, "SELECT count(*) FROM den.late");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldBreakOffATriggerThatCatchesTheCancelRequest(int remaining) throws Exception {
        String stubborn =
                "DO $$ BEGIN LOOP BEGIN PERFORM pg_sleep(600); EXCEPTION WHEN query_canceled THEN NULL; END; END LOOP; END $$";
        Connection offender =
                transaction(nextRole(), "INSERT INTO den.late VALUES (%d, '%s')".formatted(remaining, stubborn));
        assertLeavesAlone(offender, CANCELED, "SELECT count(*) FROM den.late");
    }

    /** Otherwise a client could hold up all commits again and again. */
    @Test
    void shouldRefuseSuchCommitsOfTheRoleForSomeTime() throws Exception {
        String role = nextRole();
        String sleeping = "INSERT INTO den.late VALUES (1, 'SELECT pg_sleep(600)')";
        String harmless = "INSERT INTO den.late VALUES (0, 'SELECT 1')";
        assertLeavesAlone(transaction(role, sleeping), CANCELED, "SELECT count(*) FROM den.late");
        assertThat(get(commit(transaction(role, sleeping)))).isEqualTo(SUSPENDED);
        assertThat(get(commit(transaction(nextRole(), harmless))))
                .as("another role")
                .isEqualTo(COMMITTED);
        await("the role is not suspended any more").atMost(PATIENCE).untilAsserted(() -> {
            try (Connection again = transaction(role, harmless)) { // the trigger's EXECUTE pins it
                assertThat(get(commit(again))).isEqualTo(COMMITTED);
            }
        });
        RoleUsers.asBoss(cluster, "DELETE FROM den.late");
    }

    /** Each kind of wait is too short for its own limit; the trigger ends by itself if it is not stopped. */
    @Test
    void shouldStopATriggerThatSleepsAndComputesInTurn() throws Exception {
        String changing = """
                DO $d$
                DECLARE t timestamptz := clock_timestamp();
                BEGIN
                    FOR k IN 0..24 LOOP
                        PERFORM pg_sleep(extract(epoch FROM t + (2 * k + 1) * interval '0.101 s' - clock_timestamp()));
                        WHILE clock_timestamp() < t + (2 * k + 2) * interval '0.101 s' LOOP
                        END LOOP;
                    END LOOP;
                END $d$""";
        Connection offender =
                transaction(nextRole(), "INSERT INTO den.late VALUES (1, '%s')".formatted(changing.replace("'", "''")));
        assertLeavesAlone(offender, CANCELED, "SELECT count(*) FROM den.late");
    }

    /** Each commit is shorter than the limit of one, and some break their connection themselves. */
    @ParameterizedTest
    @ValueSource(strings = {"SET LOCAL work_mem = '4MB'", "SET LOCAL transaction_timeout = '900ms'"})
    void shouldSuspendARoleWhoseCommitsTogetherTakeLong(String setting) throws Exception {
        String role = nextRole();
        String sleeping = "INSERT INTO den.late VALUES (1, 'SELECT pg_sleep(%s)')"
                .formatted(setting.contains("timeout") ? "600" : "0.8");
        List<String> states = new ArrayList<>();
        for (int i = 0; i < 15 && !states.contains(SUSPENDED); i++) {
            states.add(get(commit(transaction(role, setting, sleeping))));
        }
        assertThat(states).contains(SUSPENDED);
        assertThat(states.subList(0, 3)).as("a few are permitted").doesNotContain(SUSPENDED);
        assertThat(get(commit(transaction(nextRole(), "INSERT INTO den.late VALUES (0, 'SELECT 1')"))))
                .as("another role")
                .isEqualTo(COMMITTED);
        RoleUsers.asBoss(cluster, "DELETE FROM den.late");
    }

    /** At the commit, the engine empties a temporary table. */
    @Test
    void shouldStopACommitThatWaitsForALockOnATemporaryTable() throws Exception {
        Connection owner = transaction("boss", "CREATE TEMP TABLE scratch (id int) ON COMMIT DELETE ROWS");
        owner.commit(); // only then other sessions see the table
        run(owner, "INSERT INTO scratch VALUES (1)", "CREATE TABLE never (id int)");
        String schema = text(owner, "SELECT pg_my_temp_schema()::regnamespace");
        direct("LOCK TABLE " + schema + ".scratch IN ACCESS SHARE MODE");
        assertLeavesAlone(owner, NO_LOCK, "SELECT count(*) FROM pg_class WHERE relname = 'never'");
    }

    /** The owner of the database locks a table that all commits need: none can succeed, and the status says so. */
    @Test
    void shouldReportThatNoCommitSucceeds() throws Exception {
        assertThat(Monitored.get(cluster, "/health/ready")).isEqualTo("ready\n");
        Connection owner =
                direct("LOCK TABLE multimed.sealed_0, multimed.sealed_1, multimed.sealed_2, multimed.sealed_3");
        await("the middleware is not ready").atMost(PATIENCE).untilAsserted(() -> {
            assertThat(get(commit(transaction("boss", "UPDATE other SET n = n + 1"))))
                    .isEqualTo(NO_LOCK);
            assertThat(Monitored.get(cluster, "/health/ready")).contains("no commit has ended for", "Lock relation");
        });
        assertThat(Monitored.metric(cluster, "multimed_commit_standstill_seconds"))
                .isPositive();
        owner.rollback();
        assertThat(get(commit(transaction("boss", "UPDATE other SET n = n + 1"))))
                .isEqualTo(COMMITTED);
        assertThat(Monitored.get(cluster, "/health/ready")).isEqualTo("ready\n");
    }
}
