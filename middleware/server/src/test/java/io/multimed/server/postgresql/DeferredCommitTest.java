// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static io.multimed.server.testing.RoleUsers.user;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.multimed.engine.conformance.Sql;
import io.multimed.model.listen.UsersFile;
import io.multimed.server.testing.RoleUsers;
import io.multimed.server.testing.TestCluster;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Deferred constraints, deferred triggers and cursors WITH HOLD of one client do not delay the commits of the others:
 * the engine works on them before the transaction joins the commit order.
 */
@Tag("exhaustive")
@Timeout(600)
class DeferredCommitTest {
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    /** What a client sees of its commit: empty if it has succeeded, otherwise the SQLState. */
    private static final String COMMITTED = "";

    @TempDir
    private static Path folder;

    private static TestCluster cluster;
    private static Connection other;

    /** The connections of a test, which may wait for each other if it fails. */
    private final List<Connection> opened = new ArrayList<>();

    @BeforeAll
    static void start() throws Exception {
        Path file = folder.resolve("users");
        new UsersFile(List.of(user("boss", null), user("clerk", "clerk"))).write(file);
        cluster = TestCluster.of("""
                listen: {users-file: '%s'}
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: satellite, role: satellite, memory: 128m}
                """.formatted(file)).awaitOnline();
        try (Connection first = connect("clerk")) {
            text(first, "SELECT 1"); // creates the role
        }
        other = connect("boss");
        run(
                other,
                "CREATE TABLE other (id int PRIMARY KEY, n int NOT NULL)",
                "INSERT INTO other VALUES (1, 0)",
                "CREATE SCHEMA den",
                "GRANT ALL ON SCHEMA den TO clerk");
        try (Connection clerk = connect("clerk")) {
            run(
                    clerk,
                    "CREATE TABLE den.unique_key (id int UNIQUE DEFERRABLE INITIALLY DEFERRED)",
                    "CREATE TABLE den.parent (id int PRIMARY KEY)",
                    "CREATE TABLE den.foreign_key (id int REFERENCES den.parent DEFERRABLE INITIALLY DEFERRED)",
                    "CREATE TABLE den.exclusion (id int4range, EXCLUDE USING gist (id WITH &&) DEFERRABLE INITIALLY DEFERRED)",
                    "CREATE TABLE den.slow (id int)",
                    """
                    CREATE FUNCTION den.await_lock() RETURNS trigger LANGUAGE plpgsql AS $$
                    BEGIN
                        PERFORM pg_advisory_xact_lock(NEW.id);
                        RETURN NULL;
                    END $$""",
                    "CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON den.slow DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION den.await_lock()");
        }
    }

    @AfterAll
    static void stop() throws SQLException {
        other.close();
        cluster.close();
    }

    @AfterEach
    void abort() throws SQLException {
        for (Connection connection : opened) {
            connection.abort(Runnable::run);
        }
        cluster.awaitUnpinned();
    }

    private static Connection connect(String name) throws SQLException {
        return RoleUsers.connect(cluster, name);
    }

    private Connection open() throws SQLException {
        Connection connection = connect("clerk");
        opened.add(connection);
        return connection;
    }

    private Connection transaction(String... statements) throws SQLException {
        Connection connection = open();
        connection.setAutoCommit(false);
        run(connection, statements);
        return connection;
    }

    /** Opens a session of the engine that holds an advisory lock. */
    private Connection holder(int lock) throws SQLException {
        Connection connection = cluster.direct("master");
        opened.add(connection);
        text(connection, "SELECT pg_advisory_lock(" + lock + ")");
        return connection;
    }

    private static void release(Connection holder) throws SQLException {
        text(holder, "SELECT pg_advisory_unlock_all()");
    }

    /** Another client commits, in auto-commit and in transactions, although some transaction waits. */
    private static void assertOthersCommit() throws Exception {
        CompletableFuture.runAsync(() -> {
                    try (Connection explicit = connect("boss")) {
                        explicit.setAutoCommit(false);
                        for (int i = 0; i < 3; i++) {
                            run(other, "UPDATE other SET n = n + 1");
                            run(explicit, "UPDATE other SET n = n + 1");
                            explicit.commit();
                        }
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                })
                .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
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

    private static CompletableFuture<String> running(Connection connection, String sql) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                run(connection, sql);
                return COMMITTED;
            } catch (SQLException e) {
                return e.getSQLState();
            }
        });
    }

    /** Returns when a number of sessions of the master wait for a lock. */
    private static void awaitWaiting(int count) {
        await("sessions wait for a lock: see pg_locks")
                .atMost(PATIENCE)
                .until(() -> cluster.onMaster("SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted")
                        .equals(String.valueOf(count)));
    }

    private static String get(CompletableFuture<String> commit) throws Exception {
        return commit.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    /** A commit that waits for an advisory lock delays no other commit, and succeeds when the lock is released. */
    private void assertWaitsAlone(int lock, Callable<CompletableFuture<String>> begin) throws Exception {
        Connection holder = holder(lock);
        CompletableFuture<String> commit = begin.call();
        awaitWaiting(1);
        assertOthersCommit();
        release(holder);
        assertThat(get(commit)).isEqualTo(COMMITTED);
    }

    /** Runs and commits a statement. */
    private CompletableFuture<String> commit(String sql, boolean autoCommit) throws SQLException {
        return autoCommit ? running(open(), sql) : commit(transaction(sql));
    }

    /**
     * A client keeps a key, or a row, in an open transaction. A second one commits a change that is checked against it.
     */
    private void assertWaitsAlone(String kept, String checked, boolean autoCommit, String outcome) throws Exception {
        Connection keeper = transaction(kept);
        CompletableFuture<String> commit = commit(checked, autoCommit);
        awaitWaiting(1);
        assertOthersCommit();
        assertThat(commit).isNotDone();
        keeper.commit();
        assertThat(get(commit)).isEqualTo(outcome);
        assertEqual();
    }

    private static void assertEqual() throws SQLException {
        cluster.awaitApplied();
        assertThat(Sql.rows(other, "VERIFY MULTIMED")).isNotEmpty().allMatch(row -> row.contains("|equal|"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldWaitForAnOtherKeyAlone(boolean autoCommit) throws Exception {
        run(other, "DELETE FROM den.unique_key");
        String insert = "INSERT INTO den.unique_key VALUES (1)";
        assertWaitsAlone(insert, insert, autoCommit, "23505");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldWaitForAnOtherRangeAlone(boolean autoCommit) throws Exception {
        run(other, "DELETE FROM den.exclusion");
        String insert = "INSERT INTO den.exclusion VALUES ('[1,%d)')";
        assertWaitsAlone(insert.formatted(5), insert.formatted(7), autoCommit, "23P01");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldWaitForAParentAlone(boolean autoCommit) throws Exception {
        run(other, "DELETE FROM den.foreign_key", "DELETE FROM den.parent", "INSERT INTO den.parent VALUES (1)");
        String insert = "INSERT INTO den.foreign_key VALUES (1)";
        assertWaitsAlone("DELETE FROM den.parent WHERE id = 1", insert, autoCommit, "23503");
    }

    /** The lock of one in the engine, and the place of the other in the commit order, would wait for each other. */
    @Test
    void shouldCommitOneOfTwoEqualKeys() throws Exception {
        for (int key = 100; key < 110; key++) {
            String insert = "INSERT INTO den.unique_key VALUES (" + key + ")";
            Connection first = transaction(insert);
            Connection second = transaction(insert);
            List<CompletableFuture<String>> commits = new ArrayList<>();
            for (Connection each : key % 2 == 0 ? List.of(first, second) : List.of(second, first)) {
                commits.add(commit(each));
            }
            assertThat(List.of(get(commits.get(0)), get(commits.get(1)))).containsExactlyInAnyOrder(COMMITTED, "23505");
        }
        assertEqual();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldRunASlowTriggerAlone(boolean autoCommit) throws Exception {
        run(other, "DELETE FROM den.slow");
        assertWaitsAlone(7, () -> commit("INSERT INTO den.slow VALUES (7)", autoCommit));
        assertThat(text(other, "SELECT count(*) FROM den.slow")).isEqualTo("1");
        assertEqual();
    }

    /** Its table, function and trigger are not known before the transaction. */
    @Test
    void shouldRunASlowTriggerOfTheSameTransactionAlone() throws Exception {
        Connection slow = transaction(
                "CREATE TABLE den.own (id int)",
                "CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON den.own DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION den.await_lock()",
                "INSERT INTO den.own VALUES (8)");
        assertWaitsAlone(8, () -> commit(slow));
        assertThat(text(other, "SELECT count(*) FROM den.own")).isEqualTo("1");
        assertEqual();
    }

    /** The text was classified before, and its table had no such constraint or trigger. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "ALTER TABLE den.later ADD UNIQUE (id) DEFERRABLE INITIALLY DEFERRED",
                "ALTER TABLE den.later ADD FOREIGN KEY (id) REFERENCES den.group DEFERRABLE INITIALLY DEFERRED",
                "CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON den.later DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION den.await_lock()"
            })
    void shouldNoticeWorkThatIsAddedLater(String ddl) throws Exception {
        Connection owner = open();
        run(
                owner,
                "DROP TABLE IF EXISTS den.later, den.group",
                "CREATE TABLE den.later (id int)",
                "CREATE TABLE den.group (id int PRIMARY KEY)",
                "INSERT INTO den.group VALUES (3)");
        try (PreparedStatement insert = owner.prepareStatement("INSERT INTO den.later VALUES (?)")) {
            for (int round = 0; round < 10; round++) { // runs inside groups
                insert.setInt(1, 2);
                insert.executeUpdate();
                run(owner, "DELETE FROM den.later");
            }
            run(owner, ddl);
            Connection keeper = holder(3);
            keeper.setAutoCommit(false);
            run(keeper, ddl.contains("FOREIGN") ? "SELECT 1 FROM den.group FOR UPDATE" : "SELECT 1");
            Connection equal = transaction("INSERT INTO den.later VALUES (3)");
            CompletableFuture<String> commit = CompletableFuture.supplyAsync(() -> {
                try {
                    insert.setInt(1, 3);
                    insert.executeUpdate();
                    return COMMITTED;
                } catch (SQLException e) {
                    return e.getSQLState();
                }
            });
            awaitWaiting(1);
            assertOthersCommit();
            keeper.rollback();
            release(keeper);
            keeper.commit();
            equal.rollback();
            assertThat(get(commit)).isEqualTo(COMMITTED);
        }
    }

    /** No text that Multimed sees tells of the trigger. */
    @Test
    void shouldRunASlowTriggerAloneThatAnotherTriggerHasCreated() throws Exception {
        Connection slow = open();
        run(
                slow,
                "CREATE TABLE den.hiding (id int)",
                """
                CREATE FUNCTION den.hide() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    EXECUTE 'CREATE TEMP TABLE hidden (id int)';
                    EXECUTE 'CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON hidden DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION den.await_lock()';
                    EXECUTE 'INSERT INTO hidden VALUES (4)';
                    RETURN NEW;
                END $$""",
                "CREATE TRIGGER hide BEFORE INSERT ON den.hiding FOR EACH ROW EXECUTE FUNCTION den.hide()");
        assertWaitsAlone(4, () -> running(slow, "INSERT INTO den.hiding VALUES (1)"));
    }

    /** The trigger belongs to a table that only this session sees. */
    @Test
    void shouldRunASlowTriggerOfATemporaryTableAlone() throws Exception {
        Connection slow = open();
        run(
                slow,
                "CREATE TEMP TABLE own (id int)",
                "CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON own DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION den.await_lock()");
        assertWaitsAlone(6, () -> running(slow, "INSERT INTO own VALUES (6)"));
    }

    /** A deferred trigger changes a table that has one, too. */
    @Test
    void shouldRunATriggerAloneThatADeferredTriggerHasCaused() throws Exception {
        Connection slow = open();
        run(
                slow,
                "CREATE TABLE den.first (id int)",
                "CREATE FUNCTION den.go_on() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO den.slow VALUES (NEW.id); RETURN NULL; END'",
                "CREATE CONSTRAINT TRIGGER first AFTER INSERT ON den.first DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION den.go_on()");
        assertWaitsAlone(5, () -> running(slow, "INSERT INTO den.first VALUES (5)"));
        assertThat(text(other, "SELECT count(*) FROM den.slow WHERE id = 5")).isEqualTo("1");
        assertEqual();
    }

    /** Nothing is left of a commit whose client disconnects before it has joined the order. */
    @Test
    void shouldUndoTheTransactionOfAClientThatDisconnects() throws Exception {
        run(other, "DELETE FROM den.slow");
        holder(7);
        Connection slow = transaction("INSERT INTO den.slow VALUES (7)");
        CompletableFuture<String> unused = commit(slow);
        awaitWaiting(1);
        slow.abort(Runnable::run);
        awaitWaiting(0);
        assertOthersCommit();
        assertThat(text(other, "SELECT count(*) FROM den.slow")).isEqualTo("0");
    }

    /** The statement itself has ended then, and its changes are undone. */
    @Test
    void shouldUndoAStatementThatIsCanceledBeforeItsCommit() throws Exception {
        run(other, "DELETE FROM den.slow");
        Connection holder = holder(7);
        try (Statement statement = open().createStatement()) {
            CompletableFuture<Throwable> failure = CompletableFuture.supplyAsync(
                    () -> catchThrowable(() -> statement.execute("INSERT INTO den.slow VALUES (7)")));
            awaitWaiting(1);
            statement.cancel();
            assertThat(failure.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .extracting("SQLState")
                    .isEqualTo("57014");
        }
        assertThat(text(other, "SELECT count(*) FROM den.slow")).isEqualTo("0");
        release(holder);
        assertOthersCommit();
        assertEqual();
    }

    /** The engine computes the rows of such a cursor at the commit. */
    @Test
    void shouldComputeRowsOfACursorAlone() throws Exception {
        Connection reader = transaction(
                "DECLARE held CURSOR WITH HOLD FOR SELECT n, pg_advisory_xact_lock(9) FROM generate_series(1, 2) n");
        assertWaitsAlone(9, () -> commit(reader));
        assertThat(Sql.rows(reader, "FETCH ALL FROM held")).containsExactly("1|", "2|");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "DECLARE held CURSOR WITH HOLD FOR SELECT pg_advisory_xact_lock(9)",
                "DO $$ BEGIN EXECUTE 'DECL' || 'ARE held CURSOR WITH HO' || 'LD FOR SELECT pg_advisory_xact_lock(9)'; END $$"
            })
    void shouldRefuseSuchACursorInATransactionThatChangesRows(String declaration) throws Exception {
        run(other, "DELETE FROM den.parent");
        Connection writer = transaction(declaration, "INSERT INTO den.parent VALUES (77)");
        holder(9);
        CompletableFuture<String> commit = commit(writer);
        assertOthersCommit();
        assertThat(get(commit)).isEqualTo("0A000");
        assertThat(text(writer, "SELECT count(*) FROM den.parent WHERE id = 77"))
                .isEqualTo("0");
    }
}
