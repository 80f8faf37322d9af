// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.TestCluster;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Object identifiers differ between nodes, and an object that is created again has a new one. */
@Tag("slow")
@Timeout(600)
@Tag("exhaustive")
class ObjectNumbersTest {
    private static final int CLIENTS = 4;

    /** Sufficient for the engine's driver to prepare the statement in the engine. */
    private static final int TIMES = 7;

    private static final Object[] MOODS = {"sad", "glad"};

    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.of("""
                        share-cores: true
                        nodes:
                        - {name: master, role: master, memory: 128m, pool: 3}
                        - {name: satellite, role: satellite, memory: 128m, pool: 3}
                        """).awaitOnline();
        cluster.run(
                "CREATE TABLE d (id int PRIMARY KEY, oid int, body text)",
                "INSERT INTO d VALUES (1, 7, 'dogs')",
                "CREATE DOMAIN relation AS regclass",
                "CREATE FUNCTION number() RETURNS bigint LANGUAGE sql STABLE AS $$ SELECT 'd'::regclass::oid::bigint $$",
                "CREATE FUNCTION number(name text) RETURNS oid LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN name::regclass; END $$",
                "CREATE FUNCTION doubled(a int) RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT a * 2 $$",
                "CREATE VIEW numbers AS SELECT 'd'::regclass::oid AS n",
                "CREATE VIEW cast_later AS SELECT body::regclass::oid AS n FROM (SELECT 'd'::text AS body) AS said",
                "CREATE VIEW places AS SELECT tableoid::bigint AS n FROM d");
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT 'd'::regclass::oid",
                "SELECT 'd'::regclass::int + 0",
                "SELECT CAST('d' AS regclass)::bigint",
                "SELECT CAST(CAST('d' AS pg_catalog.regclass) AS oid)",
                "SELECT regclass 'd'::int",
                "SELECT 'd'::\"regclass\"::int",
                "SELECT regclass('d'::text)::int",
                "SELECT to_regclass('d')::int",
                "SELECT 'number(text)'::regprocedure::oid",
                "SELECT 'd'::regtype::oid",
                "SELECT 'public'::regnamespace::int, body, 'd'::regtype::int FROM d",
                "SELECT pg_typeof(d)::oid FROM d",
                "SELECT tableoid FROM d",
                "SELECT 'd'::relation::int",
                "SELECT format_type('d'::regtype, NULL)",
                "SELECT number()",
                "SELECT number('d')"
            })
    void shouldReturnTheMastersObjectIdentifiers(String query) throws SQLException {
        try (Connection connection = cluster.connect();
                Connection direct = cluster.direct("master")) {
            assertThat(text(connection, query)).isEqualTo(text(direct, query));
            assertThat(Sql.node(connection)).isEqualTo("master");
            connection.setReadOnly(true);
            connection.setAutoCommit(false);
            text(connection, "SELECT id FROM d");
            assertThat(Sql.node(connection)).isEqualTo("satellite");
            assertThat(text(connection, query)).as("in a read-only transaction").isEqualTo(text(direct, query));
            connection.rollback();
        }
    }

    /** These views exist on the master only. */
    @ParameterizedTest
    @ValueSource(strings = {"numbers", "cast_later", "places"})
    void shouldReturnTheMastersObjectIdentifiersInViews(String view) throws SQLException {
        try (Connection connection = cluster.connect();
                Connection direct = cluster.direct("master")) {
            assertThat(text(connection, "SELECT n FROM " + view)).isEqualTo(text(direct, "SELECT n FROM " + view));
            assertThat(Sql.node(connection)).isEqualTo("master");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT oid FROM d",
                "SELECT d.oid + 1 FROM d ORDER BY oid",
                "SELECT max(oid), min(body) FROM d",
                "SELECT doubled(oid) FROM d",
                "SELECT id FROM d WHERE to_tsvector('english', body) @@ to_tsquery('english', 'dog')",
                "SELECT ts_rank(to_tsvector('english'::regconfig, body), plainto_tsquery('dog')) FROM d"
            })
    void shouldRunQueriesWithoutObjectIdentifiersOnSatellites(String query) throws SQLException {
        try (Connection connection = cluster.connect()) {
            assertThat(text(connection, query)).isNotNull();
            assertThat(Sql.node(connection)).isEqualTo("satellite");
        }
    }

    @Test
    void shouldContinueAfterATypeWasCreatedAgainUnderItsName() throws SQLException {
        for (int round = 0; round < 3; round++) {
            cluster.run(
                    "DROP TABLE IF EXISTS felt",
                    "DROP TYPE IF EXISTS pair",
                    "DROP TYPE IF EXISTS mood",
                    "CREATE TYPE mood AS ENUM ('sad', 'glad')",
                    "CREATE TYPE pair AS (m mood, i int)",
                    "CREATE TABLE felt (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, v mood, w mood[], p pair)");
            for (int client = 0; client < CLIENTS; client++) {
                try (Connection connection = cluster.connect()) {
                    useTypes(connection);
                    connection.setAutoCommit(false);
                    useTypes(connection);
                    connection.commit();
                    connection.setReadOnly(true);
                    ask(connection, "SELECT w FROM felt WHERE w = ?", connection.createArrayOf("mood", MOODS));
                    connection.commit();
                }
            }
        }
        cluster.awaitApplied();
        try (Connection master = cluster.direct("master");
                Connection satellite = cluster.direct("satellite")) {
            assertThat(Sql.rows(satellite, "SELECT felt::text FROM felt"))
                    .hasSize(2 * CLIENTS * 3 * TIMES)
                    .isEqualTo(Sql.rows(master, "SELECT felt::text FROM felt"));
        }
    }

    private static void useTypes(Connection connection) throws SQLException {
        Array moods = connection.createArrayOf("mood", MOODS);
        for (int i = 0; i < TIMES; i++) {
            ask(connection, "INSERT INTO felt (w) VALUES (?)", moods);
            ask(connection, "INSERT INTO felt (v) VALUES (?)", "sad");
            ask(connection, "INSERT INTO felt (p) VALUES (?)", "(glad,1)");
            ask(connection, "SELECT w, p FROM felt WHERE w = ?", moods);
            ask(connection, "SELECT v FROM felt WHERE v = ?", "sad");
        }
    }

    private static void ask(Connection connection, String sql, Object value) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setObject(1, value, value instanceof Array ? Types.ARRAY : Types.OTHER);
            statement.execute();
        }
    }
}
