// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static io.multimed.server.testing.RoleUsers.awaitSatellite;
import static io.multimed.server.testing.RoleUsers.user;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
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
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Statements of users with a role run with the role's privileges, on the master and on satellites. */
@Tag("slow")
@Timeout(600)
class RolesTest {
    private static final String DENIED = "42501";

    @TempDir
    private static Path folder;

    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        Path file = folder.resolve("users");
        new UsersFile(List.of(user("boss", null), user("clerk", "clerk"), user("guest", null))).write(file);
        cluster = TestCluster.of("""
                listen: {users-file: '%s'}
                freshness: {wait: 10s}
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: satellite, role: satellite, memory: 128m}
                """.formatted(file));
        asBoss(
                "CREATE TABLE item (id int PRIMARY KEY, v text)",
                "INSERT INTO item SELECT i, 'v' || i FROM generate_series(1, 10) i",
                "CREATE TABLE secret (id int PRIMARY KEY, v text)",
                "INSERT INTO secret VALUES (1, 'hidden')",
                "CREATE VIEW through AS SELECT v FROM secret");
        asBoss("GRANT SELECT, INSERT, UPDATE, DELETE ON item TO clerk");
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

    private static void assertDenied(ThrowingCallable action) {
        assertThatThrownBy(action)
                .isInstanceOf(SQLException.class)
                .extracting("SQLState")
                .isEqualTo(DENIED);
    }

    @Test
    void statementsRunAsTheRole() throws SQLException {
        try (Connection clerk = connect("clerk")) {
            assertThat(text(clerk, "SELECT current_user || ' ' || session_user"))
                    .isEqualTo("clerk clerk");
            clerk.setAutoCommit(false);
            assertThat(text(clerk, "SELECT current_user || ' ' || session_user"))
                    .isEqualTo("clerk clerk");
            clerk.rollback();
        }
    }

    @Test
    void permittedReadsRunOnSatellites() throws SQLException {
        try (Connection clerk = connect("clerk")) {
            awaitSatellite(clerk, "SELECT v FROM item WHERE id = 3");
            assertThat(text(clerk, "SELECT v FROM item WHERE id = 3")).isEqualTo("v3");
            clerk.setReadOnly(true);
            clerk.setAutoCommit(false);
            awaitSatellite(clerk, "SELECT count(*) FROM item");
            assertDenied(() -> text(clerk, "SELECT v FROM secret"));
            clerk.rollback();
        }
    }

    @Test
    void updatesOfRolesReachSatellites() throws SQLException {
        try (Connection clerk = connect("clerk");
                PreparedStatement update = clerk.prepareStatement("UPDATE item SET v = ? WHERE id = 7")) {
            awaitSatellite(clerk, "SELECT v FROM item WHERE id = 7");
            for (int i = 0; i < 50; i++) {
                update.setString(1, "n" + i);
                assertThat(update.executeUpdate()).isEqualTo(1);
                assertThat(text(clerk, "SELECT v FROM item WHERE id = 7")).isEqualTo("n" + i);
            }
            clerk.setAutoCommit(false);
            run(clerk, "INSERT INTO item VALUES (100, 'x')", "DELETE FROM item WHERE id = 100");
            clerk.commit();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT v FROM secret",
                "SELECT (SELECT max(v) FROM secret) FROM item",
                "SELECT v FROM through",
                "SELECT 1 WHERE EXISTS (SELECT FROM \"secret\")",
                "TABLE secret",
                "SELECT query_to_xml('SELECT v FROM secret', true, true, '')",
                "SELECT stavalues1 FROM pg_statistic",
                "SELECT pg_read_file('PG_VERSION')",
                "SELECT * FROM pg_ls_dir('.')",
                "INSERT INTO secret VALUES (2, 'mine')",
                "UPDATE item SET v = (SELECT v FROM secret) WHERE id = 1",
                "DO $$ BEGIN LOCK TABLE secret; END $$",
                "DROP TABLE item",
                "ALTER TABLE item DISABLE TRIGGER ALL",
                "ALTER TABLE item OWNER TO clerk",
                "CREATE TABLE mine (a int)",
                "SET SESSION AUTHORIZATION postgres",
                "SET ROLE postgres",
                "CREATE ROLE helper SUPERUSER",
                "ALTER ROLE clerk SUPERUSER",
                "ALTER SYSTEM SET work_mem = '1MB'",
                "DO $$ BEGIN EXECUTE 'SET session_replication_role = replica'; END $$",
                "DO $$ BEGIN EXECUTE 'DELETE FROM multi' || 'med.base'; END $$",
                "DO $$ BEGIN EXECUTE 'SELECT nextval(''multi' || 'med.scn'')'; END $$",
                "DO $$ BEGIN EXECUTE 'DROP SCHEMA multi' || 'med CASCADE'; END $$",
                "DO $$ BEGIN EXECUTE 'INSERT INTO multi' || 'med.session VALUES (1, now())'; END $$",
                "DO $$ BEGIN EXECUTE 'SELECT * FROM multi' || 'med.sealed_0'; END $$",
                "DO $$ BEGIN EXECUTE 'DROP EVENT TRIGGER multi' || 'med_ddl'; END $$",
                "DO $$ BEGIN PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'postgres'; END $$",
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'postgres'"
            })
    void roleWithoutPrivilegesIsRefused(String attack) throws SQLException {
        try (Connection clerk = connect("clerk")) {
            for (int i = 0; i < 3; i++) {
                assertDenied(() -> run(clerk, attack));
            }
            assertThat(text(clerk, "SELECT count(*) FROM item WHERE id <= 10")).isEqualTo("10");
        }
        try (Connection boss = connect("boss")) {
            assertThat(text(boss, "SELECT string_agg(v, ',') FROM secret")).isEqualTo("hidden");
        }
    }

    @Test
    void secretsOfTheMiddlewareAreNotVisible() throws SQLException {
        String epoch;
        try (Connection master = cluster.direct("master")) {
            epoch = text(master, "SELECT epoch FROM multimed.base");
        }
        try (Connection clerk = connect("clerk");
                Connection other = connect("clerk")) {
            run(other, "UPDATE item SET v = 'w' WHERE id = 9");
            for (int i = 0; i < 20; i++) {
                assertThat(Sql.rows(clerk, "SELECT query FROM pg_stat_activity").toString())
                        .doesNotContain(epoch);
            }
            assertThat(Sql.rows(clerk, "SELECT statement FROM pg_prepared_statements")
                            .toString())
                    .doesNotContain(epoch);
            assertThat(Sql.rows(clerk, "SELECT name, setting FROM pg_settings").toString())
                    .doesNotContain(epoch);
        }
    }

    /** The result of a read must not reach a role that may not read, also if the result is that of a lane or shared. */
    @Test
    void revokedPrivilegesApplyAtOnce() throws SQLException {
        asBoss("CREATE TABLE shelf (id int PRIMARY KEY, v text)", "INSERT INTO shelf VALUES (1, 'a')");
        try (Connection guest = connect("guest");
                PreparedStatement read = guest.prepareStatement("SELECT v FROM shelf WHERE id = 1")) {
            for (int i = 0; i < 5; i++) {
                assertDenied(read::executeQuery);
                asBoss("GRANT SELECT ON shelf TO guest");
                awaitSatellite(guest, "SELECT v FROM shelf WHERE id = 1");
                read.executeQuery().close();
                asBoss("REVOKE SELECT ON shelf FROM guest");
            }
            asBoss("GRANT SELECT ON shelf TO guest");
            awaitSatellite(guest, "SELECT v FROM shelf WHERE id = 1");
            asBoss("DO $$ BEGIN EXECUTE 'REVOKE SELECT ON shelf FROM guest'; END $$");
            assertDenied(read::executeQuery);
        }
    }

    @Test
    void privilegesOfGroupsAndPublicApply() throws SQLException {
        asBoss(
                "CREATE TABLE rack (id int PRIMARY KEY)",
                "CREATE ROLE staff",
                "GRANT SELECT ON rack TO staff",
                "GRANT staff TO guest");
        try (Connection guest = connect("guest")) {
            awaitSatellite(guest, "SELECT count(*) FROM rack");
            asBoss("REVOKE staff FROM guest");
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertDenied(() -> text(guest, "SELECT count(*) FROM rack")));
            asBoss("GRANT SELECT ON rack TO PUBLIC");
            awaitSatellite(guest, "SELECT count(*) FROM rack");
        }
    }

    @Test
    void privilegesOfColumnsAreTheMasters() throws SQLException {
        asBoss(
                "CREATE TABLE person (id int PRIMARY KEY, name text, salary int)",
                "INSERT INTO person VALUES (1, 'ann', 9)",
                "GRANT SELECT (id, name) ON person TO guest");
        try (Connection guest = connect("guest")) {
            for (int i = 0; i < 3; i++) {
                assertThat(text(guest, "SELECT name FROM person")).isEqualTo("ann");
                assertThat(Sql.node(guest)).isEqualTo("master");
                assertDenied(() -> text(guest, "SELECT salary FROM person"));
                assertDenied(() -> text(guest, "SELECT * FROM person"));
            }
        }
    }

    /** Code of a role must not read, on a satellite, what the role may not read. */
    @Test
    void codeOfRolesReadsWithTheirPrivileges() throws SQLException {
        asBoss("CREATE SCHEMA workshop", "GRANT ALL ON SCHEMA workshop TO guest");
        try (Connection guest = connect("guest")) {
            run(
                    guest,
                    "SET search_path = workshop, public",
                    "CREATE FUNCTION workshop.peek() RETURNS text LANGUAGE sql STABLE AS 'SELECT max(v) FROM public.secret'",
                    "CREATE VIEW workshop.window AS SELECT workshop.peek() AS v",
                    "CREATE FUNCTION workshop.lift(int) RETURNS text LANGUAGE sql STABLE AS 'SELECT max(v) FROM public.secret'",
                    "DISCARD ALL");
            for (int i = 0; i < 3; i++) {
                assertDenied(() -> text(guest, "SELECT workshop.peek()"));
                assertDenied(() -> text(guest, "SELECT v FROM workshop.window"));
            }
            run(guest, "CREATE OPERATOR workshop.@#@ (RIGHTARG = int, FUNCTION = workshop.lift)");
            for (int i = 0; i < 3; i++) {
                assertDenied(() -> text(guest, "SELECT OPERATOR(workshop.@#@) 1"));
            }
            run(guest, "DROP OPERATOR workshop.@#@ (NONE, int)");
        }
        asBoss("DROP SCHEMA workshop CASCADE");
    }

    @Test
    void rowSecurityAppliesToTheRole() throws SQLException {
        asBoss(
                "CREATE TABLE note (owner text, v text)",
                "INSERT INTO note VALUES ('guest', 'mine'), ('clerk', 'theirs')",
                "ALTER TABLE note ENABLE ROW LEVEL SECURITY",
                "CREATE POLICY own ON note USING (owner = current_user)",
                "GRANT SELECT ON note TO guest");
        try (Connection guest = connect("guest")) {
            for (int i = 0; i < 3; i++) {
                assertThat(Sql.rows(guest, "SELECT v FROM note").toString())
                        .contains("mine")
                        .doesNotContain("theirs");
            }
        }
    }

    @Test
    void rolesOwnWhatTheyCreate() throws SQLException {
        asBoss("GRANT CREATE ON SCHEMA public TO clerk");
        try (Connection clerk = connect("clerk")) {
            run(clerk, "CREATE TABLE owned (id int PRIMARY KEY)", "INSERT INTO owned VALUES (1)");
            awaitSatellite(clerk, "SELECT count(*) FROM owned");
            run(clerk, "ALTER TABLE owned ADD COLUMN v text", "CREATE INDEX ON owned (v)", "ANALYZE owned");
            assertThat(text(clerk, "SELECT tableowner FROM pg_tables WHERE tablename = 'owned'"))
                    .isEqualTo("clerk");
            try (Connection guest = connect("guest")) {
                assertDenied(() -> run(guest, "DROP TABLE owned"));
                assertDenied(() -> text(guest, "SELECT count(*) FROM owned"));
            }
            run(clerk, "DROP TABLE owned");
        }
        asBoss("REVOKE CREATE ON SCHEMA public FROM clerk");
    }

    @Test
    void sessionStateDoesNotReachTheNextClientOfTheRole() throws SQLException {
        for (int i = 0; i < 10; i++) {
            try (Connection clerk = connect("clerk");
                    Statement statement = clerk.createStatement()) {
                assertThat(text(clerk, "SHOW statement_timeout")).isEqualTo("0");
                statement.execute("SET statement_timeout = '7s'");
                assertThat(text(clerk, "SHOW statement_timeout")).isEqualTo("7s");
            }
        }
    }
}
