// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.FunctionNames;
import io.multimed.engine.sql.HiddenState;
import io.multimed.engine.sql.ReadProof;
import io.multimed.engine.sql.SchemaFacts;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Determines after which statements the session is examined, and which settings remain unknown. */
class SessionReviewTest {
    private final PostgresReader reader = new PostgresReader();

    private Classification classify(String sql, HiddenState hidden) {
        SchemaFacts facts = new SchemaFacts(
                FunctionNames.pure(Set.of("lower", "now", "max", "count")),
                Set.of(),
                false,
                false,
                false,
                Set.of("shareable"),
                Set.of(),
                Set.of(),
                hidden);
        ReadProof proof = new ReadProof(reader.readRules(), facts);
        return reader.classify(reader.read(sql), () -> proof);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT lower(a) FROM t",
                "SELECT a FROM t WHERE b = ? FOR UPDATE",
                "SELECT count(*) FROM t FOR SHARE",
                "INSERT INTO t VALUES (1, now())",
                "INSERT INTO s.t (a, b) VALUES (1, nextval('q')) ON CONFLICT (a) DO UPDATE SET (a, b) = (excluded.a, 2) RETURNING a",
                "UPDATE t SET a = lower(a) WHERE id IN (SELECT max(id) FROM u)",
                "WITH x AS (INSERT INTO t (a) VALUES (1) RETURNING a) SELECT a FROM x",
                "DELETE FROM t USING u WHERE (t.id = u.id)",
                "CREATE TABLE t (id int PRIMARY KEY)",
                "CREATE INDEX i ON t (lower(a))",
                "CREATE VIEW v AS SELECT set_config('a.b', 'c', false)",
                "ALTER TABLE t ADD COLUMN a int",
                "GRANT SELECT ON t TO PUBLIC",
                "EXPLAIN SELECT strange(1)",
                "EXPLAIN ANALYZE SELECT lower(a) FROM t",
                "EXPLAIN ANALYZE UPDATE t SET a = 1",
                "SAVEPOINT s",
                "LOCK TABLE t"
            })
    void shouldNotReviewPlainStatements(String sql) {
        assertThat(classify(sql, HiddenState.NONE).review()).isEqualTo(Classification.Review.NEVER);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT strange(1)",
                "SELECT strange(1) FROM t FOR UPDATE",
                "INSERT INTO t SELECT strange(1)",
                "INSERT INTO t (a) VALUES (1) RETURNING strange(a)",
                "WITH x AS (DELETE FROM t RETURNING strange(a)) SELECT * FROM x",
                "CREATE TABLE t AS SELECT 1",
                "CREATE MATERIALIZED VIEW t AS SELECT 1",
                "REFRESH MATERIALIZED VIEW t",
                "ALTER TABLE t ADD COLUMN a int DEFAULT strange()",
                "ALTER DOMAIN d ADD CHECK (strange(VALUE))",
                "EXPLAIN ANALYZE SELECT strange(1)",
                "EXPLAIN (ANALYZE, VERBOSE) INSERT INTO t SELECT strange(1)",
                "EXPLAIN ANALYZE VERBOSE CREATE TABLE t AS SELECT 1",
                "EXPLAIN (COSTS OFF, ANALYZE TRUE) SELECT pg_advisory_lock(1)",
                "CALL p()",
                "DO $$ BEGIN END $$",
                "SOMETHING NEW"
            })
    void shouldReviewWhatIsNotKnownToLeaveNothing(String sql) {
        assertThat(classify(sql, HiddenState.NONE).review()).isEqualTo(Classification.Review.ALWAYS);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "BEGIN EXECUTE t; END",
                "BEGIN EXECUTE 'SELECT ' || t; END",
                "BEGIN EXECUTE format('SELECT %s', t); END",
                "BEGIN EXECUTE format('%s', t); END",
                "BEGIN EXECUTE 'SET ' || t || ' = 7'; END",
                "BEGIN FOR r IN EXECUTE query LOOP NULL; END LOOP; END",
                "BEGIN PERFORM setseed(0.5); END",
                "SELECT query_to_xml(t, true, false, '')",
                "BEGIN SET default_transaction_isolation = 'serializable'; END",
                "BEGIN PERFORM set_config('default_transaction_read_only', 'on', false); END",
                "UPDATE pg_catalog.pg_settings SET setting = '1' WHERE name = t",
                "UPDATE \"pg_settings\" /* all */ SET setting = '1' WHERE name = t",
                "BEGIN EXECUTE(t); END",
                "BEGIN EXECUTE /* the text */ t; END",
                "BEGIN EXECUTE format('SELECT %1$s', t); END",
                "BEGIN EXECUTE format('SELECT %-10s', t); END",
                "BEGIN EXECUTE 'SELECT ' || -- the call\n t; END",
                "BEGIN EXECUTE format('SET app.%I = 7', t); END",
                "BEGIN EXECUTE 'SET app.' || quote_ident(t) || ' = 7'; END",
                "BEGIN PERFORM U&\"set_\\0063onfig\"('app.a', '7', false); END",
                "BEGIN SET LOCAL seed = 0.5; END",
                "BEGIN PERFORM set_config('seed', '0.5', true); END",
                "BEGIN PERFORM pg_backup_start('own'); END"
            })
    void shouldKeepSessionAfterBodyWithUnknownState(String body) {
        assertThat(called(body).settings()).contains(Classification.ANY_SETTING);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "BEGIN PERFORM pg_advisory_lock(1); END",
                "BEGIN EXECUTE 'INSERT INTO ' || TG_TABLE_NAME || '_1 SELECT ($1).*' USING NEW; END",
                "BEGIN EXECUTE format('CREATE TEMP TABLE %I (a int)', t); END",
                "BEGIN EXECUTE 'SELECT count(*) FROM ' || quote_ident(t) || ' WHERE a = ' || quote_literal(b) INTO n; END",
                "BEGIN EXECUTE format('SELECT max(%I) FROM %I', a, t) INTO n; END",
                "BEGIN CREATE TRIGGER x BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION f(); END",
                "BEGIN RAISE 'cannot execute'; END",
                "BEGIN -- SET ' || t\n SET LOCAL work_mem = '8MB'; END"
            })
    void shouldNotKeepSessionAfterKnownBody(String body) {
        assertThat(called(body).settings()).doesNotContain(Classification.ANY_SETTING);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "BEGIN /* the tenant */ SET app.tenant = '7'; END",
                "BEGIN -- the tenant\n SET \"app.tenant\" = '7'; END",
                "BEGIN SET \"app\" . tenant = '7'; END",
                "BEGIN PERFORM set_config('app.tenant', '7', false), set_config('app.x', '1', true); END",
                "BEGIN PERFORM set_config('app.tenant', '7', /* session */ false); END"
            })
    void shouldKnowSettingsOfBody(String body) {
        assertThat(called(body).settings()).containsExactly("app.tenant");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "BEGIN /* for all */ SET work_mem = '8MB'; END",
                "BEGIN PERFORM set_config('work_mem', '8MB', false), set_config('app.x', '1', true); END"
            })
    void shouldReviewBodyThatChangesListedSetting(String body) {
        assertThat(called(body).review()).isEqualTo(Classification.Review.ALWAYS);
        assertThat(called(body).settings()).isEmpty();
    }

    private Classification called(String body) {
        HiddenState hidden = HiddenState.of(List.of(StateInFunctions.function("strange", body)));
        return classify("INSERT INTO t SELECT strange(1)", hidden);
    }
}
