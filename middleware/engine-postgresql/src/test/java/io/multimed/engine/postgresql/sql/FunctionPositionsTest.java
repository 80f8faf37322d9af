// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.multimed.engine.conformance.EngineUnderTest;
import io.multimed.engine.conformance.LaunchedServers;
import io.multimed.engine.conformance.Sql;
import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.FunctionNames;
import io.multimed.engine.sql.HiddenState;
import io.multimed.engine.sql.ReadProof;
import io.multimed.engine.sql.SchemaFacts;
import io.multimed.engine.sql.SqlReader;
import io.multimed.engine.writeset.ReplicatedTables;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * No place in a query hides the call of a function that is not pure. Each form runs on the engine first, so that it is
 * a form that calls the function.
 */
@Tag("slow")
@Timeout(120)
class FunctionPositionsTest {
    /** The function of the forms, which takes one text, and returns one. */
    private static final String CALLED = "impure";

    /** As long as a name can be: the engine cuts the rest off. */
    private static final String LONG = "f".repeat(63);

    /** 63 bytes, and fewer characters. */
    private static final String WIDE = "f" + "\u00c9".repeat(31);

    private static EngineUnderTest servers;
    private static Connection master;
    private static SqlReader reader;
    private static ReadProof proof;

    @BeforeAll
    static void start() throws SQLException {
        servers = LaunchedServers.start("postgresql");
        master = servers.engine().connect(servers.master());
        servers.engine().masterStore().capture().install(master, ReplicatedTables.ALL, false);
        master.setAutoCommit(false);
        Sql.run(
                master,
                "SET LOCAL multimed.writeset = ''",
                "CREATE TABLE thing (id int, x text)",
                "INSERT INTO thing VALUES (1, 'a'), (2, 'b')",
                "CREATE SEQUENCE called",
                "CREATE FUNCTION impure(text) RETURNS text LANGUAGE sql VOLATILE AS $$ SELECT nextval('called')::text $$",
                "CREATE FUNCTION \"Impure\"(text) RETURNS text LANGUAGE sql VOLATILE AS $$ SELECT nextval('called')::text $$",
                "CREATE FUNCTION \"im\"\"pure\"(text) RETURNS text LANGUAGE sql VOLATILE AS $$ SELECT nextval('called')::text $$",
                "CREATE FUNCTION \"im\"\"\"\"pure\"(text) RETURNS text LANGUAGE sql STABLE AS $$ SELECT $1 $$",
                "CREATE FUNCTION " + LONG
                        + "(text) RETURNS text LANGUAGE sql VOLATILE AS $$ SELECT nextval('called')::text $$",
                "CREATE FUNCTION \"" + WIDE
                        + "\"(text) RETURNS text LANGUAGE sql VOLATILE AS $$ SELECT nextval('called')::text $$",
                "CREATE FUNCTION random(text) RETURNS text LANGUAGE sql VOLATILE AS $$ SELECT nextval('called')::text $$",
                "CREATE FUNCTION impures(text) RETURNS SETOF text LANGUAGE sql VOLATILE AS $$ SELECT nextval('called')::text $$");
        SchemaFacts facts = servers.engine().dialect().catalog().schemaFacts(master);
        reader = servers.engine().dialect().reader();
        proof = new ReadProof(reader.readRules(), facts);
    }

    @AfterAll
    static void stop() throws SQLException {
        if (servers != null) {
            master.close();
            servers.close();
        }
    }

    private static Classification.Kind kind(String sql) {
        return reader.classify(reader.read(sql), () -> proof).kind();
    }

    private static long calls() throws SQLException {
        String last = Sql.text(master, "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM called");
        return Long.parseLong(String.valueOf(last));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT impure('a')",
                "SELECT impure ( 'a' ) FROM thing",
                "SELECT impure/**/('a')",
                "SELECT impure -- f\n ('a')",
                "SELECT \"impure\"('a')",
                "SELECT IMPURE('a')",
                "SELECT public.impure('a')",
                "SELECT public . \"impure\" ('a')",
                "SELECT ('a'::text).impure",
                "SELECT (t.x).impure FROM thing t",
                "SELECT (t.x).\"impure\" FROM thing t",
                "SELECT (thing.x).impure AS x FROM thing",
                "SELECT (t).x, (t.x) . impure FROM thing t",
                "SELECT ((SELECT 'a'::text)).impure",
                "SELECT (CASE WHEN true THEN 'a'::text END).impure",
                "WITH impure AS (SELECT 1) SELECT impure('a') FROM impure",
                "WITH impure(x) AS (SELECT 1) SELECT impure('a') FROM impure",
                "WITH impure(x) AS MATERIALIZED (SELECT 1) SELECT impure('a') FROM impure",
                "WITH RECURSIVE impure(x) AS (SELECT 1 UNION SELECT x FROM impure) SELECT impure('a') FROM impure",
                "WITH a AS (SELECT 1), impure(x, y) AS (VALUES (1, 2)) SELECT impure('a') FROM impure",
                "WITH a AS (WITH impure(x) AS (SELECT 1) SELECT impure('a') FROM impure) SELECT * FROM a",
                "SELECT * FROM thing AS impure(a, b), impure('a') AS c",
                "SELECT impure FROM impure('a')",
                "SELECT * FROM impures('a')",
                "SELECT * FROM thing, impures(x)",
                "SELECT * FROM thing, LATERAL impures(x) WITH ORDINALITY",
                "SELECT * FROM ROWS FROM (impures('a'), impures('b'))",
                "SELECT id FROM thing ORDER BY impure(x)",
                "SELECT id FROM thing WHERE impure(x) IS NOT NULL",
                "SELECT id FROM thing LIMIT length(impure('a'))",
                "SELECT id FROM thing OFFSET (SELECT length(impure('a')) - length(impure('a')))",
                "SELECT max(id) FROM thing GROUP BY impure(x)",
                "SELECT max(id) FROM thing GROUP BY ROLLUP (impure(x))",
                "SELECT max(id) FROM thing GROUP BY GROUPING SETS ((impure(x)), ())",
                "SELECT max(id) FROM thing HAVING impure('a') IS NOT NULL",
                "SELECT max(id) FILTER (WHERE impure(x) IS NOT NULL) FROM thing",
                "SELECT max(id) OVER (ORDER BY impure(x)) FROM thing",
                "SELECT max(id) OVER w FROM thing WINDOW w AS (PARTITION BY impure(x))",
                "SELECT string_agg(x, ',' ORDER BY impure(x)) FROM thing",
                "SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY impure(x)) FROM thing",
                "SELECT DISTINCT ON (impure(x)) id FROM thing",
                "SELECT CASE impure('a') WHEN 'a' THEN 1 END",
                "SELECT CASE WHEN impure('a') = 'a' THEN 1 END",
                "SELECT coalesce(NULL, impure('a'))",
                "SELECT ARRAY[impure('a')]",
                "SELECT (ARRAY['a'])[length(impure('a'))]",
                "SELECT ROW(impure('a'))",
                "SELECT CAST(impure('a') AS varchar)",
                "SELECT impure('a')::varchar",
                "SELECT substring('abc' FROM length(impure('a')))",
                "SELECT substring(impure('a') FROM 1)",
                "SELECT overlay('abc' PLACING impure('a') FROM 1)",
                "SELECT position(impure('a') IN 'b')",
                "SELECT trim(BOTH FROM impure('a'))",
                "SELECT extract(epoch FROM impure('1')::int * interval '1 s')",
                "SELECT 'a' LIKE impure('a')",
                "SELECT 'a' LIKE 'a' ESCAPE left(impure('a'), 1)",
                "SELECT 'a' SIMILAR TO impure('a')",
                "SELECT 'a' IN (impure('a'))",
                "SELECT 'a' = ANY (ARRAY[impure('a')])",
                "SELECT 'a' BETWEEN impure('a') AND 'b'",
                "SELECT 1 WHERE EXISTS (SELECT WHERE impure('a') IS NOT NULL)",
                "SELECT NOT (impure('a') IS NULL)",
                "SELECT impure('a') COLLATE \"C\"",
                "SELECT (impure('a'))",
                "VALUES (impure('a'))",
                "VALUES (1), ((SELECT length(impure('a'))))",
                "(SELECT impure('a'))",
                "SELECT 1 UNION SELECT length(impure('a'))",
                "SELECT * FROM (SELECT impure('a')) AS s(x)",
                "SELECT * FROM thing a JOIN thing b ON impure(a.x) IS NOT NULL",
                "SELECT * FROM generate_series(1, length(impure('a')))",
                "SELECT json_build_object('a', impure('a'))",
                "SELECT json_object('a' : impure('a'))",
                "SELECT xmlelement(name a, impure('a'))",
                "SELECT * FROM json_table('[1]'::jsonb, '$[*]' COLUMNS (a int PATH '$')) j, impures('a')",
                "SELECT impure(VARIADIC => NULL) FROM (SELECT impure('a')) x",
                "SELECT count(impure(x)) FROM thing",
                "SELECT count(DISTINCT impure(x)) FROM thing",
                "SELECT nullif(impure('a'), 'b'), greatest(impure('a'), 'b')",
                "SELECT length('a' || impure('a'))",
                "SELECT 'a' OPERATOR(pg_catalog.||) impure('a')",
                "SELECT 1 FROM thing FETCH FIRST (length(impure('a'))) ROWS ONLY",
                "SELECT interval '1' hour * length(impure('a'))",
                "SELECT * FROM thing TABLESAMPLE system (length(impure('a')))",
                "SELECT normalize(impure('a')), impure('a') IS NORMALIZED",
                "SELECT grouping(impure(x)) FROM thing GROUP BY impure(x)",
            })
    void noPlaceHidesACall(String query) throws SQLException {
        long before = calls();
        Sql.run(master, "SAVEPOINT before");
        try {
            Sql.rows(master, query);
            assertThat(calls()).as("the form calls the function").isGreaterThan(before);
        } catch (SQLException e) {
            assertThat(query)
                    .as("a form that this version of the engine has: %s", e.getMessage())
                    .contains("=>");
            Sql.run(master, "ROLLBACK TO before");
        }
        assertThat(kind(query)).as(query).isNotIn(Classification.Kind.PURE_READ, Classification.Kind.QUERY);
    }

    /** The engine compares names without quotes, with one quote for two, and cut to 63 bytes. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT (t.x).\"Impure\" FROM thing t",
                "SELECT (t.x).\"im\"\"pure\" FROM thing t",
                "SELECT (t.x).U&\"\\0069mpure\" FROM thing t",
                "SELECT (t.x).u&\"!0069mpure\" UESCAPE '!' FROM thing t",
                "SELECT (t.x).random FROM thing t",
                "SELECT (t.x).LONGffff FROM thing t",
                "SELECT (t.x).\"LONGffff\" FROM thing t",
                "SELECT (t.x).\"WIDE\" FROM thing t",
                "SELECT (t.x).\"WIDE\u00c9\" FROM thing t",
                "SELECT \"Impure\"(x) FROM thing",
                "SELECT \"im\"\"pure\"(x) FROM thing",
                "SELECT U&\"\\0069mpure\"(x) FROM thing",
                "SELECT U&\"!0069mpure\" UESCAPE '!' (x) FROM thing",
                "SELECT random(x) FROM thing",
                "SELECT LONGffff(x) FROM thing",
                "SELECT \"LONGffff\"(x) FROM thing",
                "SELECT \"WIDE\u00c9\"(x) FROM thing",
            })
    void noSpellingOfANameHidesACall(String form) throws SQLException {
        String query = form.replace("LONG", LONG).replace("WIDE", WIDE);
        long before = calls();
        Sql.rows(master, query);
        assertThat(calls()).as("the form calls the function").isGreaterThan(before);
        assertThat(kind(query)).as(query).isNotIn(Classification.Kind.PURE_READ, Classification.Kind.QUERY);
    }

    /** Views that may change the session, and domains that satellites do not check, are found by any spelling. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT * FROM \"my\"\"view\"",
                "SELECT * FROM U&\"my\\0022view\"",
                "SELECT * FROM LONGffff",
                "SELECT * FROM \"LONGffff\"",
                "SELECT '1'::\"po\"\"s\" FROM thing",
                "SELECT '1'::U&\"p\\006f\\0022s\" FROM thing",
            })
    void noSpellingOfANameHidesAnObject(String form) {
        HiddenState hidden = HiddenState.of(List.of(
                StateInFunctions.function("my lock", "SELECT pg_advisory_lock(1)"),
                StateInFunctions.function("caller", "SELECT \"my lock\"()"),
                StateInFunctions.caller("my\"view", HiddenState.Use.ANY, "caller"),
                StateInFunctions.caller(LONG, HiddenState.Use.ANY, "caller")));
        ReadProof known = new ReadProof(
                reader.readRules(),
                new SchemaFacts(
                        FunctionNames.pure(Set.of()),
                        Set.of("po\"s"),
                        true,
                        false,
                        false,
                        Set.of(),
                        Set.of(),
                        Set.of(),
                        hidden));
        String query = form.replace("LONG", LONG);
        Classification found = reader.classify(reader.read(query), () -> known);
        assertThat(found.kind()).isIn(Classification.Kind.EFFECT, Classification.Kind.MASTER);
        assertThat(found.review() == Classification.Review.ALWAYS || query.contains("::"))
                .as("the session is examined")
                .isTrue();
    }

    /** Names that are not called do not keep a query from being a read. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "WITH a (impure, y) AS (SELECT 1, 2) SELECT impure FROM a",
                "WITH a (x) AS (SELECT 1), b (y, z) AS (SELECT 1, 2) SELECT x, y FROM a, b",
                "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i FROM n",
                "SELECT t.x AS impure FROM thing t",
                "SELECT t.x, t.id, lower(t.x) FROM thing t",
                "SELECT pg_catalog.lower(x) FROM thing",
            })
    void aNameThatIsNotCalledIsNoFunction(String query) {
        assertThatCode(() -> Sql.rows(master, query)).doesNotThrowAnyException();
        assertThat(kind(query)).as(query).isEqualTo(Classification.Kind.PURE_READ);
    }

    /** All functions of the engine that change something, or may read any table, are among those that are not pure. */
    @Test
    void theEnginesOwnFunctionsAreJudged() throws SQLException {
        SchemaFacts facts = servers.engine().dialect().catalog().schemaFacts(master);
        assertThat(facts.functions().impure())
                .contains(
                        "set_config",
                        "query_to_xml",
                        "table_to_xml",
                        "database_to_xml",
                        "cursor_to_xml",
                        "ts_stat",
                        "ts_rewrite",
                        "nextval",
                        "setval",
                        "currval",
                        "lastval",
                        "setseed",
                        "lo_create",
                        "lo_get",
                        "pg_advisory_lock",
                        "pg_terminate_backend",
                        "pg_sleep",
                        "random",
                        CALLED);
        assertThat(facts.functions().attributes())
                .contains("nextval", "setseed", "ts_stat", "pg_advisory_lock", "pg_terminate_backend", CALLED)
                .doesNotContain("version", "lastval");
        Set<String> both = new HashSet<>(facts.functions().pure());
        both.retainAll(facts.functions().impure());
        assertThat(both).isEmpty();
    }
}
