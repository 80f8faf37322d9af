// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.server.failure.SmallPoolTest;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * State of PostgreSQL's sessions that arises by other statements than SET and queries, or in code that a statement does
 * not name: in EXPLAIN ANALYZE, DDL with a query, defaults, checks, domains, operators, partitions, texts that are
 * executed. The state remains with its client, and no other client has it.
 */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine("postgresql")
class FormsOfStateTest extends SmallPoolTest {
    private static final String LOCKED =
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = %s AND pid = pg_backend_pid()";

    FormsOfStateTest(String engine) {}

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        start(
                engine,
                3,
                "CREATE TABLE thing (id int PRIMARY KEY, v int)",
                "INSERT INTO thing VALUES (1, 1)",
                "CREATE TABLE altered (id int)",
                "INSERT INTO altered VALUES (1)",
                "CREATE PROCEDURE pin(x text) LANGUAGE plpgsql AS $$ BEGIN END $$",
                "CREATE FUNCTION lk(n bigint) RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_lock(n); RETURN 1; END $$",
                "CREATE FUNCTION equal(a int, b int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN lk(a) = b; END $$",
                "CREATE FUNCTION dyn(t text) RETURNS int LANGUAGE plpgsql AS $$ BEGIN EXECUTE t; RETURN 1; END $$",
                "CREATE FUNCTION attach(text, text) RETURNS text LANGUAGE c STRICT AS '$libdir/dblink', 'dblink_connect'",
                "CREATE FUNCTION attached() RETURNS text[] LANGUAGE c STRICT AS '$libdir/dblink', 'dblink_get_connections'",
                "CREATE FUNCTION seed() RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM setseed(0.5); END $$",
                "CREATE FUNCTION locks_row() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM lk(NEW.id); RETURN NEW; END $$",
                "CREATE OPERATOR === (LEFTARG = int, RIGHTARG = int, FUNCTION = equal)",
                "CREATE TABLE by_default (id int, v int DEFAULT lk(4711))",
                "CREATE TABLE by_engine (id int, v text DEFAULT set_config('app.h', '7', false))",
                "CREATE VIEW over_default AS SELECT * FROM by_default",
                "CREATE TABLE by_check (id int CHECK (lk(id) = 1))",
                "CREATE DOMAIN by_domain AS int CHECK (lk(VALUE) = 1)",
                "CREATE TABLE with_domain (id by_domain)",
                "CREATE TABLE parted (id int) PARTITION BY LIST (id)",
                "CREATE TABLE part PARTITION OF parted DEFAULT",
                "CREATE TRIGGER locks BEFORE INSERT ON part FOR EACH ROW EXECUTE FUNCTION locks_row()",
                "CREATE TABLE parent (id int PRIMARY KEY)",
                "CREATE TABLE child (id int REFERENCES parent ON UPDATE CASCADE)",
                "CREATE TRIGGER locks BEFORE UPDATE ON child FOR EACH ROW EXECUTE FUNCTION locks_row()",
                "INSERT INTO parent VALUES (1)",
                "INSERT INTO child VALUES (1)",
                "CREATE TABLE ruled (id int)",
                "CREATE RULE locks AS ON INSERT TO ruled DO ALSO SELECT lk(4720)",
                "CREATE FUNCTION locks_definition() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM lk(4721); END $$",
                "CREATE EVENT TRIGGER locks ON ddl_command_end WHEN TAG IN ('CREATE SEQUENCE') EXECUTE FUNCTION locks_definition()");
        cluster.awaitApplied();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "EXPLAIN ANALYZE SELECT set_config('app.a', '7', false) | SELECT current_setting('app.a', true) | 7",
                "EXPLAIN (ANALYZE, COSTS OFF) SELECT set_config('app.' || 'i', '7', false) | SELECT current_setting('app.i', true) | 7",
                "CREATE TABLE cta AS SELECT set_config('app.b', '7', false) x | SELECT current_setting('app.b', true) | 7",
                "CALL pin(set_config('app.c', '7', false)) | SELECT current_setting('app.c', true) | 7",
                "CALL pin(set_config('app.' || 'k', '7', false)) | SELECT current_setting('app.k', true) | 7",
                "SELECT dyn('SET app.d = 7') | SELECT current_setting('app.d', true) | 7",
                "SELECT query_to_xml('SELECT set_config(''app.f'', ''7'', false)', true, false, '') | SELECT current_setting('app.f', true) | 7",
                "ALTER TABLE altered ADD COLUMN c text DEFAULT set_config('app.g', '7', false) | SELECT current_setting('app.g', true) | 7",
                "INSERT INTO by_engine (id) VALUES (1) | SELECT current_setting('app.h', true) | 7",
                "DO $$ BEGIN PERFORM setseed(0.5); END $$ | SELECT (random() = 0.9851677175347999)::text | true",
                "SELECT seed() | SELECT (random() = 0.9851677175347999)::text | true",
                "SELECT set_config('default_transaction_isolation', 'serializable', false) | SHOW transaction_isolation | serializable",
                "DO $$ BEGIN SET default_transaction_isolation = 'serializable'; END $$ | SHOW transaction_isolation | serializable"
            })
    void shouldKeepSettingsWithTheirClient(String line) throws SQLException {
        String[] parts = line.split(" \\| ", -1);
        assertKept(parts[0], parts[1], parts[2]);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "4701 | EXPLAIN ANALYZE SELECT pg_advisory_lock(4701)",
                "4711 | INSERT INTO by_default (id) VALUES (1)",
                "4711 | INSERT INTO over_default (id) VALUES (1)",
                "4712 | INSERT INTO by_check VALUES (4712)",
                "4713 | SELECT 4713::by_domain",
                "4714 | INSERT INTO with_domain VALUES (4714)",
                "4715 | INSERT INTO parted VALUES (4715)",
                "4716 | UPDATE parent SET id = 4716",
                "4717 | SELECT 4717 === 1",
                "4718 | CREATE TABLE ctb AS SELECT pg_advisory_lock(4718)::text",
                "4719 | CREATE MATERIALIZED VIEW mat AS SELECT lk(4719)",
                "4720 | INSERT INTO ruled VALUES (1)",
                "4721 | CREATE SEQUENCE defined"
            })
    void shouldKeepLocksWithTheirClient(String line) throws SQLException {
        String[] parts = line.split(" \\| ", -1);
        assertKept(parts[1], LOCKED.formatted(parts[0]), "1");
    }

    private static void assertKept(String statement, String ask, String expected) throws SQLException {
        SoftAssertions softly = new SoftAssertions();
        try (Connection client = cluster.connect()) {
            run(client, statement);
            softly.assertThat(answer(client, ask))
                    .as("the client: " + statement)
                    .isEqualTo(expected);
            softly.assertThat(others(ask)).as("other clients: " + statement).doesNotContain(expected);
        }
        softly.assertThat(others(ask)).as("clients afterwards: " + statement).doesNotContain(expected);
        softly.assertAll();
    }

    @Test
    void shouldKeepSettingOfTextInParameter() throws SQLException {
        try (Connection client = cluster.connect()) {
            try (PreparedStatement statement = client.prepareStatement("SELECT dyn(?)")) {
                statement.setString(1, "SET app.p = 7");
                statement.execute();
            }
            assertThat(text(client, "SELECT current_setting('app.p', true)")).isEqualTo("7");
        }
        assertThat(others("SELECT current_setting('app.p', true) IS NULL")).containsExactly("t");
    }

    /** Such a function has no text. The connection of dblink belongs to the session, which does not list it. */
    @Test
    void shouldKeepStateOfFunctionInC() throws SQLException {
        try (Connection client = cluster.connect()) {
            RunningEngine master = cluster.engine("master");
            String socket = text(client, "SHOW unix_socket_directories").replace("\"", "");
            text(
                    client,
                    "SELECT attach('own', 'host=%s port=%s dbname=postgres user=%s password=%s')"
                            .formatted(socket, text(client, "SHOW port"), master.user(), master.password()));
            for (int i = 0; i < 6; i++) {
                assertThat(text(client, "SELECT attached()")).isEqualTo("{own}");
            }
            assertThat(others("SELECT attached()")).containsExactly("null");
        }
        assertThat(others("SELECT attached()")).containsExactly("null");
    }

    @Test
    void shouldLeaveNoEmptySettingToOthers() throws SQLException {
        try (Connection client = cluster.connect()) {
            run(client, "EXPLAIN ANALYZE SELECT set_config('app.e', '7', false)");
        }
        assertThat(others("SELECT current_setting('app.e', true) IS NULL")).containsExactly("t");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT set_config('default_transaction_read_only', 'on', false)",
                "DO $$ BEGIN SET default_transaction_read_only = on; END $$",
                "DO $$ BEGIN EXECUTE 'SET default_transaction_read_only = on'; END $$",
                "PREPARE p AS SELECT set_config('default_transaction_read_only', 'on', false);;EXECUTE p;;DEALLOCATE p"
            })
    void shouldRefuseChangesOfReadOnlySession(String statements) throws SQLException {
        try (Connection client = cluster.connect()) {
            run(client, statements.split(";;"));
            assertThat(answer(client, "UPDATE thing SET v = v + 1 RETURNING v")).isEqualTo("25006");
            run(client, "SET default_transaction_read_only = off");
            run(client, "UPDATE thing SET v = v + 1");
        }
        try (Connection other = cluster.connect()) {
            run(other, "UPDATE thing SET v = v + 1");
        }
    }

    @Test
    void shouldRefuseToEndReadOnlyModeAfterQuery() throws SQLException {
        try (Connection client = cluster.connect()) {
            client.setReadOnly(true);
            client.setAutoCommit(false);
            text(client, "SELECT v FROM thing");
            assertThatThrownBy(() -> run(client, "SET transaction_read_only = off"))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("25001"));
            client.rollback();
            run(client, "SET transaction_read_only = off", "UPDATE thing SET v = v + 1");
            client.commit();
        }
    }

    @Test
    void shouldResetReadOnlyDefaultOfItsRole() throws SQLException {
        try (Connection client = cluster.connect()) {
            run(client, "ALTER ROLE CURRENT_USER SET default_transaction_read_only = on");
            run(client, "ALTER ROLE CURRENT_USER RESET default_transaction_read_only");
            run(client, "UPDATE thing SET v = v + 1");
        }
    }

    private static Set<String> others(String ask) throws SQLException {
        Set<String> answers = new HashSet<>();
        for (int i = 0; i < 6; i++) {
            try (Connection other = cluster.connect()) {
                answers.add(answer(other, ask));
            }
        }
        return answers;
    }

    private static String answer(Connection connection, String query) {
        try {
            return String.valueOf(text(connection, query));
        } catch (SQLException e) {
            return String.valueOf(e.getSQLState());
        }
    }
}
