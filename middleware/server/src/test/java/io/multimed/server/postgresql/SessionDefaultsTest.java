// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.TestCluster;
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

/**
 * Settings that an administrator has made for the database or the user of the master also apply to reads on satellites.
 */
@Timeout(300)
@Tag("exhaustive")
class SessionDefaultsTest {
    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.withSatellites(1).awaitOnline();
        cluster.run(
                "CREATE SCHEMA hidden",
                "CREATE TABLE hidden.thing (id int PRIMARY KEY, i interval, b bytea, t text)",
                "CREATE TABLE public.thing (id int PRIMARY KEY)",
                "INSERT INTO hidden.thing VALUES (1, '1 day 02:03:04', '\\x00ff41', 'the quick foxes')",
                "CREATE EXTENSION pg_trgm");
        set(
                "ALTER DATABASE shop SET search_path = hidden, \"Odd, one\", public",
                "ALTER DATABASE shop SET intervalstyle = iso_8601",
                "ALTER ROLE CURRENT_USER SET bytea_output = escape",
                "ALTER ROLE CURRENT_USER SET default_text_search_config = 'pg_catalog.english'",
                "ALTER DATABASE shop SET transform_null_equals = on",
                "ALTER DATABASE shop SET pg_trgm.similarity_threshold = 0.8");
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static void set(String... statements) throws Exception {
        try (Connection master = cluster.direct("master")) {
            Sql.run(master, statements);
        }
        cluster.restartMiddleware();
        cluster.awaitOnline();
    }

    private static void assertAnswer(String query, String answer) throws SQLException {
        cluster.awaitApplied();
        try (Connection connection = cluster.connect()) {
            assertThat(Sql.text(connection, query)).isEqualTo(answer);
            assertThat(Sql.node(connection)).isEqualTo("satellite-1");
        }
    }

    @Test
    void shouldUseSettingsOfTheMastersDatabaseAndUserOnSatellites() throws Exception {
        assertAnswer("SELECT t FROM thing", "the quick foxes");
        assertAnswer("SELECT i::text FROM thing", "P1DT2H3M4S");
        assertAnswer("SELECT b::text FROM thing", "\\000\\377A");
        assertAnswer("SELECT to_tsvector(t)::text FROM thing", "'fox':3 'quick':2");
        assertAnswer("SELECT count(*) FROM thing WHERE (NULLIF(id, 1) = NULL)", "1");
        assertAnswer("SELECT count(*) FROM thing WHERE t % 'the quick fox'", "0");

        set("ALTER DATABASE shop RESET ALL", "ALTER ROLE CURRENT_USER RESET ALL");
        assertAnswer("SELECT count(*) FROM thing", "0");
        assertAnswer("SELECT i::text FROM hidden.thing", "1 day 02:03:04");
        assertAnswer("SELECT count(*) FROM hidden.thing WHERE t % 'the quick fox'", "1");
    }

    /** This database has no functions of users, so that reads of tables need no seal. */
    @Test
    void shouldNotExposeSettingsThatAViewChanged() throws Exception {
        String asked = "SELECT current_setting('work_mem') FROM public.thing RIGHT JOIN (VALUES (1)) v ON true";
        try (Connection client = cluster.connect()) {
            String usual = Sql.text(client, asked);
            Sql.run(client, "CREATE VIEW public.setting AS SELECT set_config('work_mem', '7MB', false) AS changed");
            for (int i = 0; i < 20; i++) { // on all connections of the pool
                client.setAutoCommit(i % 2 == 0);
                assertThat(Sql.text(client, "SELECT changed FROM public.setting"))
                        .isEqualTo("7MB");
                if (!client.getAutoCommit()) {
                    client.commit();
                }
                assertThat(askedByOthers(asked)).containsOnly(usual);
            }
        }
    }

    private static Set<String> askedByOthers(String query) throws SQLException {
        Set<String> answers = new HashSet<>();
        try (Connection first = cluster.connect();
                Connection second = cluster.connect()) {
            for (Connection other : List.of(first, second)) {
                other.setAutoCommit(false);
                Sql.run(other, "UPDATE public.thing SET id = id");
                answers.add(Sql.text(other, query));
            }
        }
        return answers;
    }
}
