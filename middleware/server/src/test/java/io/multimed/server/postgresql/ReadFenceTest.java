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
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A query that calls a function in an unusual place is not a pure read, and the engine of a satellite refuses what a
 * pure read does not contain, however the query was classified.
 */
@Tag("slow")
@Timeout(600)
class ReadFenceTest {
    private static final String DENIED = "42501";

    @TempDir
    private static Path folder;

    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        Path file = folder.resolve("users");
        new UsersFile(List.of(user("boss", null), user("thief", "thief"), user("guest", null))).write(file);
        cluster = TestCluster.of("""
                listen: {users-file: '%s'}
                freshness: {wait: 10s}
                cache: {size: 64m}
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: satellite, role: satellite, memory: 128m}
                """.formatted(file));
        for (String name : List.of("thief", "guest")) {
            try (Connection first = connect(name)) {
                text(first, "SELECT 1");
            }
        }
        asBoss(
                "CREATE TABLE item (id int PRIMARY KEY, v text)",
                "INSERT INTO item SELECT i, 'v' || i FROM generate_series(1, 10) i",
                "CREATE TABLE secret (v text)",
                "INSERT INTO secret VALUES ('hidden')",
                "GRANT SELECT ON item TO thief, guest",
                "CREATE SCHEMA den",
                "GRANT ALL ON SCHEMA den TO thief",
                "CREATE EXTENSION isn",
                "CREATE EXTENSION hstore");
        try (Connection thief = connect("thief")) {
            run(
                    thief,
                    "CREATE TABLE den.item (id int PRIMARY KEY, v text)",
                    "INSERT INTO den.item VALUES (3, 'false')",
                    "GRANT SELECT ON den.item TO guest");
        }
        asBoss("GRANT USAGE ON SCHEMA den TO guest");
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    /** A satellite answers the attacker's reads, so that an attack that passes as a read reaches the satellite. */
    @BeforeEach
    void awaitReads() throws SQLException {
        asBoss(
                "DROP FUNCTION IF EXISTS first(text), sets(text), twice(text)",
                "DROP TABLE IF EXISTS call",
                "DROP TYPE IF EXISTS span",
                "DROP EXTENSION IF EXISTS citext, tablefunc");
        try (Connection thief = connect("thief")) {
            awaitSatellite(thief, "SELECT v FROM public.item WHERE id = 3");
        }
    }

    private static Connection connect(String name) throws SQLException {
        return RoleUsers.connect(cluster, name);
    }

    private static void asBoss(String... statements) throws SQLException {
        RoleUsers.asBoss(cluster, statements);
    }

    /** Runs a query several times, so that the query may reach any node and the cache; errors are of no interest. */
    private static void repeat(Connection connection, String query) {
        for (int i = 0; i < 4; i++) {
            assertThat(catchThrowable(() -> text(connection, query)))
                    .satisfiesAnyOf(none -> assertThat(none).isNull(), ReadFenceTest::assertSqlException);
            assertThat(catchThrowable(() -> RoleUsers.read(connection, query)))
                    .satisfiesAnyOf(none -> assertThat(none).isNull(), ReadFenceTest::assertSqlException);
        }
    }

    private static void assertSqlException(Throwable failure) {
        assertThat(failure).isInstanceOf(SQLException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "WITH query_to_xml(x) AS (SELECT 1) SELECT query_to_xml('SELECT * FROM secret', true, false, '') FROM query_to_xml",
                "WITH \"query_to_xml\"(x) AS (SELECT 1) SELECT \"query_to_xml\"('SELECT * FROM secret', true, false, '') FROM query_to_xml",
                "WITH table_to_xml AS (SELECT 1) SELECT table_to_xml('secret', true, false, '') FROM table_to_xml",
                "WITH ts_stat(x) AS (SELECT 1) SELECT (ts_stat('SELECT to_tsvector(v) FROM secret')).word FROM ts_stat",
                "WITH ts_rewrite(x) AS (SELECT 1) SELECT ts_rewrite('a', 'SELECT ''a''::tsquery, v::tsquery FROM secret') FROM ts_rewrite",
                "SELECT ('SELECT to_tsvector(v) FROM secret'::text).ts_stat",
                "SELECT (x.q).ts_stat FROM (SELECT 'SELECT to_tsvector(v) FROM secret'::text AS q) x",
                "WITH a AS (WITH query_to_xml(x) AS (SELECT 1) SELECT * FROM query_to_xml) SELECT query_to_xml('TABLE secret', true, false, '') FROM a",
                "SELECT * FROM item, query_to_xml('TABLE secret', true, false, '') AS (values text)",
                "WITH a (v) AS (WITH secret AS (SELECT 1) SELECT 1) SELECT a.v, secret.v FROM a, secret",
                "SELECT v FROM item ORDER BY id OFFSET (SELECT count(*) FROM secret)",
                "SELECT count(*) FILTER (WHERE EXISTS (SELECT FROM secret)) FROM item",
                "SELECT substring('abc' FROM (SELECT count(*)::int FROM secret)) FROM item",
                "SELECT count(*) FROM item GROUP BY (SELECT max(v) FROM secret)",
            })
    void noPlaceHidesAFunctionOrATable(String attack) throws SQLException {
        try (Connection thief = connect("thief")) {
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> text(thief, attack))
                        .isInstanceOf(SQLException.class)
                        .extracting(failure -> ((SQLException) failure).getSQLState())
                        .isIn(DENIED, "42601", "42809");
            }
        }
    }

    /** The session of a reader belongs to all clients, one after the other. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "WITH set_config(x) AS (SELECT 1) SELECT set_config('search_path', 'den', false) FROM set_config",
                "WITH \"set_config\"(x) AS (SELECT 1) SELECT \"set_config\"('search_path', 'den', false) FROM \"set_config\"",
                "WITH pg_advisory_lock(x) AS (SELECT 1) SELECT pg_advisory_lock(42) FROM pg_advisory_lock",
                "WITH \"pg_advisory_lock\"(x) AS (SELECT 1) SELECT \"pg_advisory_lock\"(42) FROM \"pg_advisory_lock\"",
                "SELECT (x.k).\"pg_advisory_lock\" FROM (SELECT 42::bigint AS k) x",
                "SELECT (42::bigint).pg_advisory_lock",
                "SELECT (x.k).pg_advisory_lock FROM (SELECT 42::bigint AS k) x",
                "WITH setseed(x) AS (SELECT 1) SELECT setseed(0.5) FROM setseed",
                "SELECT (x.k).setseed FROM (SELECT 0.5::float8 AS k) x",
                "WITH isn_weak(x) AS (SELECT 1) SELECT isn_weak(true) FROM isn_weak",
                "SELECT isn_weak(true)",
                "SELECT (x.k).isn_weak FROM (SELECT true AS k) x",
            })
    @Tag("exhaustive")
    void noQueryChangesTheSessionOfAReader(String attack) throws SQLException {
        try (Connection thief = connect("thief");
                Connection guest = connect("guest")) {
            String query = "SELECT v FROM item WHERE id = 3";
            awaitSatellite(guest, query);
            repeat(thief, attack);
            for (int i = 0; i < 20; i++) {
                String text = i % 2 == 0 ? text(guest, query) : RoleUsers.read(guest, query);
                assertThat(text).as("answered by %s", Sql.node(guest)).isEqualTo("v3");
                assertThatThrownBy(() -> text(guest, "SELECT isbn('0-393-04002-0') FROM item"))
                        .isInstanceOf(SQLException.class);
            }
        }
        try (Connection satellite = cluster.direct("satellite")) {
            assertThat(text(satellite, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 42"))
                    .isEqualTo("0");
        }
    }

    /** The engine does not list this state of a session, so that the client keeps the session. */
    @Test
    void stateThatTheEngineDoesNotListIsSeenByItsClientOnly() throws SQLException {
        String wrong = "SELECT isbn('0-393-04002-0')";
        try (Connection boss = connect("boss")) {
            text(boss, "SELECT isn_weak(true)");
            assertThat(text(boss, wrong)).isNotNull();
            for (int i = 0; i < 10; i++) {
                try (Connection other = connect("boss")) {
                    assertThatThrownBy(() -> text(other, wrong)).isInstanceOf(SQLException.class);
                }
            }
        }
        try (Connection boss = connect("boss");
                Connection other = connect("boss")) {
            text(boss, "SELECT setseed(0.5)");
            String first = text(boss, "SELECT random()");
            assertThat(text(other, "SELECT random()")).isNotEqualTo(first);
            text(boss, "SELECT setseed(0.5)");
            assertThat(text(boss, "SELECT random()")).isEqualTo(first);
        }
    }

    @Test
    @Tag("exhaustive")
    void noQueryEndsOtherReaders() throws SQLException {
        String sessions =
                "SELECT string_agg(pid::text, ' ' ORDER BY pid) FROM pg_stat_activity WHERE usename = 'multimed_reader'";
        try (Connection thief = connect("thief");
                Connection satellite = cluster.direct("satellite")) {
            awaitSatellite(thief, "SELECT count(*) FROM item");
            String before = text(satellite, sessions);
            assertThat(before).isNotNull();
            for (String pid : before.split(" ", -1)) {
                repeat(
                        thief,
                        "WITH pg_terminate_backend(x) AS (SELECT 1) SELECT pg_terminate_backend(%s) FROM pg_terminate_backend"
                                .formatted(pid));
                repeat(thief, "SELECT (x.k).pg_terminate_backend FROM (SELECT %s AS k) x".formatted(pid));
                repeat(thief, "SELECT (x.k).pg_cancel_backend FROM (SELECT %s AS k) x".formatted(pid));
            }
            assertThat(text(satellite, sessions)).contains(before);
        }
    }

    /** What the catalog of a satellite contains is not what the master's contains. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT id FROM item ORDER BY id OFFSET (SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal AND false)",
                "SELECT count(*) FROM item GROUP BY (SELECT count(*) FROM pg_class)",
                "SELECT count(*) FILTER (WHERE id < (SELECT count(*) FROM pg_catalog.pg_trigger)) FROM item",
                "SELECT substring(v FROM (SELECT count(*)::int FROM pg_index)) FROM item",
                "WITH a AS (WITH pg_trigger AS (SELECT 1) SELECT 1) SELECT (SELECT count(*) FROM pg_trigger) FROM a, item",
                "SELECT count(*) FROM item, \"pg_trigger\"",
                "SELECT id FROM item LIMIT (SELECT count(*) FROM information_schema.triggers)",
                "SELECT x.pg_column_size FROM item x",
            })
    void theMasterAnswersForTheCatalog(String query) throws SQLException {
        try (Connection boss = connect("boss")) {
            for (int i = 0; i < 3; i++) {
                text(boss, query);
                assertThat(Sql.node(boss)).isEqualTo("master");
            }
        }
    }

    /** A function of a user may have the name of a word that SQL does not reserve. */
    @Test
    void aWordThatIsNotReservedMayBeAUsersFunction() throws SQLException {
        asBoss(
                "CREATE TABLE call (n int)",
                "CREATE FUNCTION first(text) RETURNS text LANGUAGE plpgsql AS 'BEGIN INSERT INTO call VALUES (1); RETURN $1; END'",
                "CREATE FUNCTION sets(text) RETURNS text LANGUAGE plpgsql VOLATILE AS 'BEGIN PERFORM set_config($1, $2, false); RETURN $1; END'"
                        .replace("$2", "''den''"));
        try (Connection boss = connect("boss")) {
            assertThat(text(boss, "SELECT first(v) FROM item WHERE id = 1")).isEqualTo("v1");
            assertThat(Sql.node(boss)).isEqualTo("master");
            repeat(boss, "SELECT sets('search_path')");
        }
        try (Connection guest = connect("boss")) {
            assertThat(text(guest, "SELECT v FROM item WHERE id = 3")).isEqualTo("v3");
            assertThat(text(guest, "SELECT count(*) FROM call")).isEqualTo("1");
        }
    }

    /** The engine of the satellite is asked directly, as the readers' role. */
    @Test
    void readersMayRunPureFunctionsOnly() throws SQLException {
        try (Connection satellite = cluster.direct("satellite")) {
            assertThat(Sql.rows(satellite, """
                            SELECT p.oid::regprocedure FROM pg_proc p WHERE p.provolatile = 'v' AND p.prokind <> 'p'
                            AND p.prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype)
                            AND has_function_privilege('multimed_reader', p.oid, 'EXECUTE')"""))
                    .allMatch(
                            function -> function.matches(
                                    "random(_normal)?\\(.*|clock_timestamp\\(\\)|timeofday\\(\\)|gen_random_uuid\\(\\)|uuidv[47]\\(.*|pg_sleep(_for)?\\(.*|pg_advisory_unlock_all\\(\\)|multimed.require_rows.*"));
            run(satellite, "SET SESSION AUTHORIZATION multimed_reader");
            for (String attack : List.of(
                    "SELECT set_config('search_path', 'den', false)",
                    "SELECT query_to_xml('TABLE secret', true, false, '')",
                    "SELECT table_to_xml('secret', true, false, '')",
                    "SELECT database_to_xml(true, true, '')",
                    "SELECT ts_stat('SELECT 1')",
                    "SELECT pg_terminate_backend(1)",
                    "SELECT pg_advisory_lock(1)",
                    "SELECT setseed(0.1)",
                    "SELECT lo_create(0)",
                    "SELECT current_setting('search_path')",
                    "SELECT isn_weak(true)",
                    "SELECT * FROM pg_stat_activity",
                    "SELECT * FROM pg_settings",
                    "SELECT * FROM pg_trigger",
                    "SELECT * FROM information_schema.tables",
                    "SELECT * FROM multimed.applied")) {
                assertThatThrownBy(() -> run(satellite, attack))
                        .as(attack)
                        .isInstanceOf(SQLException.class)
                        .extracting(failure -> ((SQLException) failure).getSQLState())
                        .isEqualTo(DENIED);
            }
            assertThat(text(satellite, "SELECT v || lower('A') || now() FROM item WHERE id = 3"))
                    .startsWith("v3a");
            assertThat(text(satellite, "SELECT 'a=>1'::hstore -> 'a'")).isEqualTo("1");
        }
    }

    /** The privileges follow changes of the schema, in the transaction that applies them. */
    @Test
    void functionsOfUsersAndExtensionsFollowTheMaster() throws SQLException {
        asBoss(
                "CREATE FUNCTION twice(text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT $1 || $1'",
                "CREATE TYPE span AS RANGE (SUBTYPE = float8)",
                "CREATE EXTENSION citext",
                "CREATE EXTENSION tablefunc");
        try (Connection boss = connect("boss")) {
            awaitSatellite(boss, "SELECT twice(v) FROM item WHERE id = 1");
            awaitSatellite(boss, "SELECT span(1, 2) FROM item WHERE id = 1");
            awaitSatellite(boss, "SELECT count(*) FROM item WHERE v::citext = 'V1'");
            awaitSatellite(boss, "SELECT akeys('a=>1'::hstore) FROM item");
            text(boss, "SELECT normal_rand(1, 2, 3) FROM item");
            assertThat(Sql.node(boss)).isEqualTo("master");
        }
        await().untilAsserted(() -> {
            try (Connection satellite = cluster.direct("satellite")) {
                run(satellite, "SET SESSION AUTHORIZATION multimed_reader");
                assertThat(text(satellite, "SELECT twice('a')")).isEqualTo("aa");
                assertThatThrownBy(() -> text(satellite, "SELECT normal_rand(1, 2, 3)"))
                        .extracting(failure -> ((SQLException) failure).getSQLState())
                        .isEqualTo(DENIED);
            }
        });
    }
}
