// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static io.multimed.server.testing.RoleUsers.awaitCached;
import static io.multimed.server.testing.RoleUsers.awaitSatellite;
import static io.multimed.server.testing.RoleUsers.read;
import static io.multimed.server.testing.RoleUsers.user;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.engine.conformance.Sql;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.model.listen.UsersFile;
import io.multimed.server.testing.RoleUsers;
import io.multimed.server.testing.TestCluster;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The result cache, materialized views and partial copies show no role what it may not read, also after a change. */
@Tag("exhaustive")
@Timeout(300)
class RoleCacheTest {
    private static final String DENIED = "42501";

    @TempDir
    private static Path folder;

    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        Path file = folder.resolve("users");
        new UsersFile(List.of(user("boss", null), user("ann", null), user("bob", null), user("cid", null))).write(file);
        cluster = TestCluster.of("""
                listen: {users-file: '%s'}
                optimization: C2
                share-cores: true
                freshness: {wait: 10s}
                cache: {size: 16m}
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: part, role: satellite, memory: 128m, tables: ['part_*']}
                - name: satellite
                  role: satellite
                  memory: 128m
                  materialized-views:
                  - {view: total}
                """.formatted(file)).awaitOnline();
        for (String name : List.of("ann", "bob", "cid")) {
            try (Connection first = RoleUsers.connect(cluster, name)) {
                text(first, "SELECT 1");
            }
        }
        asBoss(
                "CREATE TABLE open_one (id int PRIMARY KEY, v text)",
                "CREATE TABLE vault (id int PRIMARY KEY, v text)",
                "CREATE TABLE parent_of_none (id int, v text)",
                "CREATE TABLE a_name_of_sixty_four_characters_that_the_engine_shortens_silently_0123456789 (id int, v text)",
                "INSERT INTO vault VALUES (1, 'hidden')",
                "INSERT INTO open_one VALUES (1, 'seen')");
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

    private static String why(Connection connection) throws SQLException {
        return connection.unwrap(MultimedConnection.class).why();
    }

    private static void assertDenied(Connection connection, String query) {
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> read(connection, query))
                    .as(query)
                    .isInstanceOf(SQLException.class)
                    .extracting("SQLState")
                    .isEqualTo(DENIED);
        }
    }

    private static void table(String name) throws SQLException {
        asBoss(
                "CREATE TABLE %s (id int PRIMARY KEY, v text, w int)".formatted(name),
                "INSERT INTO %s VALUES (1, 'a', 9)".formatted(name));
    }

    /** The role has the privilege for the table until the change. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "REVOKE SELECT ON %s FROM ann",
                "REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ann",
                "DO $$ BEGIN EXECUTE 'REVOKE SELECT ON %s FROM ann'; END $$",
                "REVOKE USAGE ON SCHEMA public FROM PUBLIC",
                "DROP TABLE %1$s; CREATE TABLE %1$s (id int PRIMARY KEY, v text, w int)",
                "ALTER TABLE %1$s RENAME TO %1$s_old; CREATE TABLE %1$s (id int PRIMARY KEY, v text, w int)",
                "CREATE SCHEMA front; CREATE TABLE front.%1$s (id int, v text, w int); ALTER TABLE %1$s RENAME TO %1$s_old; ALTER TABLE front.%1$s SET SCHEMA public",
                "REVOKE SELECT ON %1$s FROM ann; GRANT SELECT (id) ON %1$s TO ann",
                "DROP OWNED BY ann"
            })
    void keptResultsEndWithThePrivilege(String change) throws SQLException {
        String name = "t" + Integer.toUnsignedString(change.hashCode());
        table(name);
        asBoss("GRANT SELECT ON %s TO ann".formatted(name));
        String query = "SELECT v FROM %s WHERE id = 1".formatted(name);
        try (Connection ann = connect("ann");
                Connection bob = connect("bob");
                Connection boss = connect("boss")) {
            awaitCached(ann, query, "a");
            assertDenied(bob, query);
            boss.setAutoCommit(false);
            run(boss, change.formatted(name).split(change.startsWith("DO") ? "\u0000" : "; "));
            boss.commit();
            if (change.contains("USAGE")) {
                assertThatThrownBy(() -> read(ann, query)).isInstanceOf(SQLException.class);
                asBoss("GRANT USAGE ON SCHEMA public TO PUBLIC");
            } else {
                assertDenied(ann, query);
                assertDenied(bob, query);
            }
        }
    }

    /** An administrator's result, which the cache keeps, is for roles with the privilege only. */
    @Test
    void resultsOfOthersAreNotShown() throws SQLException {
        table("drawer");
        asBoss("CREATE VIEW pane AS SELECT v FROM drawer");
        for (String query : List.of("SELECT v FROM drawer WHERE id = 1", "SELECT v FROM pane")) {
            try (Connection boss = connect("boss");
                    Connection ann = connect("ann")) {
                awaitCached(boss, query, "a");
                assertDenied(ann, query);
                ann.setAutoCommit(false);
                for (boolean readOnly : new boolean[] {false, true}) {
                    ann.setReadOnly(readOnly);
                    assertThatThrownBy(() -> read(ann, query))
                            .extracting("SQLState")
                            .isEqualTo(DENIED);
                    ann.rollback();
                }
            }
        }
    }

    /** The privileges are those at the statement, as on the engine itself, not those at the begin of the snapshot. */
    @Test
    void openReadOnlyTransactionsLoseThePrivilege() throws SQLException {
        table("shelf");
        asBoss("GRANT SELECT ON shelf TO ann");
        String query = "SELECT v FROM shelf WHERE id = 1";
        try (Connection ann = connect("ann")) {
            for (int level :
                    new int[] {Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ}) {
                ann.setTransactionIsolation(level);
                ann.setReadOnly(true);
                awaitSatellite(ann, query);
                ann.setAutoCommit(false);
                assertThat(read(ann, query)).isEqualTo("a");
                asBoss("REVOKE SELECT ON shelf FROM ann");
                try {
                    read(ann, query);
                    assertThat(Sql.node(ann)).as(why(ann) + level).isEqualTo("master");
                } catch (SQLException e) {
                    assertThat(e.getSQLState()).isIn(DENIED, "0A000");
                }
                ann.setAutoCommit(true);
                asBoss("GRANT SELECT ON shelf TO ann");
            }
        }
    }

    @Test
    void columnsRowsAndInvokersAreCheckedByTheMaster() throws SQLException {
        table("person");
        asBoss(
                "INSERT INTO person VALUES (2, 'b', 8)",
                "CREATE VIEW asks WITH (security_invoker) AS SELECT id, v FROM person",
                "CREATE VIEW through AS SELECT id, v FROM person",
                "CREATE FUNCTION mine(text) RETURNS boolean LANGUAGE sql STABLE AS 'SELECT $1 = left(current_user::text, 1)'",
                "CREATE FUNCTION definer() RETURNS SETOF text LANGUAGE sql STABLE SECURITY DEFINER AS 'SELECT v FROM person ORDER BY id'",
                "GRANT SELECT ON person, asks, through TO ann, bob",
                "DROP FUNCTION mine(text)");
        String all = "SELECT v FROM person WHERE id > 0 ORDER BY id";
        String asks = "SELECT v FROM asks ORDER BY id";
        String through = "SELECT v FROM through ORDER BY id";
        try (Connection ann = connect("ann");
                Connection bob = connect("bob");
                Connection boss = connect("boss")) {
            assertThat(read(ann, "SELECT definer()")).isEqualTo("a,b");
            asBoss("REVOKE EXECUTE ON FUNCTION definer() FROM PUBLIC");
            assertDenied(ann, "SELECT definer()");
            asBoss("DROP FUNCTION definer()");
            awaitCached(ann, all, "a,b");
            awaitCached(ann, through, "a,b");
            assertThat(read(ann, asks)).isEqualTo("a,b");
            asBoss(
                    "ALTER TABLE person ENABLE ROW LEVEL SECURITY",
                    "CREATE POLICY own ON person USING (v = left(current_user::text, 1))");
            for (int i = 0; i < 4; i++) {
                assertThat(read(ann, all)).isEqualTo("a");
                assertThat(read(bob, all)).isEqualTo("b");
                assertThat(read(boss, all)).isEqualTo("a,b");
                assertThat(read(ann, asks)).isEqualTo("a");
                assertThat(read(bob, asks)).isEqualTo("b");
                assertThat(read(ann, through)).isEqualTo("a,b");
            }
            asBoss("DROP POLICY own ON person", "CREATE POLICY none ON person USING (false)");
            assertThat(read(ann, all)).isEmpty();
            asBoss("ALTER TABLE person DISABLE ROW LEVEL SECURITY");
            awaitCached(ann, all, "a,b");
            asBoss("ALTER VIEW through SET (security_invoker)", "REVOKE SELECT ON person FROM ann");
            assertDenied(ann, through);
            assertDenied(ann, asks);
            assertThat(read(bob, through)).isEqualTo("a,b");
        }
    }

    @Test
    void resultsThatNameTheRoleAreItsOwn() throws SQLException {
        table("desk");
        asBoss(
                "GRANT SELECT ON desk TO ann, bob",
                "CREATE VIEW whose AS SELECT current_user::text || id AS u FROM desk",
                "GRANT SELECT ON whose TO ann, bob");
        try (Connection ann = connect("ann");
                Connection bob = connect("bob");
                Connection boss = connect("boss")) {
            for (String expression :
                    List.of("current_user", "session_user", "USER", "current_role", "getpgusername()")) {
                String query = "SELECT %s FROM desk WHERE id = 1".formatted(expression);
                for (int i = 0; i < 3; i++) {
                    read(boss, query);
                    assertThat(read(ann, query)).isEqualTo("ann");
                    assertThat(read(bob, query)).isEqualTo("bob");
                }
            }
            for (int i = 0; i < 3; i++) {
                read(boss, "SELECT u FROM whose");
                assertThat(read(ann, "SELECT u FROM whose")).isEqualTo("ann1");
                assertThat(read(bob, "SELECT u FROM whose")).isEqualTo("bob1");
                assertThat(read(boss, "SELECT v FROM desk WHERE has_table_privilege(current_user, 'desk', 'SELECT')"))
                        .isEqualTo("a");
                assertThat(read(ann, "SELECT id FROM desk WHERE pg_has_role('ann', 'MEMBER')"))
                        .isEqualTo("1");
                assertThat(read(bob, "SELECT id FROM desk WHERE pg_has_role('ann', 'MEMBER')"))
                        .isEmpty();
            }
        }
        asBoss("DROP VIEW whose");
    }

    @Test
    void storedViewsAndPartialCopiesEndWithThePrivilege() throws SQLException {
        table("line");
        table("part_a");
        asBoss("CREATE VIEW total AS SELECT sum(w) AS w FROM line", "GRANT SELECT ON total, part_a TO ann");
        try (Connection ann = connect("ann");
                Connection bob = connect("bob");
                Connection boss = connect("boss")) {
            await("the view is stored")
                    .atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(
                                    Sql.rows(boss, "SHOW MULTIMED VIEWS").toString())
                            .contains("satellite|total|"));
            awaitCached(ann, "SELECT w FROM total", "9");
            awaitCached(ann, "SELECT v FROM part_a WHERE id = 1", "a");
            for (String query : List.of(
                    "SELECT w FROM total",
                    "SELECT v FROM part_a WHERE id = 1",
                    "SELECT sum(w) FROM line",
                    "SELECT w FROM line")) {
                assertDenied(bob, query);
            }
            assertDenied(ann, "SELECT sum(w) AS w FROM line");
            asBoss("REVOKE SELECT ON total, part_a FROM ann");
            assertDenied(ann, "SELECT w FROM total");
            assertDenied(ann, "SELECT v FROM part_a WHERE id = 1");
        }
    }

    /** Applications that give up privileges in a transaction rely on the engine's check. */
    @Test
    void rolesThatAreSetApplyToKeptResults() throws SQLException {
        table("rack");
        asBoss("GRANT SELECT ON rack TO ann", "GRANT cid TO ann");
        String query = "SELECT v FROM rack WHERE id = 1";
        for (String who : List.of("boss", "ann")) {
            try (Connection client = connect(who)) {
                awaitCached(client, query, "a");
                for (String change : List.of(
                        "SET ROLE cid",
                        "SELECT set_config('role', 'cid', false)",
                        "DO $$ BEGIN EXECUTE 'SET RO' || 'LE cid'; END $$")) {
                    change(client, change);
                    assertDenied(client, query);
                    change(client, "RESET ROLE");
                    awaitCached(client, query, "a");
                }
                client.setAutoCommit(false);
                for (boolean readOnly : new boolean[] {false, true}) {
                    client.setReadOnly(readOnly);
                    for (String change : List.of(
                            "SET LOCAL ROLE cid",
                            "SELECT set_config('role', 'cid', true)",
                            "DO $$ BEGIN EXECUTE 'SET LOCAL RO' || 'LE cid'; END $$")) {
                        for (boolean before : new boolean[] {false, true}) {
                            if (before) {
                                assertThat(read(client, query)).isEqualTo("a");
                            }
                            change(client, change);
                            assertThatThrownBy(() -> read(client, query))
                                    .as("%s %s read-only %s", who, change, readOnly)
                                    .isInstanceOf(SQLException.class);
                            client.rollback();
                            assertThat(read(client, query)).isEqualTo("a");
                            client.rollback();
                        }
                    }
                }
            }
        }
    }

    private static void change(Connection client, String statement) throws SQLException {
        if (statement.startsWith("SELECT")) {
            text(client, statement);
        } else {
            run(client, statement);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT v FROM U&\"v\\0061ult\"",
                "SELECT v FROM VAULT",
                "SELECT v FROM public . \"vault\"",
                "SELECT v FROM/**/vault",
                "SELECT s.v FROM open_one JOIN LATERAL (TABLE vault) s USING (id)",
                "SELECT (SELECT v FROM vault LIMIT 1) FROM open_one",
                "WITH open_one AS (SELECT * FROM vault) SELECT v FROM open_one",
                "WITH RECURSIVE r AS (SELECT v FROM vault UNION SELECT v FROM r) SELECT v FROM r",
                "SELECT v FROM open_one WHERE v IN (SELECT v FROM vault)",
                "SELECT v FROM open_one ORDER BY (SELECT v FROM vault LIMIT 1)",
                "SELECT v FROM open_one TABLESAMPLE BERNOULLI ((SELECT count(*) FROM vault))",
                "SELECT v FROM open_one LIMIT (SELECT count(*) FROM vault)",
                "SELECT v FROM a_name_of_sixty_four_characters_that_the_engine_shortens_silently_0123456789",
                "SELECT v FROM parent_of_none",
                "VALUES ((SELECT v FROM vault))",
                "SELECT v FROM open_one UNION ALL SELECT v FROM vault",
                "SELECT vault FROM open_one, vault",
                "SELECT v FROM ONLY (vault)",
                "SELECT v FROM vault *",
                "SELECT v FROM shop.public.vault"
            })
    void namesAreFoundWhereverTheyStand(String attack) throws SQLException {
        asBoss("GRANT SELECT ON open_one TO ann"); // other tests revoke all privileges
        try (Connection ann = connect("ann");
                Connection boss = connect("boss")) {
            awaitCached(ann, "SELECT v FROM open_one WHERE id = 1", "seen");
            for (int i = 0; i < 3; i++) {
                try {
                    read(boss, attack);
                } catch (SQLException e) {
                    assertThat(e.getSQLState()).isEqualTo("0A000"); // names with escapes
                }
                assertThatThrownBy(() -> read(ann, attack))
                        .isInstanceOf(SQLException.class)
                        .extracting("SQLState")
                        .isIn(DENIED, "0A000");
            }
        }
    }
}
