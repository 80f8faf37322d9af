// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.Answers;
import io.multimed.server.testing.Copies;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Functions, views and tables of users that would differ on satellites, because these lack functions, constraints of
 * domains, materialized views and privileges, and have other object identifiers: the master answers.
 */
@Tag("exhaustive")
@Timeout(600)
class UsersFunctionsTest {
    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.withSatellites("postgresql", 1).awaitOnline();
        cluster.run(
                "CREATE TYPE mood AS ENUM ('sad', 'happy')",
                "CREATE DOMAIN positive AS int CHECK (VALUE > 0)",
                "CREATE TABLE person (name varchar(20) PRIMARY KEY, now mood, age int)",
                "INSERT INTO person VALUES ('a', 'happy', 3), ('b', 'sad', 4)",
                "CREATE MATERIALIZED VIEW stored AS SELECT name, age FROM person",
                "CREATE EXTENSION citext");
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static void assertAnswers(String node, String... queries) throws SQLException {
        Answers.assertRowsOrError(cluster, node, queries);
    }

    /** A function that is dropped reaches no object; the null value would stand for all objects of the database. */
    @Test
    void droppingAFunctionProjectsNoOtherObject() throws SQLException {
        try (Connection direct = cluster.direct("master")) {
            assertThat(Sql.text(direct, "SELECT multimed.reach('{}')")).isEqualTo("{}");
        }
    }

    /** A satellite reports errors that the master does not, because it lacks objects and privileges. */
    @Test
    void functionsThatHandleErrorsRunOnTheMaster() throws SQLException {
        cluster.run("""
                CREATE FUNCTION age_or_zero(text) RETURNS int LANGUAGE plpgsql STABLE AS $$ BEGIN
                    RETURN (SELECT age FROM stored WHERE name = $1);
                EXCEPTION WHEN OTHERS THEN
                    RETURN 0;
                END $$""", """
                CREATE FUNCTION checked_age(text) RETURNS int LANGUAGE plpgsql STABLE AS $$ DECLARE found int; BEGIN
                    SELECT age INTO found FROM person WHERE name = $1;
                    IF found IS NULL THEN
                        RAISE EXCEPTION 'no row';
                    END IF;
                    RETURN found;
                END $$""");
        assertAnswers("master", "SELECT age_or_zero(name) FROM person");
        assertAnswers("satellite-1", "SELECT checked_age(name) FROM person");
    }

    @Test
    void functionsThatRunATextRunOnTheMaster() throws SQLException {
        cluster.run("""
                CREATE FUNCTION result(query text) RETURNS text LANGUAGE plpgsql STABLE AS $$ DECLARE found text; BEGIN
                    EXECUTE query INTO found;
                    RETURN found;
                END $$""");
        assertAnswers(
                "master",
                "SELECT result('SELECT current_user')",
                "SELECT name, result('SELECT ''person''::regclass::oid') FROM person");
    }

    @Test
    void functionsAndViewsWithConstrainedDomainsRunOnTheMaster() throws SQLException {
        cluster.run(
                "CREATE DOMAIN free AS int",
                "CREATE FUNCTION as_free(int) RETURNS free LANGUAGE sql STABLE AS 'SELECT $1'",
                "CREATE FUNCTION as_positive(int) RETURNS positive LANGUAGE sql STABLE AS 'SELECT $1'",
                "CREATE FUNCTION of_positive(positive) RETURNS int LANGUAGE sql STABLE AS 'SELECT $1::int'",
                "CREATE VIEW negative AS SELECT name, (-age)::positive AS age FROM person");
        assertAnswers(
                "master",
                "SELECT as_positive(-age) FROM person",
                "SELECT of_positive(-age) FROM person",
                "SELECT * FROM negative");
        assertAnswers("satellite-1", "SELECT as_free(-age) FROM person");
        cluster.run("ALTER DOMAIN free ADD CONSTRAINT positive CHECK (VALUE > 0)");
        assertAnswers("master", "SELECT as_free(-age) FROM person");
        cluster.run("ALTER DOMAIN free DROP CONSTRAINT positive");
        assertAnswers("satellite-1", "SELECT as_free(-age) FROM person");
    }

    /** Without the function, the engine would choose another one with the same name. */
    @Test
    void callsOfAnAbsentFunctionRunNoOtherOne() throws SQLException {
        cluster.run(
                "CREATE FUNCTION kind(numeric) RETURNS text LANGUAGE sql STABLE AS $$ SELECT 'numeric' $$",
                "CREATE FUNCTION kind(int, text DEFAULT '') RETURNS text LANGUAGE sql STABLE AS $$ SELECT 'int' $$",
                "CREATE FUNCTION called(int) RETURNS text LANGUAGE sql STABLE AS $$ SELECT kind($1) $$");
        assertAnswers("satellite-1", "SELECT called(1)");
        cluster.run(
                "ALTER FUNCTION kind(int, text) SECURITY DEFINER",
                "CREATE VIEW kinds AS SELECT name, kind(age) FROM person",
                "CREATE FUNCTION length(varchar) RETURNS int LANGUAGE sql IMMUTABLE SECURITY DEFINER AS 'SELECT -1'",
                "CREATE FUNCTION lengths() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT sum(length(name)) FROM person'",
                "CREATE AGGREGATE max(varchar) (SFUNC = textcat, STYPE = text)",
                "CREATE FUNCTION most() RETURNS text LANGUAGE sql STABLE AS 'SELECT max(name) FROM person'",
                "CREATE FUNCTION quote_literal(person) RETURNS text LANGUAGE sql STABLE SECURITY DEFINER AS $$ SELECT 'mine' $$",
                "CREATE FUNCTION atomic(numeric) RETURNS text LANGUAGE sql STABLE AS $$ SELECT 'numeric' $$",
                "CREATE FUNCTION atomic(int) RETURNS text LANGUAGE sql STABLE BEGIN ATOMIC SELECT max(age)::text FROM stored; END");
        assertAnswers(
                "master",
                "SELECT called(1)",
                "SELECT * FROM kinds",
                "SELECT lengths()",
                "SELECT most()",
                "SELECT p.quote_literal FROM person p",
                "SELECT atomic(1)");
        cluster.run("ALTER FUNCTION kind(int, text) SECURITY INVOKER", "ALTER FUNCTION kind(int, text) RENAME TO sort");
        assertAnswers("satellite-1", "SELECT called(1)", "SELECT sort(1)", "SELECT sort(age) FROM person");
        cluster.run("DROP FUNCTION length(varchar)");
        assertAnswers("satellite-1", "SELECT lengths()");
    }

    /** The hash of an enum's value depends on an object identifier. */
    @Test
    void partitionsByTheHashOfAnEnumRemainReadable() throws SQLException {
        for (int i = 0; i < 4; i++) {
            cluster.run(
                    "CREATE TYPE label%d AS ENUM ('a', 'b', 'c', 'd')".formatted(i),
                    "CREATE TABLE parted%1$d (label label%1$d, id int) PARTITION BY HASH (label)".formatted(i),
                    "CREATE TABLE part%1$d_0 PARTITION OF parted%1$d FOR VALUES WITH (MODULUS 2, REMAINDER 0)"
                            .formatted(i),
                    "CREATE TABLE part%1$d_1 PARTITION OF parted%1$d FOR VALUES WITH (MODULUS 2, REMAINDER 1)"
                            .formatted(i),
                    "INSERT INTO parted%d VALUES ('a', 1), ('b', 2), ('c', 3), ('d', 4)".formatted(i));
            assertAnswers(
                    "master", "SELECT * FROM parted" + i, "SELECT * FROM parted%d WHERE label = 'c'".formatted(i));
            assertAnswers("satellite-1", "SELECT * FROM part%d_0".formatted(i));
        }
    }

    /** Satellites lack the inner table, because its partitions depend on a function that is not plain. */
    @Test
    void tablesWithAnAbsentPartHaveAllRows() throws SQLException {
        cluster.run(
                """
                CREATE FUNCTION bucket(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN
                    PERFORM 1;
                    RETURN $1 % 2;
                END $$""",
                "CREATE TABLE whole (a int, b int) PARTITION BY RANGE (a)",
                "CREATE TABLE plain_part PARTITION OF whole FOR VALUES FROM (100) TO (200)",
                "INSERT INTO whole VALUES (150, 3)");
        assertAnswers("satellite-1", "SELECT * FROM whole");
        Copies.of(cluster, "satellite-1").mark();
        cluster.run(
                "CREATE TABLE inner_part PARTITION OF whole FOR VALUES FROM (0) TO (100) PARTITION BY LIST (bucket(b))",
                "CREATE TABLE leaf PARTITION OF inner_part DEFAULT",
                "INSERT INTO whole VALUES (1, 1), (151, 2)");
        assertAnswers("master", "SELECT * FROM whole", "SELECT count(*) FROM inner_part");
        assertAnswers("satellite-1", "SELECT * FROM leaf", "SELECT * FROM plain_part");
        cluster.run("ALTER TABLE whole DETACH PARTITION inner_part", "INSERT INTO whole VALUES (152, 4)");
        assertAnswers("satellite-1", "SELECT * FROM whole", "SELECT * FROM leaf");
        try (Connection satellite = cluster.direct("satellite-1")) {
            assertThat(Sql.rows(satellite, "SELECT nspname FROM pg_namespace WHERE nspname = 'not_seeded'"))
                    .as("the satellite was not seeded again")
                    .isNotEmpty();
        }
    }

    @Test
    void permanentObjectsOfTemporaryTypesAreRefused() throws SQLException {
        try (Connection client = cluster.connect()) {
            Sql.run(client, "CREATE TEMP TABLE own (a int)");
            for (String statement : List.of(
                    "CREATE DOMAIN of_own AS pg_temp.own",
                    "CREATE TYPE with_own AS (one pg_temp.own)",
                    "CREATE TABLE owns (ones pg_temp.own[])")) {
                assertThatThrownBy(() -> Sql.run(client, statement))
                        .as(statement)
                        .extracting("SQLState")
                        .isEqualTo("0A000");
            }
            Sql.run(client, "CREATE TEMP TABLE other (one own)", "DROP TABLE other, own");
        }
        assertAnswers("satellite-1", "SELECT name FROM person");
    }

    /** Seeding uses the same projection, in another order. */
    @Test
    void aSatelliteThatIsSeededAgainRunsNoOtherFunctions() throws SQLException {
        cluster.run(
                "CREATE TABLE copied (name text PRIMARY KEY, age int)",
                "INSERT INTO copied VALUES ('a', 3)",
                "CREATE MATERIALIZED VIEW summed AS SELECT sum(age) AS age FROM copied",
                "CREATE TABLE of_summed (one summed)",
                "CREATE FUNCTION which(numeric) RETURNS text LANGUAGE sql STABLE AS $$ SELECT 'numeric' $$",
                "CREATE FUNCTION which(int) RETURNS text LANGUAGE sql STABLE SECURITY DEFINER AS $$ SELECT 'int' $$",
                "CREATE VIEW which_age AS SELECT which(age) FROM copied",
                "CREATE FUNCTION which_one() RETURNS text LANGUAGE sql STABLE AS 'SELECT which(1)'");
        cluster.awaitApplied();
        try (Connection satellite = cluster.direct("satellite-1")) {
            Sql.run(satellite, "DROP TABLE copied CASCADE");
        }
        cluster.run("INSERT INTO copied VALUES ('b', 4)", "INSERT INTO of_summed VALUES (ROW(1))");
        assertAnswers("satellite-1", "SELECT count(*) FROM copied", "SELECT (one).age FROM of_summed");
        assertAnswers("master", "SELECT * FROM which_age", "SELECT which_one()", "SELECT * FROM summed");
    }

    /** Satellites need not have all row types. */
    @Test
    void castsToRowTypesStopNoSatellite() throws SQLException {
        cluster.run("CREATE CAST (mood AS stored) WITH INOUT");
        assertAnswers("master", "SELECT name FROM person");
        cluster.run("DROP CAST (mood AS stored)");
        assertAnswers("satellite-1", "SELECT name FROM person");
    }

    /** By the search_path, a relation in the schema of the master's user precedes one in the schema public. */
    @Test
    void namesOfAbsentRelationsStandForNoOtherOnes() throws SQLException {
        cluster.run(
                "CREATE SCHEMA " + cluster.engine("master").user(),
                "CREATE TABLE public.stock (n int)",
                "CREATE TABLE public.reader (n text)");
        String own = cluster.engine("master").user();
        assertAnswers("satellite-1", "SELECT n FROM stock", "SELECT n FROM reader");
        cluster.run(
                "CREATE MATERIALIZED VIEW %s.stock AS SELECT 2 AS n".formatted(own),
                "CREATE VIEW %s.reader AS SELECT current_user::text AS n".formatted(own),
                "INSERT INTO public.stock VALUES (1)");
        assertAnswers("master", "SELECT n FROM stock", "SELECT n FROM reader");
        assertAnswers("satellite-1", "SELECT n FROM public.stock");
        cluster.run(
                "CREATE TYPE with_row AS (one %s.stock)".formatted(own),
                "CREATE DOMAIN of_row AS %s.stock".formatted(own),
                "CREATE TABLE rows (one %s.stock)".formatted(own),
                "INSERT INTO rows VALUES (ROW(3))");
        assertAnswers("satellite-1", "SELECT (one).n FROM rows");
        cluster.run(
                "DROP TABLE rows",
                "DROP DOMAIN of_row",
                "DROP TYPE with_row",
                "ALTER VIEW %s.reader RENAME TO reading".formatted(own),
                "DROP MATERIALIZED VIEW %s.stock".formatted(own));
        assertAnswers("satellite-1", "SELECT n FROM stock", "SELECT n FROM reader");
        cluster.run(
                "CREATE OR REPLACE VIEW %s.reading AS SELECT name::text COLLATE \"C\" AS n FROM person".formatted(own));
        assertAnswers("satellite-1", "SELECT n FROM reading");
    }

    /** Satellites have what the script of an extension creates, but not what users add to the extension. */
    @Test
    void castsAndOperatorsThatUsersAddToAnExtensionRunOnTheMaster() throws SQLException {
        cluster.run(
                "CREATE FUNCTION told(mood) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'told' $$",
                "CREATE FUNCTION joined(text, int) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'joined' $$",
                "CREATE OPERATOR || (FUNCTION = joined, LEFTARG = text, RIGHTARG = int)",
                "ALTER EXTENSION citext ADD OPERATOR || (text, int)");
        assertAnswers("master", "SELECT name || age FROM person");
        assertAnswers("satellite-1", "SELECT now::text FROM person");
        cluster.run(
                "CREATE CAST (mood AS text) WITH FUNCTION told(mood)",
                "ALTER EXTENSION citext ADD CAST (mood AS text)");
        assertAnswers("master", "SELECT now::text FROM person");
        cluster.run(
                "ALTER EXTENSION citext DROP CAST (mood AS text)",
                "DROP CAST (mood AS text)",
                "ALTER EXTENSION citext DROP OPERATOR || (text, int)",
                "DROP OPERATOR || (text, int)");
        assertAnswers("satellite-1", "SELECT now::text FROM person");
    }
}
