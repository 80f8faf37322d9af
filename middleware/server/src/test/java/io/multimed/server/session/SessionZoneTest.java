// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.session;

import static io.multimed.engine.conformance.Sql.node;
import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.SimpleTimeZone;
import java.util.TimeZone;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * SQL runs in the time zone of the client's Java machine, as with the driver of the engine, although clients of all
 * zones share the connections to the engines.
 */
@Timeout(600)
@Tag("exhaustive")
@Tag("standbys")
class SessionZoneTest {
    private static final TimeZone USUAL = TimeZone.getDefault();

    private static final String SETTING = "SELECT current_setting('TimeZone')";

    /** The queries whose results depend on the time zone of the client. */
    private static final List<String> QUERIES = List.of(
            "SELECT v FROM moment WHERE id = 1",
            "SELECT v::text FROM moment WHERE id = 1",
            "SELECT v::date::text FROM moment WHERE id = 1",
            "SELECT to_char(v, 'YYYY-MM-DD HH24:MI:SS') FROM moment WHERE id = 1",
            "SELECT '2020-07-01 12:00'::timestamptz FROM moment WHERE id = 1",
            "SELECT ARRAY[v]::text FROM moment WHERE id = 1",
            "SELECT v FROM moment WHERE id = 2",
            "SELECT constant()");

    private static TestCluster cluster;

    private interface Use {
        void of(Connection connection) throws SQLException;
    }

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.of("""
                        share-cores: true
                        nodes:
                        - {name: master, role: master, memory: 128m, pool: 2}
                        - {name: satellite, role: satellite, memory: 128m, pool: 1}
                        """).awaitOnline();
        cluster.run(
                "CREATE TABLE moment (id int PRIMARY KEY, v timestamptz)",
                "INSERT INTO moment VALUES (1, '2020-01-01 00:30:00.5Z'), (2, 'infinity')",
                "CREATE FUNCTION constant() RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN '2020-07-01 12:00'; END $$");
    }

    @AfterAll
    static void stop() {
        TimeZone.setDefault(USUAL);
        cluster.close();
    }

    private static void in(TimeZone zone, Use use) throws SQLException {
        TimeZone.setDefault(zone);
        try (Connection connection = cluster.connect()) {
            use.of(connection);
        } finally {
            TimeZone.setDefault(USUAL);
        }
    }

    private static TimeZone zone(String id) {
        return TimeZone.getTimeZone(id);
    }

    private static String pinned() {
        return cluster.middleware().status().nodes().get(0).pinned();
    }

    private static List<String> seen(Connection connection) throws SQLException {
        List<String> seen = new ArrayList<>();
        for (String query : QUERIES) {
            try (PreparedStatement statement = connection.prepareStatement(query);
                    ResultSet row = statement.executeQuery()) {
                row.next();
                seen.add(row.getString(1));
                if (row.getMetaData().getColumnTypeName(1).equals("timestamptz")) {
                    seen.add(row.getTimestamp(1).toString());
                    seen.add(row.getDate(1).toString());
                    seen.add(row.getObject(1, OffsetDateTime.class).toString());
                }
            }
        }
        return seen;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"Asia/Tokyo", "America/St_Johns", "GMT+03:30", "GMT-11", "UTC", "EST", "PST8PDT", "Europe/Dublin"
            })
    void shouldReturnTheSameValuesAsTheEnginesDriver(String id) throws SQLException {
        List<String> expected = new ArrayList<>();
        List<@Nullable String> setting = new ArrayList<>();
        TimeZone.setDefault(zone(id));
        try (Connection direct = cluster.direct("master")) {
            expected.addAll(seen(direct));
            setting.add(text(direct, SETTING));
        } finally {
            TimeZone.setDefault(USUAL);
        }
        for (int round = 0; round < 3; round++) {
            in(zone("Asia/Kolkata"), SessionZoneTest::seen); // statements stay prepared on the shared connection
            in(zone(id), connection -> {
                assertThat(text(connection, SETTING)).isEqualTo(setting.get(0));
                assertThat(seen(connection)).isEqualTo(expected);
                assertThat(node(connection)).isEqualTo("satellite");
                connection.setAutoCommit(false);
                run(connection, "UPDATE moment SET v = v WHERE id = 1");
                assertThat(seen(connection)).isEqualTo(expected);
                assertThat(node(connection)).isEqualTo("master");
                connection.rollback();
                connection.setReadOnly(true);
                assertThat(seen(connection)).isEqualTo(expected);
                assertThat(node(connection)).isEqualTo("satellite");
                connection.commit();
            });
        }
        assertThat(pinned()).isEmpty();
    }

    /** Covers updates that run alone and updates that run in a commit group. */
    @Test
    void shouldReadTextsOfUpdatesInTheClientsZone() throws SQLException {
        for (int round = 0; round < 4; round++) {
            insert("Asia/Tokyo", 100 + round);
            insert("America/New_York", 200 + round);
        }
        in(zone("UTC"), connection -> {
            String moments = "SELECT string_agg(DISTINCT v::text, ' ') FROM moment WHERE id BETWEEN ";
            assertThat(text(connection, moments + "100 AND 199")).isEqualTo("2020-07-01 03:00:00+00");
            assertThat(text(connection, moments + "200 AND 299")).isEqualTo("2020-07-01 16:00:00+00");
        });
    }

    private static void insert(String zone, int id) throws SQLException {
        in(zone(zone), connection -> {
            try (PreparedStatement insert =
                    connection.prepareStatement("INSERT INTO moment VALUES (?, '2020-07-01 12:00')")) {
                insert.setInt(1, id);
                assertThat(insert.executeUpdate()).isEqualTo(1);
            }
        });
    }

    @Test
    void shouldNotPinTheSessionForAZoneThatSqlHasSet() throws SQLException {
        in(zone("Asia/Tokyo"), connection -> {
            run(connection, "SET TIME ZONE 'Europe/Paris'");
            assertThat(pinned()).isEmpty();
            assertThat(text(connection, QUERIES.get(0))).isEqualTo("2020-01-01 01:30:00.5+01");
            assertThat(node(connection)).isEqualTo("satellite");
            assertThat(text(connection, "SELECT v::text || count(*) FROM moment WHERE id = 1 GROUP BY v"))
                    .isEqualTo("2020-01-01 01:30:00.5+011");
            run(connection, "SET TIME ZONE 2.5");
            assertThat(text(connection, QUERIES.get(0))).isEqualTo("2020-01-01 03:00:00.5+02:30");
            run(connection, "SET TIME ZONE INTERVAL '-3:15' HOUR TO MINUTE");
            assertThat(text(connection, QUERIES.get(0))).isEqualTo("2019-12-31 21:15:00.5-03:15");
            run(connection, "SELECT set_config('TimeZone', 'Europe/Paris', false)");
            assertThat(text(connection, QUERIES.get(1))).isEqualTo("2020-01-01 01:30:00.5+01");
            for (String reset : List.of("RESET TIME ZONE", "SET timezone TO DEFAULT", "RESET ALL", "DISCARD ALL")) {
                run(connection, "SET TIME ZONE 'Europe/Paris'", reset);
                assertThat(text(connection, QUERIES.get(1))).as(reset).isEqualTo("2020-01-01 09:30:00.5+09");
                assertThat(node(connection)).isEqualTo("satellite");
            }
        });
    }

    @Test
    void shouldKeepOrUndoAZoneAtTheEndOfTheTransaction() throws SQLException {
        in(zone("Asia/Tokyo"), connection -> {
            connection.setAutoCommit(false);
            run(connection, "SET TIME ZONE 'Europe/Paris'");
            assertThat(text(connection, SETTING)).isEqualTo("Europe/Paris");
            connection.rollback();
            assertThat(text(connection, SETTING)).isEqualTo("Asia/Tokyo");
            run(connection, "SET LOCAL TIME ZONE 'Europe/Paris'");
            assertThat(text(connection, SETTING)).isEqualTo("Europe/Paris");
            connection.commit();
            assertThat(text(connection, SETTING)).isEqualTo("Asia/Tokyo");
            run(connection, "SET TIME ZONE 'Europe/Paris'");
            connection.commit();
            assertThat(text(connection, SETTING)).isEqualTo("Europe/Paris");
            connection.rollback();
        });
        in(
                zone("Asia/Tokyo"),
                connection -> assertThat(text(connection, SETTING)).isEqualTo("Asia/Tokyo"));
    }

    @Test
    void shouldResetTheZoneOfAPinnedSessionToTheZoneOfTheClient() throws SQLException {
        in(zone("Asia/Tokyo"), connection -> {
            run(connection, "CREATE TEMP TABLE scratch (a int)", "SET TIME ZONE 'Europe/Paris'");
            assertThat(pinned()).contains("temporary tables 1").doesNotContain("settings");
            assertThat(text(connection, SETTING)).isEqualTo("Europe/Paris");
            run(connection, "RESET ALL");
            assertThat(text(connection, SETTING)).isEqualTo("Asia/Tokyo");
            run(connection, "DROP TABLE scratch");
            assertThat(pinned()).isEmpty();
        });
    }

    @Test
    void shouldReportAZoneThatTheEngineDoesNotKnow() throws SQLException {
        in(new SimpleTimeZone(0, "Nowhere/Land"), connection -> {
            for (String sql : List.of(QUERIES.get(0), "UPDATE moment SET v = v", "SHOW TimeZone")) {
                assertThatThrownBy(() -> run(connection, sql))
                        .isInstanceOf(SQLException.class)
                        .hasMessageContaining("invalid value for parameter \"TimeZone\": \"Nowhere/Land\"")
                        .hasFieldOrPropertyWithValue("SQLState", "22023");
            }
        });
        in(USUAL, connection -> assertThat(text(connection, "SELECT 1")).isEqualTo("1"));
    }
}
