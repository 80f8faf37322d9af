// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static io.multimed.server.testing.RoleUsers.awaitSatellite;
import static io.multimed.server.testing.RoleUsers.user;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.multimed.engine.conformance.Sql;
import io.multimed.model.listen.UsersFile;
import io.multimed.server.testing.RoleUsers;
import io.multimed.server.testing.TestCluster;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A role that may create objects in a schema of its own harms neither other roles nor the satellites. */
@Tag("slow")
@Timeout(600)
class RoleAttacksTest {
    private static final String DENIED = "42501";

    @TempDir
    private static Path folder;

    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        Path file = folder.resolve("users");
        new UsersFile(List.of(user("boss", null), user("thief", "thief"), user("guest", null), user("late", null)))
                .write(file);
        cluster = TestCluster.of("""
                listen: {users-file: '%s'}
                freshness: {wait: 10s}
                cache: {size: 64m}
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: satellite, role: satellite, memory: 128m}
                """.formatted(file));
        for (String name : List.of("thief", "guest", "late")) {
            try (Connection first = connect(name)) {
                text(first, "SELECT 1");
            }
        }
        asBoss(
                "CREATE TABLE item (id int PRIMARY KEY, v text)",
                "INSERT INTO item SELECT i, 'v' || i FROM generate_series(1, 10) i",
                "GRANT SELECT ON item TO thief, guest",
                "CREATE SCHEMA den",
                "GRANT ALL ON SCHEMA den TO thief");
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

    private static String epoch() throws SQLException {
        try (Connection master = cluster.direct("master")) {
            return text(master, "SELECT epoch FROM multimed.base");
        }
    }

    private static void assertDenied(Connection connection, String query) {
        assertThatThrownBy(() -> text(connection, query))
                .isInstanceOf(SQLException.class)
                .extracting("SQLState")
                .isEqualTo(DENIED);
    }

    /** A role that learned the epoch could write receipts of other clients, and end the capture of its own tables. */
    @Test
    void parametersOfSealsAreNotVisibleInErrors() throws SQLException {
        String epoch = epoch();
        try (Connection thief = connect("thief")) {
            run(
                    thief,
                    "CREATE TABLE den.parent (id int PRIMARY KEY)",
                    "CREATE TABLE den.child (id int REFERENCES den.parent DEFERRABLE INITIALLY DEFERRED)",
                    "CREATE TABLE den.loot (v text)",
                    """
                    CREATE FUNCTION den.look() RETURNS trigger LANGUAGE plpgsql AS $$
                    DECLARE
                        c text;
                    BEGIN
                        GET DIAGNOSTICS c = PG_CONTEXT;
                        INSERT INTO den.loot VALUES (c), (current_query());
                        RETURN NULL;
                    END $$""",
                    "CREATE TABLE den.bait (id int)",
                    "CREATE CONSTRAINT TRIGGER look AFTER INSERT ON den.bait DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION den.look()",
                    "SET log_parameter_max_length_on_error = -1");
            thief.setAutoCommit(false);
            run(thief, "INSERT INTO den.child VALUES (1)");
            assertThatThrownBy(thief::commit)
                    .message()
                    .contains("child_id_fkey")
                    .doesNotContain(epoch);
            thief.rollback();
            run(thief, "INSERT INTO den.bait VALUES (1)");
            thief.commit();
            assertThat(Sql.rows(thief, "SELECT v FROM den.loot").toString())
                    .contains("SET CONSTRAINTS")
                    .doesNotContain(epoch);
            thief.commit();
        }
    }

    @Test
    @Tag("exhaustive")
    void parametersOfAdmissionsAreNotVisibleInErrors() throws SQLException {
        String epoch = epoch();
        asBoss(
                "ALTER ROLE late SET log_parameter_max_length_on_error = -1",
                "ALTER ROLE late SET lock_timeout = '1ms'");
        try (Connection master = cluster.direct("master");
                Connection first = connect("late");
                Connection late = connect("late")) {
            first.setAutoCommit(false);
            text(first, "SELECT pg_backend_pid()"); // keeps the only connection of the role for transactions
            master.setAutoCommit(false);
            late.setAutoCommit(false);
            text(master, "SELECT epoch FROM multimed.base FOR UPDATE");
            assertThatThrownBy(() -> text(late, "SELECT pg_backend_pid()"))
                    .message()
                    .contains("lock timeout")
                    .doesNotContain(epoch);
            master.rollback();
        }
    }

    /** Sessions of a role see the texts that other sessions of the role are running. */
    @Test
    void statementsOutsideOfTransactionsDoNotShowTheEpoch() throws Exception {
        String epoch = epoch();
        try (Connection thief = connect("thief");
                Connection other = connect("thief");
                Connection master = cluster.direct("master")) {
            run(thief, "CREATE TABLE den.slow (v int)");
            text(other, "SELECT count(*) FROM pg_stat_activity");
            master.setAutoCommit(false);
            run(master, "LOCK TABLE multimed.base IN ACCESS EXCLUSIVE MODE");
            CompletableFuture<Void> creation = CompletableFuture.runAsync(() -> {
                try {
                    run(thief, "CREATE INDEX CONCURRENTLY slow_v ON den.slow (v)");
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            String running =
                    "SELECT string_agg(query, ' ') FROM pg_stat_activity WHERE query LIKE '%begin' || '_later%'";
            await().atMost(Duration.ofSeconds(9))
                    .untilAsserted(() -> assertThat(text(other, running)).contains("begin_later"));
            String seen = text(other, running);
            master.rollback();
            creation.get(60, TimeUnit.SECONDS);
            assertThat(seen).doesNotContain(epoch);
            assertThat(text(thief, "SELECT count(*) FROM pg_class WHERE relname = 'slow_v'"))
                    .isEqualTo("1");
        }
    }

    /** Satellites do not know the barrier: an error would show the rows behind it. */
    @Test
    @Tag("exhaustive")
    void securityBarriersHold() throws SQLException {
        asBoss(
                "CREATE TABLE letter (id int, owner text)",
                "INSERT INTO letter VALUES (1, 'thief'), (2, 'boss')",
                "CREATE VIEW own_letter WITH (security_barrier) AS SELECT id FROM letter WHERE replace(upper(lower(owner)), 'A', 'A') = 'THIEF'",
                "GRANT SELECT ON own_letter TO thief");
        try (Connection thief = connect("thief")) {
            awaitSatellite(thief, "SELECT v FROM item WHERE id = 4");
            for (int i = 0; i < 3; i++) {
                assertThat(text(thief, "SELECT id FROM own_letter WHERE 1 / (id - 2) <> 7"))
                        .isEqualTo("1");
            }
        }
    }

    @Test
    void namesWithSignsAreCompared() throws SQLException {
        String[] names = {"\"va`ult\"", "va$ult2", "vault3\u20ac", "\"Va ult4\"", "\"VAULT5\"", "\"va\"\"ult6\""};
        for (String name : names) {
            asBoss("CREATE TABLE " + name + " (v text)", "INSERT INTO " + name + " VALUES ('hidden')");
        }
        try (Connection thief = connect("thief")) {
            awaitSatellite(thief, "SELECT v FROM item WHERE id = 5");
            for (String name : names) {
                assertDenied(thief, "SELECT v FROM " + name);
            }
        }
    }

    /** The function fails in one of five calls, so that it soon fails on a satellite only. */
    @Test
    void functionsOfRolesDoNotStopSatellites() throws SQLException {
        try (Connection thief = connect("thief");
                Connection satellite = cluster.direct("satellite")) {
            run(
                    thief,
                    "CREATE TABLE den.trap (id int PRIMARY KEY)",
                    "CREATE FUNCTION den.trip(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT CASE WHEN random() < 0.2 THEN 1 / ($1 - $1) ELSE $1 END'",
                    "CREATE INDEX ON den.trap (den.trip(id))");
            int inserted = 0;
            for (int i = 0; i < 50; i++) {
                String insertion = "INSERT INTO den.trap VALUES (" + i + ")";
                inserted += catchThrowable(() -> run(thief, insertion)) == null ? 1 : 0;
            }
            String rows = String.valueOf(inserted);
            await().atMost(Duration.ofSeconds(20))
                    .untilAsserted(() -> assertThat(text(satellite, "SELECT count(*) FROM den.trap"))
                            .isEqualTo(rows));
            assertThat(text(satellite, "SELECT count(*) FROM pg_index WHERE indrelid = 'den.trap'::regclass"))
                    .isEqualTo("1");
            run(thief, "DROP TABLE den.trap", "DROP FUNCTION den.trip(int)");
        }
    }

    @Test
    @Tag("exhaustive")
    void rolesCannotLockThemselvesOutByTheirPassword() throws SQLException {
        try (Connection first = connect("guest");
                Connection second = connect("guest");
                Connection third = connect("guest")) {
            for (Connection each : List.of(first, second, third)) { // each keeps a connection of its own
                each.setAutoCommit(false);
                assertThat(text(each, "SELECT session_user || pg_backend_pid()"))
                        .startsWith("guest");
                run(each, "ALTER ROLE guest PASSWORD 'other'");
                each.commit();
                assertThat(text(each, "SELECT session_user || pg_backend_pid()"))
                        .startsWith("guest");
            }
        }
    }

    @Test
    @Tag("exhaustive")
    void tablesOfRolesReachSatellitesWhateverTheirOwnersDoWithTriggers() throws SQLException {
        try (Connection thief = connect("thief")) {
            run(
                    thief,
                    "CREATE TABLE den.big (id int PRIMARY KEY, v text)",
                    "INSERT INTO den.big SELECT i, repeat('x', 100) FROM generate_series(1, 1000) i",
                    "CREATE INDEX CONCURRENTLY ON den.big (v)",
                    "VACUUM den.big",
                    "TRUNCATE den.big",
                    "ALTER TABLE den.big DISABLE TRIGGER USER",
                    "INSERT INTO den.big VALUES (1, 'x')",
                    "ALTER TABLE den.big ENABLE REPLICA TRIGGER \"!multimed_row\"",
                    "INSERT INTO den.big VALUES (2, 'x')",
                    "DO $$ BEGIN EXECUTE 'ALTER TABLE den.big DISABLE TRIGGER \"!multi' || 'med_row\"'; INSERT INTO den.big VALUES (3, 'x'); END $$");
            awaitSatellite(thief, "SELECT count(*) FROM den.big");
            assertThat(text(thief, "SELECT count(*) FROM den.big")).isEqualTo("3");
        }
    }
}
