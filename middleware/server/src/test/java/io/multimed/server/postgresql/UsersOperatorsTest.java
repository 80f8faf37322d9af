// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.Answers;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Operators, casts and operator classes of users that replace the engine's own. Satellites have the casts by input and
 * output functions only; a read that might run any of the others runs on the master.
 */
@Tag("slow")
@Timeout(600)
class UsersOperatorsTest {
    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.withSatellites("postgresql", 1).awaitOnline();
        cluster.run(
                "CREATE TYPE mood AS ENUM ('sad', 'happy')",
                "CREATE TABLE person (name text PRIMARY KEY, now mood, age int)",
                "INSERT INTO person VALUES ('a', 'happy', 3), ('b', 'sad', 4)",
                "CREATE FUNCTION joined(text, int) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'joined' $$",
                "CREATE FUNCTION told(mood) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'told' $$",
                "CREATE FUNCTION never(mood, mood) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$ SELECT false $$",
                "CREATE FUNCTION alike(mood, mood) RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT 0 $$",
                "CREATE FUNCTION labelled(text, int) RETURNS text LANGUAGE sql STABLE AS $$ SELECT $1 || $2 $$");
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static void assertAnswer(String node, String query) throws SQLException {
        Answers.assertRows(cluster, node, query);
    }

    /** The engine has an operator of the same name, which accepts the same types. */
    @Test
    void readsWithAnOverloadedOperatorRunOnTheMaster() throws SQLException {
        String read = "SELECT name || age FROM person ORDER BY name";
        String unaffected = "SELECT name, age + 1 FROM person ORDER BY name";
        String view = "SELECT * FROM named ORDER BY 1";
        String function = "SELECT labelled(name, age) FROM person ORDER BY name";
        assertAnswer("satellite-1", read);
        assertAnswer("satellite-1", function);
        cluster.run(
                "CREATE OPERATOR || (FUNCTION = joined, LEFTARG = text, RIGHTARG = int)",
                "CREATE VIEW named AS SELECT name || age AS label FROM person");
        assertAnswer("master", read);
        assertAnswer("master", "SELECT name OPERATOR(public.||) age FROM person ORDER BY name");
        assertAnswer("master", view);
        assertAnswer("master", function);
        assertAnswer("satellite-1", unaffected);
        cluster.run("DROP VIEW named", "DROP OPERATOR || (text, int)");
        assertAnswer("satellite-1", read);
        assertAnswer("satellite-1", function);
    }

    /** Keywords such as IN run the operator, too. */
    @Test
    void readsWithAnOverloadedComparisonRunOnTheMaster() throws SQLException {
        String read = "SELECT name FROM person WHERE now IN ('happy', 'sad')";
        assertAnswer("satellite-1", read);
        cluster.run("CREATE OPERATOR = (FUNCTION = never, LEFTARG = mood, RIGHTARG = mood)");
        assertAnswer("master", read);
        cluster.run("DROP OPERATOR = (mood, mood)");
        assertAnswer("satellite-1", read);
    }

    /** Satellites have no other operator of this name: they cannot run another one. */
    @Test
    void readsWithoutANewOperatorStayOnSatellites() throws SQLException {
        cluster.run("CREATE OPERATOR <@@> (FUNCTION = joined, LEFTARG = text, RIGHTARG = int)");
        assertAnswer("master", "SELECT name <@@> age FROM person ORDER BY name");
        assertAnswer("satellite-1", "SELECT name || age FROM person ORDER BY name");
        cluster.run("DROP OPERATOR <@@> (text, int)");
    }

    @Test
    void readsRunOnTheMasterWhileACastWithAFunctionExists() throws SQLException {
        String read = "SELECT name, now::text FROM person ORDER BY name";
        assertAnswer("satellite-1", read);
        cluster.run("CREATE CAST (mood AS text) WITH FUNCTION told(mood)");
        assertAnswer("master", read);
        assertAnswer("master", "SELECT to_json(age), CAST(now AS text) FROM person ORDER BY name");
        cluster.run("DROP CAST (mood AS text)");
        assertAnswer("satellite-1", read);
    }

    /** Many applications have such casts, so that a parameter of type varchar matches an enum. */
    @Test
    void satellitesHaveCastsByInputAndOutputFunctions() throws SQLException {
        cluster.run("CREATE CAST (varchar AS mood) WITH INOUT AS IMPLICIT");
        String read = "SELECT name, age FROM person WHERE told('sad'::varchar) = 'told'";
        assertAnswer("satellite-1", read);
        cluster.run("ALTER TYPE mood RENAME TO humour");
        assertAnswer("satellite-1", read);
        cluster.run("ALTER TYPE humour RENAME TO mood", "DROP CAST (varchar AS mood)");
        cluster.awaitApplied();
        try (Connection satellite = cluster.direct("satellite-1")) {
            assertThat(Sql.text(satellite, "SELECT count(*) FROM pg_cast WHERE oid >= 16384 AND castmethod = 'i'"))
                    .isEqualTo("0");
        }
    }

    @Test
    void readsRunOnTheMasterWhileATypeHasAUsersDefaultOrder() throws SQLException {
        String read = "SELECT name FROM person ORDER BY now, name";
        assertAnswer("satellite-1", read);
        cluster.run(
                "CREATE OPERATOR <@ (FUNCTION = never, LEFTARG = mood, RIGHTARG = mood)",
                "CREATE OPERATOR =@ (FUNCTION = never, LEFTARG = mood, RIGHTARG = mood)",
                "CREATE OPERATOR >@ (FUNCTION = never, LEFTARG = mood, RIGHTARG = mood)",
                """
                CREATE OPERATOR CLASS own DEFAULT FOR TYPE mood USING btree AS OPERATOR 1 <@ (mood, mood),
                OPERATOR 3 =@ (mood, mood), OPERATOR 5 >@ (mood, mood), FUNCTION 1 alike(mood, mood)""");
        assertAnswer("master", read);
        cluster.run("DROP OPERATOR FAMILY own USING btree CASCADE", "DROP OPERATOR <@ (mood, mood)");
        assertAnswer("satellite-1", read);
    }
}
