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
 * executed, behind comments, under names with several parts, in code that the same transaction has defined.
 * The state remains with its client, and no other client has it.
 */
@Tag("exhaustive")
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
                "CREATE EVENT TRIGGER locks ON ddl_command_end WHEN TAG IN ('CREATE SEQUENCE', 'SELECT INTO', 'CREATE INDEX') EXECUTE FUNCTION locks_definition()",
                "CREATE FUNCTION commented() RETURNS void LANGUAGE plpgsql AS $$ BEGIN /* the tenant */ SET app.l = '7'; END $$",
                "CREATE FUNCTION parts() RETURNS void LANGUAGE plpgsql AS $$ BEGIN SET app.m.\"n\" = '7'; END $$",
                "CREATE FUNCTION named(n text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN EXECUTE format('SET app.%I = %L', n, '7'); END $$",
                "CREATE FUNCTION joined(n text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'SET app.' || quote_ident(n) || ' = 7'; END $$",
                "CREATE FUNCTION bare(t text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN EXECUTE(t); END $$",
                "CREATE FUNCTION numbered(t text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN EXECUTE format('SELECT %1$s', t); END $$",
                "CREATE FUNCTION behind(t text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'SELECT ' || /* call */ t; END $$",
                "CREATE FUNCTION escaped() RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM U&\"set_\\0063onfig\"('app.q', '7', false); END $$",
                "CREATE FUNCTION config(text, text, boolean) RETURNS text LANGUAGE internal AS 'set_config_by_name'",
                "CREATE AGGREGATE configure(text, boolean) (SFUNC = set_config, STYPE = text, INITCOND = 'app.s')",
                "CREATE FUNCTION two() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM set_config('work_mem', '7MB', false), set_config('app.x', '1', true); RETURN NULL; END $$",
                "CREATE TABLE by_two (id int)",
                "CREATE TRIGGER two AFTER INSERT ON by_two FOR EACH ROW EXECUTE FUNCTION two()",
                "CREATE FUNCTION emptied() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM set_config('app.t', '7', false); RETURN NULL; END $$",
                "CREATE TABLE referenced (id int PRIMARY KEY)",
                "CREATE TABLE referencing (id int REFERENCES referenced)",
                "CREATE TRIGGER emptied AFTER TRUNCATE ON referencing FOR EACH STATEMENT EXECUTE FUNCTION emptied()",
                "CREATE DOMAIN defaulted AS text DEFAULT set_config('app.u', '7', false)",
                "CREATE TABLE with_default (id int, v defaulted)",
                "CREATE TABLE qualified (id int)",
                "CREATE RULE configures AS ON INSERT TO qualified WHERE set_config('app.v', '7', false) = '8' DO INSTEAD NOTHING",
                "CREATE FUNCTION argument(v text DEFAULT set_config('app.w', '7', false)) RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN 1; END'",
                "CREATE VIEW setting AS SELECT name, setting FROM pg_settings",
                "CREATE VIEW configuring AS SELECT set_config('app.y', '7', false)",
                "CREATE FUNCTION returns_new() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$",
                "CREATE TABLE by_condition (id int)",
                "CREATE TRIGGER locks BEFORE INSERT ON by_condition FOR EACH ROW WHEN (lk(NEW.id) = 1) EXECUTE FUNCTION returns_new()",
                "CREATE DOMAIN lock_default AS int DEFAULT lk(4723)",
                "CREATE TABLE with_lock_default (id int, v lock_default)",
                "CREATE OPERATOR <@@> (LEFTARG = int, RIGHTARG = int, FUNCTION = pg_try_advisory_lock)",
                "CREATE FUNCTION pure(n int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT n'");
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
                "DO $$ BEGIN SET default_transaction_isolation = 'serializable'; END $$ | SHOW transaction_isolation | serializable",
                "SELECT commented() | SELECT current_setting('app.l', true) | 7",
                "DO $$ BEGIN /* here */ SET app.l = 7; END $$ | SELECT current_setting('app.l', true) | 7",
                "DO E'BEGIN\\n SET app.l = 7; END' | SELECT current_setting('app.l', true) | 7",
                "SELECT parts() | SELECT current_setting('app.m.n', true) | 7",
                "SET app.m.n = 7 | SELECT current_setting('app.m.n', true) | 7",
                "SET \"app.o\" = 7 | SELECT current_setting('app.o', true) | 7",
                "SELECT named('p') | SELECT current_setting('app.p', true) | 7",
                "SELECT joined('p') | SELECT current_setting('app.p', true) | 7",
                "SELECT bare('SET app.p = 7') | SELECT current_setting('app.p', true) | 7",
                "SELECT numbered('set_config(''app.p'', ''7'', false)') | SELECT current_setting('app.p', true) | 7",
                "SELECT behind('set_config(''app.p'', ''7'', false)') | SELECT current_setting('app.p', true) | 7",
                "SELECT escaped() | SELECT current_setting('app.q', true) | 7",
                "SELECT config('app.r', '7', false) | SELECT current_setting('app.r', true) | 7",
                "SELECT configure('7', false) | SELECT current_setting('app.s', true) | 7",
                "INSERT INTO by_two VALUES (1) | SHOW work_mem | 7MB",
                "TRUNCATE referenced CASCADE | SELECT current_setting('app.t', true) | 7",
                "INSERT INTO with_default (id) VALUES (1) | SELECT current_setting('app.u', true) | 7",
                "INSERT INTO qualified VALUES (1) | SELECT current_setting('app.v', true) | 7",
                "SELECT argument() | SELECT current_setting('app.w', true) | 7",
                "UPDATE setting SET setting = '9MB' WHERE name = 'work_mem' | SHOW work_mem | 9MB",
                "SELECT table_to_xml('configuring', true, false, '') | SELECT current_setting('app.y', true) | 7",
                "SELECT schema_to_xml('public', true, false, '') | SELECT current_setting('app.y', true) | 7",
                "SET seed = 0.5 | SELECT (random() = 0.9851677175347999)::text | true",
                "BEGIN;; SET LOCAL seed = 0.5;; COMMIT | SELECT (random() = 0.9851677175347999)::text | true",
                "SELECT set_config('seed', '0.5', true) | SELECT (random() = 0.9851677175347999)::text | true",
                "DO $$ BEGIN SET seed = 0.5; END $$ | SELECT (random() = 0.9851677175347999)::text | true",
                "PREPARE q (text) AS SELECT $1;; EXECUTE q(set_config('app.z', '7', false));; DEALLOCATE q | SELECT current_setting('app.z', true) | 7",
                "BEGIN;; CREATE FUNCTION fresh() RETURNS void LANGUAGE plpgsql AS $f$ BEGIN PERFORM set_config('app.aa', '7', false); END $f$;; SELECT fresh();; COMMIT | SELECT current_setting('app.aa', true) | 7",
                "CREATE FUNCTION newer() RETURNS void LANGUAGE plpgsql AS $f$ BEGIN PERFORM set_config('app.ab', '7', false); END $f$; SELECT newer() | SELECT current_setting('app.ab', true) | 7",
                "SELECT pg_replication_origin_create('own');; SELECT pg_replication_origin_session_setup('own') | SELECT pg_replication_origin_session_is_setup() | t",
                "SELECT pg_create_physical_replication_slot('own', false, true) | SELECT count(*) FROM pg_replication_slots WHERE active_pid = pg_backend_pid() | 1"
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
                "4721 | CREATE SEQUENCE defined",
                "4721 | SELECT 1 AS a INTO selected",
                "4721 | CREATE INDEX CONCURRENTLY ON thing (v)",
                "4722 | INSERT INTO by_condition VALUES (4722)",
                "4723 | INSERT INTO with_lock_default (id) VALUES (1)",
                "4724 | SELECT 7 <@@> 4724",
                "4725 | SELECT '(4725)'::with_domain",
                "4726 | SELECT jsonb_populate_record(NULL::with_domain, '{\"id\": 4726}')",
                "4727 | BEGIN;; CREATE OR REPLACE FUNCTION pure(n int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $f$ BEGIN PERFORM lk(4727); RETURN n; END $f$;; SELECT pure(1);; COMMIT",
                "4728 | BEGIN;; CREATE TABLE later (id int);; CREATE TRIGGER locks BEFORE INSERT ON later FOR EACH ROW EXECUTE FUNCTION locks_row();; INSERT INTO later VALUES (4728);; COMMIT"
            })
    void shouldKeepLocksWithTheirClient(String line) throws SQLException {
        String[] parts = line.split(" \\| ", -1);
        assertKept(parts[1], LOCKED.formatted(parts[0]), "1");
    }

    private static void assertKept(String statement, String ask, String expected) throws SQLException {
        SoftAssertions softly = new SoftAssertions();
        try (Connection client = cluster.connect()) {
            run(client, statement.split(";; "));
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
