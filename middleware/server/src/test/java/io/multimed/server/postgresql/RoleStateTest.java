// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static io.multimed.server.testing.RoleUsers.user;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.model.listen.UsersFile;
import io.multimed.server.testing.ParallelClients;
import io.multimed.server.testing.RoleUsers;
import io.multimed.server.testing.TestCluster;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients of different roles share the middleware, and neither rights, nor state of sessions, nor locks. */
@Tag("slow")
@Timeout(300)
class RoleStateTest {
    private static final String DENIED = "42501";
    private static final int ROUNDS = 25;
    private static final int ROWS = 40;

    @TempDir
    private static Path folder;

    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        Path file = folder.resolve("users");
        new UsersFile(List.of(user("boss", null), user("ann", null), user("bob", null), user("thief", null)))
                .write(file);
        cluster = TestCluster.of("""
                listen: {users-file: '%s'}
                share-cores: true
                freshness: {wait: 10s}
                cache: {size: 16m}
                nodes:
                - {name: master, role: master, memory: 128m, pool: 6}
                - {name: satellite, role: satellite, memory: 128m, pool: 3}
                """.formatted(file)).awaitOnline();
        for (String name : List.of("ann", "bob", "thief")) {
            try (Connection first = connect(name)) {
                text(first, "SELECT 1");
            }
        }
        for (String name : List.of("ann", "bob")) {
            asBoss(
                    "CREATE TABLE of_%s (id int PRIMARY KEY, v text)".formatted(name),
                    "INSERT INTO of_%1$s SELECT i, '%1$s' FROM generate_series(1, %2$d) i".formatted(name, ROWS),
                    "CREATE TABLE log_%s (who text NOT NULL DEFAULT current_user, also text DEFAULT session_user)"
                            .formatted(name),
                    "GRANT SELECT ON of_%1$s TO %1$s".formatted(name),
                    "GRANT INSERT ON log_%1$s TO %1$s".formatted(name));
        }
        asBoss("CREATE TABLE work (v text)", "GRANT INSERT ON work TO ann", "CREATE ROLE plain", "GRANT plain TO ann");
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static Connection connect(String name) throws SQLException {
        return RoleUsers.connect(cluster, name);
    }

    private static void asBoss(String... statements) throws SQLException {
        RoleUsers.asBoss(cluster, statements);
    }

    private interface Action {
        void run() throws SQLException;
    }

    private static void assertDenied(String what, Action action) {
        assertThatThrownBy(action::run)
                .as(what)
                .isInstanceOf(SQLException.class)
                .extracting("SQLState")
                .isEqualTo(DENIED);
    }

    /** The same connections of satellites serve both roles; those of the master do not. */
    @Test
    void eachWayToRunAStatementUsesTheClientsOwnRights() throws Exception {
        ParallelClients.run(6, client -> {
            String own = client % 2 == 0 ? "ann" : "bob";
            String other = client % 2 == 0 ? "bob" : "ann";
            try (Connection connection = connect(own)) {
                for (int round = 0; round < ROUNDS; round++) {
                    use(connection, own, other, round);
                }
            }
        });
        assertThat(cluster.onMaster("SELECT count(*) FROM log_ann WHERE who = 'ann' AND also = 'ann'"))
                .isEqualTo(cluster.onMaster("SELECT count(*) FROM log_ann"));
        assertThat(cluster.onMaster("SELECT count(*) FROM log_bob WHERE who = 'bob' AND also = 'bob'"))
                .isEqualTo(cluster.onMaster("SELECT count(*) FROM log_bob"));
        assertThat(cluster.onMaster("SELECT count(*) FROM log_bob")).isEqualTo(String.valueOf(3 * ROUNDS * 3));
    }

    private static void use(Connection connection, String own, String other, int round) throws SQLException {
        boolean transaction = round % 2 == 1;
        connection.setAutoCommit(!transaction);
        boolean readOnly = round % 4 == 3;
        connection.setReadOnly(readOnly);
        readRows(connection, own, round);
        try (PreparedStatement foreign = connection.prepareStatement("SELECT v FROM of_" + other + " WHERE id = ?")) {
            foreign.setInt(1, 1 + round % ROWS);
            foreign.setFetchSize(round % 3);
            assertDenied("read", () -> foreign.executeQuery().close());
        }
        end(connection, transaction);
        connection.setReadOnly(false);
        write(connection, own, other);
        end(connection, transaction);
    }

    private static void readRows(Connection connection, String own, int round) throws SQLException {
        try (PreparedStatement read = connection.prepareStatement("SELECT v FROM of_" + own + " ORDER BY id")) {
            read.setFetchSize(round % 3 * 5);
            try (ResultSet rows = read.executeQuery()) {
                int count = 0;
                while (rows.next()) {
                    assertThat(rows.getString(1)).isEqualTo(own);
                    count++;
                }
                assertThat(count).isEqualTo(ROWS);
            }
        }
    }

    private static void write(Connection connection, String own, String other) throws SQLException {
        boolean transaction = !connection.getAutoCommit();
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO log_" + own + " DEFAULT VALUES");
                PreparedStatement foreign =
                        connection.prepareStatement("INSERT INTO log_" + other + " DEFAULT VALUES");
                Statement batch = connection.createStatement()) {
            insert.executeUpdate();
            insert.addBatch();
            insert.addBatch();
            insert.executeBatch();
            end(connection, transaction);
            assertDenied("update", foreign::executeUpdate);
            end(connection, transaction);
            foreign.addBatch();
            foreign.addBatch();
            assertDenied("batch", foreign::executeBatch);
            end(connection, transaction);
            batch.addBatch("INSERT INTO log_" + own + " DEFAULT VALUES");
            batch.addBatch("INSERT INTO log_" + other + " DEFAULT VALUES");
            connection.setAutoCommit(false);
            assertDenied("script", batch::executeBatch);
            connection.rollback();
            connection.setAutoCommit(!transaction);
        }
    }

    private static void end(Connection connection, boolean transaction) throws SQLException {
        if (transaction) {
            try {
                connection.commit();
            } catch (SQLException e) {
                connection.rollback(); // a statement has failed
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET SESSION AUTHORIZATION bob",
                "SET LOCAL SESSION AUTHORIZATION bob",
                "SET ROLE bob",
                "SET ROLE plain",
                "RESET ROLE",
                "RESET SESSION AUTHORIZATION",
                "SET SESSION AUTHORIZATION DEFAULT",
                "SET ROLE NONE",
                "DISCARD ALL",
                "SELECT set_config('role', 'bob', false)",
                "SELECT set_config('role', 'none', false)",
                "SELECT set_config('session_authorization', 'bob', false)",
                "SELECT set_config('ro' || 'le', 'plain', false)",
                "DO $$ BEGIN EXECUTE 'SET RO' || 'LE bob'; END $$",
                "DO $$ BEGIN EXECUTE 'SET SESSION AUTHORIZATION bob'; END $$",
                "DO $$ BEGIN EXECUTE 'RESET SESSION AUTHORIZATION'; EXECUTE 'RESET ROLE'; END $$",
                "DO $$ BEGIN PERFORM set_config('role', 'plain', false); END $$",
                "DO $$ BEGIN PERFORM set_config('session_auth' || 'orization', 'postgres', false); END $$"
            })
    void noRoleBecomesAnother(String attack) throws SQLException {
        try (Connection ann = connect("ann");
                Connection next = connect("ann");
                Connection bob = connect("bob")) {
            for (boolean transaction : new boolean[] {false, true}) {
                ann.setAutoCommit(!transaction);
                try (Statement statement = ann.createStatement()) {
                    statement.execute(attack);
                } catch (SQLException e) {
                    assertThat(e.getSQLState()).isIn(DENIED, "0A000", "22023");
                    end(ann, transaction);
                }
                assertThat(text(ann, "SELECT session_user")).isEqualTo("ann");
                assertThat(text(ann, "SELECT current_user")).isIn("ann", "plain");
                assertDenied("as bob", () -> text(ann, "SELECT v FROM of_bob"));
                if (transaction) {
                    ann.rollback();
                }
                assertThat(text(next, "SELECT current_user || ' ' || session_user"))
                        .isEqualTo("ann ann");
                assertThat(text(bob, "SELECT current_user || ' ' || session_user"))
                        .isEqualTo("bob bob");
            }
        }
    }

    /** Clients come and go, so that each of their connections to the engine is used again, or closed. */
    @Test
    @Tag("exhaustive")
    void stateOfASessionIsSeenByNoOtherClient() throws SQLException {
        asBoss("CREATE SCHEMA IF NOT EXISTS lair AUTHORIZATION thief");
        String[] leaves = {
            "CREATE TEMP TABLE kept AS SELECT 'secret' AS v",
            "PREPARE kept AS SELECT 1",
            "SELECT pg_advisory_lock(77)",
            "SELECT pg_advisory_lock_shared(7, 7)",
            "SET statement_timeout = '7s'",
            "SET application_name = 'kept'",
            "SELECT set_config('app.kept', 'secret', false)",
            "SET search_path = lair",
            "DO $$ BEGIN EXECUTE 'LISTEN kept'; END $$",
            "DO $$ BEGIN EXECUTE 'PREPARE kept2 AS SELECT 1'; PERFORM pg_advisory_lock(78); PERFORM set_config('app.kept', 'secret', false); END $$",
            "DO $$ BEGIN EXECUTE 'DECLARE kept CURSOR WITH HOLD FOR SELECT 1'; END $$",
            "DO $$ BEGIN EXECUTE 'CREATE TEMP TABLE kept3 (a int)'; EXECUTE 'LISTEN kept3'; END $$",
            "SELECT lo_create(0)"
        };
        for (int way = 0; way < 4; way++) {
            Connection thief = connect("thief");
            thief.setAutoCommit(way % 2 == 0);
            for (String leave : leaves) {
                try (Statement statement = thief.createStatement()) {
                    statement.execute(leave);
                } catch (SQLException e) {
                    assertThat(e.getSQLState()).as(leave).isIn("0A000", DENIED);
                    end(thief, way % 2 == 1);
                }
                if (way == 3) {
                    end(thief, true);
                }
            }
            assertNothingIsLeft("while the client is connected", "thief");
            assertNothingIsLeft("for another role", "ann");
            if (way == 1) {
                thief.abort(Runnable::run);
            } else {
                thief.close();
            }
            for (int i = 0; i < 3; i++) {
                assertNothingIsLeft("after the client " + way, "thief");
            }
        }
        cluster.awaitUnpinned();
        await("no session has a lock")
                .atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(
                                cluster.onMaster(
                                        "SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE l.locktype = 'advisory' AND a.usename = 'thief'"))
                        .isEqualTo("0"));
    }

    private static void assertNothingIsLeft(String after, String role) throws SQLException {
        try (Connection first = connect(role);
                Connection second = connect(role)) {
            first.setAutoCommit(false);
            for (Connection client : List.of(first, second)) {
                assertThat(text(client, """
                        SELECT concat_ws(' ', (SELECT string_agg(relname, ',') FROM pg_class WHERE relnamespace = pg_my_temp_schema()),
                            (SELECT string_agg(name, ',') FROM pg_prepared_statements WHERE name LIKE 'kept%'),
                            (SELECT string_agg(name, ',') FROM pg_cursors WHERE name LIKE 'kept%'),
                            (SELECT string_agg(c, ',') FROM pg_listening_channels() c),
                            (SELECT string_agg(objid::text, ',') FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()),
                            current_setting('statement_timeout'), current_setting('search_path'), current_setting('app.kept', true),
                            nullif(current_setting('application_name'), 'multimed'))""")
                                .replaceAll(" PostgreSQL.*| multimed.*", "")
                                .trim())
                        .as(after)
                        .isEqualTo("0 \"$user\", public");
            }
            first.rollback();
        }
    }

    /** All keys that Multimed uses, in all forms, and many others. */
    @Test
    @Tag("exhaustive")
    void advisoryLocksDoNotKeepOthersFromTheirWork() throws Exception {
        long key = 0x6d756c74696d6564L; // the middleware's own
        try (Connection thief = connect("thief");
                Connection second = connect("thief")) {
            run(second, "SET statement_timeout = '200ms'");
            for (Connection each : List.of(thief, second)) {
                for (String function : List.of(
                        "pg_try_advisory_lock(%d)",
                        "pg_try_advisory_lock_shared(%d)",
                        "pg_try_advisory_xact_lock(%d)",
                        "pg_try_advisory_lock(" + (key >> 32) + ", " + (int) key + ")",
                        "pg_advisory_lock(1836411924, 1)")) {
                    tryTo(each, "SELECT " + function.formatted(key));
                }
            }
            tryTo(second, "SELECT pg_advisory_lock(%d)".formatted(key));
            tryTo(second, "SELECT pg_advisory_xact_lock_shared(%d)".formatted(key));
            tryTo(thief, "SELECT count(pg_advisory_lock(i)) FROM generate_series(1, 3000) i");
            for (String catalog : List.of("pg_class", "pg_proc", "pg_locks", "of_ann", "work")) {
                tryTo(second, "LOCK TABLE " + catalog);
            }
            assertOthersWork("held");
        }
        cluster.awaitUnpinned();
        assertOthersWork("let_go");
    }

    private static void tryTo(Connection client, String attack) {
        try (Statement statement = client.createStatement()) {
            statement.execute(attack);
        } catch (SQLException e) {
            assertThat(e.getSQLState()).as(attack).isNotNull();
        }
    }

    /** Commits, alone and in groups, changes of the schema, and their way to satellites. */
    private static void assertOthersWork(String table) throws Exception {
        ParallelClients.run(4, client -> {
            try (Connection ann = connect(client % 2 == 0 ? "ann" : "boss");
                    PreparedStatement insert = ann.prepareStatement("INSERT INTO work (v) VALUES ('a')")) {
                for (int i = 0; i < ROUNDS; i++) {
                    assertThat(insert.executeUpdate()).isEqualTo(1);
                }
            }
        });
        asBoss("CREATE TABLE %s (a int)".formatted(table), "INSERT INTO %s VALUES (1)".formatted(table));
        cluster.awaitApplied();
        try (Connection satellite = cluster.direct("satellite")) {
            assertThat(text(satellite, "SELECT a FROM " + table)).isEqualTo("1");
        }
    }

    /** On the engine itself, such a client keeps all others from their locks until it has left. */
    @Test
    @Tag("exhaustive")
    void theServiceRecoversFromAnExhaustedTableOfLocks() throws Exception {
        try (Connection thief = connect("thief")) {
            tryTo(thief, "SELECT count(pg_advisory_lock(i)) FROM generate_series(1, 1000000) i");
            tryTo(
                    thief,
                    "DO $$ BEGIN PERFORM pg_advisory_lock(i) FROM generate_series(1, 1000000) i; EXCEPTION WHEN OTHERS THEN NULL; END $$");
        }
        await("others work again")
                .atMost(Duration.ofSeconds(60))
                .ignoreExceptionsInstanceOf(SQLException.class)
                .until(() -> {
                    asBoss("INSERT INTO work (v) VALUES ('after')");
                    return true;
                });
        assertOthersWork("recovered");
    }

    /** Each change of the schema opens the connections to the master again. */
    @Test
    @Tag("exhaustive")
    void schemaChangesOfARoleFailNoStatementOfOthers() throws Exception {
        asBoss("CREATE SCHEMA IF NOT EXISTS lair AUTHORIZATION thief");
        AtomicInteger working = new AtomicInteger(2);
        ParallelClients.run(3, client -> {
            if (client == 2) {
                try (Connection thief = connect("thief")) {
                    while (working.get() > 0) {
                        run(
                                thief,
                                "CREATE TABLE lair.den (a int)",
                                "GRANT SELECT ON lair.den TO PUBLIC",
                                "DROP TABLE lair.den");
                    }
                }
                return;
            }
            try (Connection ann = connect("ann")) {
                for (int round = 0; round < 2 * ROUNDS; round++) {
                    ann.setAutoCommit(round % 2 == 0);
                    run(ann, "INSERT INTO work (v) VALUES ('storm')");
                    end(ann, round % 2 == 1);
                }
            } finally {
                working.decrementAndGet();
            }
        });
        assertThat(cluster.onMaster("SELECT count(*) FROM work WHERE v = 'storm'"))
                .isEqualTo(String.valueOf(4 * ROUNDS));
    }
}
