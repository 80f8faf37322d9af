// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import static io.multimed.engine.conformance.Sql.node;
import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.server.failure.SmallPoolTest;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A read-only transaction that has begun on a satellite: statements do not show that the satellite's session is another
 * one, and what they leave in the transaction (settings, cursors, savepoints) is there for later ones. Where the
 * transaction has one snapshot, such statements are refused. What the satellite lacks is read on the master.
 */
@Timeout(300)
@ParameterizedClass
@EachEngine("postgresql")
@Tag("slow")
class SatelliteSessionTest extends SmallPoolTest {
    private static final String SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

    SatelliteSessionTest(String engine) {}

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        start(
                engine,
                3,
                "CREATE TABLE thing (id int PRIMARY KEY, share int)",
                "INSERT INTO thing VALUES (1, 1)",
                "CREATE SCHEMA other",
                "CREATE TABLE other.thing (id int PRIMARY KEY, share int)",
                "INSERT INTO other.thing VALUES (1, 2)",
                "CREATE ROLE reading",
                "GRANT SELECT ON thing TO reading",
                "CREATE VIEW owned AS SELECT current_user AS owner FROM thing",
                "CREATE MATERIALIZED VIEW stored AS SELECT count(*) AS total FROM thing",
                "CREATE SEQUENCE numbers",
                "CREATE PROCEDURE configure() LANGUAGE plpgsql AS $$ BEGIN SET app.tenant = '7'; END $$",
                "CREATE FUNCTION strange() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 7; END $$");
        cluster.awaitApplied();
    }

    @Test
    void shouldReportErrorsOfMissingObjects() throws SQLException {
        try (Connection client = cluster.connect()) {
            begin(client, "BEGIN READ ONLY");
            assertThatThrownBy(() -> text(client, "SELECT id FROM nowhere"))
                    .extracting("SQLState")
                    .isEqualTo("42P01");
            assertThatThrownBy(() -> text(client, "SELECT id FROM thing"))
                    .extracting("SQLState")
                    .isEqualTo("25P02");
            run(client, "ROLLBACK");
            begin(client, "BEGIN READ ONLY");
            assertThatThrownBy(() -> run(client, "UPDATE thing SET share = 2"))
                    .extracting("SQLState")
                    .isEqualTo("25006");
            run(client, "ROLLBACK");
        }
    }

    private static void begin(Connection client, String statement) throws SQLException {
        run(client, statement);
        text(client, "SELECT id FROM thing");
        assertThat(node(client)).isEqualTo("satellite");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET LOCAL app.tenant = '7' | SELECT current_setting('app.tenant', true) | 7",
                "SET LOCAL app.tenant = '7' | SELECT id FROM thing WHERE current_setting('app.tenant', true) = '7' | 1",
                "SET LOCAL search_path = other | SELECT current_schema | other",
                "SET LOCAL search_path = other | SELECT share + length(current_schema) FROM thing | 7",
                "SET LOCAL search_path = other, public | SELECT share * strange() FROM thing | 14",
                "SET LOCAL ROLE reading | SELECT current_user | reading",
                "DECLARE c CURSOR FOR SELECT current_user | FETCH c | postgres",
                "DECLARE c CURSOR FOR SELECT id FROM thing;; SELECT strange() | FETCH c | 1",
                "SAVEPOINT here;; SELECT strange();; ROLLBACK TO here | SELECT id FROM thing | 1",
                "DO $$ BEGIN SET app.tenant = '7'; END $$ | SHOW app.tenant | 7",
                "CALL configure() | SHOW app.tenant | 7",
                "SHOW work_mem | SHOW search_path | \"$user\", public",
                "SHOW work_mem | SHOW session_authorization | postgres",
                "SHOW work_mem | SELECT current_user FROM (SELECT share FROM thing) s | postgres",
                "SHOW work_mem | SELECT current_user FROM thing TABLESAMPLE BERNOULLI (100) | postgres",
                "SHOW work_mem | SELECT XMLELEMENT(NAME a, current_user) | <a>postgres</a>",
                "SHOW work_mem | SELECT current_user FROM ROWS FROM (generate_series(1, 1)) AS x (a) | postgres",
                "SHOW work_mem | SELECT strange() * share FROM thing | 7",
                "SHOW work_mem | SELECT owner FROM owned | postgres",
                "SHOW work_mem | SELECT total FROM stored | 1",
                "SHOW work_mem | SELECT last_value FROM numbers | 1",
                "SELECT owner FROM owned | SELECT id FROM thing | 1"
            })
    void shouldAnswerAsInTheSessionOfTheMaster(String line) throws SQLException {
        String[] parts = line.split(" \\| ", -1);
        try (Connection client = cluster.connect()) {
            begin(client, "BEGIN READ ONLY");
            run(client, parts[0].split(";; "));
            String owner = cluster.engine("master").user();
            assertThat(text(client, parts[1])).isEqualTo(parts[2].replace("postgres", owner));
            run(client, "COMMIT");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT share, current_user FROM thing",
                "SELECT current_user, id FROM thing",
                "SELECT share FROM thing, pg_namespace WHERE nspname = 'public'",
                "DECLARE c CURSOR FOR SELECT current_user",
                "DO $$ BEGIN END $$",
                "CALL configure()"
            })
    void shouldRefuseWhatNeedsTheMasterWithinOneSnapshot(String statement) throws SQLException {
        try (Connection client = cluster.connect()) {
            begin(client, SNAPSHOT);
            assertThatThrownBy(() -> run(client, statement))
                    .extracting("SQLState")
                    .isEqualTo("0A000");
            assertThat(text(client, "SELECT share FROM thing")).isEqualTo("1");
            run(client, "COMMIT");
        }
    }

    @Test
    void shouldKeepSettingsAndCursorsWithinOneSnapshot() throws SQLException {
        try (Connection client = cluster.connect()) {
            begin(client, SNAPSHOT);
            cluster.run("UPDATE thing SET share = 5");
            run(client, "DECLARE c CURSOR FOR SELECT share FROM thing");
            assertThat(text(client, "FETCH c")).isEqualTo("1");
            assertThat(text(client, "SELECT current_user"))
                    .isEqualTo(cluster.engine("master").user());
            run(client, "SET LOCAL work_mem = '5MB'");
            assertThat(text(client, "SHOW work_mem")).isEqualTo("5MB");
            assertThatThrownBy(() -> text(client, "SELECT current_setting('work_mem')"))
                    .hasMessageContaining("settings")
                    .extracting("SQLState")
                    .isEqualTo("0A000");
            assertThat(text(client, "SELECT share FROM thing")).isEqualTo("1");
            run(client, "COMMIT", "UPDATE thing SET share = 1");
        }
    }
}
