// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.classification;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.Engines;
import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.FunctionNames;
import io.multimed.engine.sql.HiddenState;
import io.multimed.engine.sql.SchemaFacts;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A statement is a pure read only if the classifier proves this; all other statements run on the master. */
class StatementClassifierTest {
    private final StatementClassifier classifier = new StatementClassifier(
            Engines.of("postgresql").dialect().reader(),
            () -> new SchemaFacts(
                    Set.of("max", "sum", "count", "lower", "now"), Set.of("email", "mixed"), false, false));

    private Classification.Kind kind(String sql) {
        return classifier.classify(sql).kind();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT 1",
                "select a, max(b) from t where c = ? group by a order by 2 limit 50",
                "SELECT a FROM t WHERE b IN (SELECT c FROM u) AND d = 'update x' -- delete",
                "WITH x (a) AS (SELECT 1) SELECT * FROM x",
                "SELECT \"update\" FROM t",
                "SELECT j.i_id FROM item i, item j WHERE j.i_id IN (i.a, i.b) AND i.i_id = ?",
                "SELECT a FROM t;",
                "SELECT $$insert into$$ FROM t"
            })
    void shouldProvePureReads(String sql) {
        assertThat(kind(sql)).isEqualTo(Classification.Kind.PURE_READ);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT * FROM t FOR UPDATE",
                "SELECT * FROM t FOR NO KEY UPDATE",
                "SELECT * FROM t FOR SHARE",
                "WITH x AS (DELETE FROM t RETURNING a) SELECT * FROM x",
                "SELECT a INTO b FROM t",
                "UPDATE t SET a = 1",
                "SELECT 1; DELETE FROM t",
                "EXPLAIN ANALYZE DELETE FROM t",
                "not SQL at all",
                ""
            })
    void shouldRunAllOtherStatementsOnTheMaster(String sql) {
        assertThat(kind(sql)).isEqualTo(Classification.Kind.MASTER);
    }

    @Test
    void shouldRunFunctionsThatAreNotStableOnTheMaster() {
        assertThat(kind("SELECT nextval('s')")).isNotEqualTo(Classification.Kind.PURE_READ);
        assertThat(kind("SELECT random()")).isEqualTo(Classification.Kind.QUERY);
        assertThat(kind("SELECT \"Evil\"(1)")).isEqualTo(Classification.Kind.EFFECT);
        assertThat(kind("SELECT pg_advisory_xact_lock(1)")).isEqualTo(Classification.Kind.EFFECT);
        assertThat(kind("SELECT lower(pg_notify('a', 'b'))")).isEqualTo(Classification.Kind.EFFECT);
    }

    private static Classification.Kind kindOnFamily(String sql, Set<String> users) {
        FunctionNames functions = FunctionNames.pure(Set.of("max", "count", "now", "repeat", "left", "nvl"));
        return new StatementClassifier(
                        Engines.of("mariadb").dialect().reader(),
                        () -> new SchemaFacts(
                                functions.withUsers(users),
                                Set.of(),
                                true,
                                false,
                                false,
                                Set.of(),
                                Set.of(),
                                Set.of(),
                                HiddenState.NONE))
                .classify(sql)
                .kind();
    }

    /** On these engines, a user's function may have the name of a built-in one. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT `repeat`(5) FROM t",
                "SELECT `LEFT` (5) FROM t",
                "SELECT max (5) FROM t",
                "SELECT max/**/(5) FROM t",
                "SELECT Now\n(5) FROM t",
                "SELECT nvl(5) FROM t",
                "SELECT rand (5) FROM t",
                "SELECT user(5) FROM t",
                "SELECT any(5) FROM t",
            })
    void shouldRunUsersFunctionsWithKnownNamesOnTheMaster(String sql) {
        Set<String> users = Set.of("repeat", "left", "max", "now", "nvl", "rand", "user", "any", "in", "values");
        assertThat(kindOnFamily(sql, users)).isEqualTo(Classification.Kind.EFFECT);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT COUNT (*), max (a), now (6), nvl (b, 1) FROM t WHERE a IN (1) AND (b) = ANY (SELECT 1)",
                "SELECT repeat ('a', 5), left (b, 1) FROM t WHERE EXISTS (SELECT 1)",
            })
    void shouldProveReadsWithSpacesBeforeParentheses(String sql) {
        assertThat(kindOnFamily(sql, Set.of())).isEqualTo(Classification.Kind.PURE_READ);
        assertThat(kindOnFamily(sql, Set.of("in", "exists", "avg"))).isEqualTo(Classification.Kind.PURE_READ);
    }

    @Test
    void shouldProveDirectCallsOfBuiltInFunctions() {
        assertThat(kindOnFamily("SELECT count(*), max(a), now(6) FROM t", Set.of("count", "max", "now")))
                .isEqualTo(Classification.Kind.PURE_READ);
    }

    @Test
    void shouldReadTheCatalogOnTheMaster() {
        assertThat(kind("SELECT relname FROM pg_class")).isEqualTo(Classification.Kind.CATALOG);
        assertThat(kind("SELECT * FROM information_schema.tables")).isEqualTo(Classification.Kind.CATALOG);
        assertThat(kind("SELECT current_user")).isEqualTo(Classification.Kind.CATALOG);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT ?::email",
                "SELECT CAST(a AS shop.email) FROM t",
                "SELECT a::shop.\"Mixed\" FROM t",
                "SELECT CAST('{}' AS email[])",
                "SELECT ctid, a FROM t",
                "SELECT t.\"xmin\" FROM t",
                "SELECT 't'::regclass::int",
                "SELECT a::oid FROM t",
                "SELECT regtype 'int' FROM t",
                "SELECT 'mine'::regconfig::int"
            })
    void shouldRunQueriesOfNodeSpecificValuesOnTheMaster(String sql) {
        assertThat(kind(sql)).isIn(Classification.Kind.EFFECT, Classification.Kind.CATALOG);
    }

    @ParameterizedTest
    @ValueSource(strings = {"SELECT oid, t.oid FROM t ORDER BY oid", "SELECT lower(a) FROM t WHERE a = 'regclass'"})
    void shouldDistinguishNamesFromObjectIdentifiers(String sql) {
        assertThat(kind(sql)).isEqualTo(Classification.Kind.PURE_READ);
    }

    @Test
    void shouldDistinguishAColumnFromATypeOfTheSameName() {
        assertThat(kind("SELECT u.email, a::text AS email FROM users u WHERE email = ?"))
                .isEqualTo(Classification.Kind.PURE_READ);
    }

    @Test
    void shouldNameTheTablesOfARead() {
        assertThat(classifier
                        .classify(
                                "SELECT 1 FROM Item i JOIN shop.\"author\" a ON i.a = a.b WHERE EXISTS (SELECT 1 FROM orders)")
                        .tables())
                .containsExactlyInAnyOrder("item", "shop.author", "orders");
    }

    @Test
    void shouldFindTheCustomSettingsThatAClientMayHaveChanged() {
        assertThat(settings("SET app.\"Tenant\" = 5")).containsExactly("app.tenant");
        assertThat(settings("SELECT set_config('app.tenant', ?, false)")).containsExactly("app.tenant");
        assertThat(settings("SELECT set_config('app.a', ?, false), set_config('App.b', ?, false)"))
                .containsExactlyInAnyOrder("app.a", "app.b");
        for (String name : List.of(
                "?", "'app.' || 'tenant'", "E'app.tenant'", "setting_name => 'app.tenant'", "/* */ lower('APP.A')")) {
            assertThat(settings("SELECT set_config(%s, 'x', false)".formatted(name)))
                    .as(name)
                    .containsExactly(Classification.ANY_SETTING);
        }
        assertThat(settings("SELECT \"set_config\" ('app.tenant', 'x', false)")).isNotEmpty();
        assertThat(settings("DO $$ BEGIN PERFORM set_config('app.tenant', 'x', false); END $$"))
                .containsExactly("app.tenant");
        assertThat(settings("DO $$ BEGIN PERFORM set_config('app.' || 'tenant', 'x', false); END $$"))
                .containsExactly(Classification.ANY_SETTING);
        assertThat(settings("DO $$ BEGIN SET app.tenant = 'x'; SET LOCAL app.other = 'x'; END $$"))
                .containsExactly("app.tenant");
        assertThat(settings("DO $$ BEGIN PERFORM set_config('app.tenant', 'x', true); END $$"))
                .isEmpty();
        assertThat(settings("SET search_path = x")).isEmpty();
    }

    private Set<String> settings(String sql) {
        return classifier.classify(sql).settings();
    }

    @Test
    void shouldDetectStatementsThatRunOutsideTransactionsOnly() {
        assertThat(kind("CREATE UNIQUE INDEX CONCURRENTLY i ON t (a)"))
                .isEqualTo(Classification.Kind.NON_TRANSACTIONAL);
        assertThat(kind("DROP INDEX CONCURRENTLY i")).isEqualTo(Classification.Kind.NON_TRANSACTIONAL);
        assertThat(kind("VACUUM FULL t")).isEqualTo(Classification.Kind.NON_TRANSACTIONAL);
        assertThat(kind("CREATE INDEX i ON t (a)")).isEqualTo(Classification.Kind.MASTER);
    }

    @Test
    void shouldRecognizeTransactionControl() {
        assertThat(kind("BEGIN")).isEqualTo(Classification.Kind.BEGIN);
        assertThat(kind("/* x */ commit;")).isEqualTo(Classification.Kind.COMMIT);
        assertThat(kind("ROLLBACK")).isEqualTo(Classification.Kind.ROLLBACK);
        assertThat(kind("ROLLBACK TO SAVEPOINT a")).isEqualTo(Classification.Kind.MASTER);
        assertThat(kind("INSERT INTO t VALUES (1); COMMIT")).isEqualTo(Classification.Kind.REFUSED);
        assertThat(kind("PREPARE TRANSACTION 'x'")).isEqualTo(Classification.Kind.REFUSED);
    }

    @Test
    void shouldClassifyStatementsThatLeaveSessionState() {
        assertThat(kind("SET search_path = x")).isEqualTo(Classification.Kind.SESSION_STATE);
        assertThat(kind("SET LOCAL search_path = x")).isEqualTo(Classification.Kind.MASTER);
        assertThat(kind("CREATE TEMP TABLE t (a int)")).isEqualTo(Classification.Kind.SESSION_STATE);
        assertThat(kind("SELECT pg_advisory_lock(1)")).isEqualTo(Classification.Kind.SESSION_STATE);
        assertThat(kind("DECLARE c CURSOR WITH HOLD FOR SELECT 1")).isEqualTo(Classification.Kind.SESSION_STATE);
        assertThat(kind("INSERT INTO t VALUES (1); SET x = 1")).isEqualTo(Classification.Kind.SESSION_STATE);
        assertThat(kind("INSERT INTO t SELECT pg_advisory_lock(1)")).isEqualTo(Classification.Kind.SESSION_STATE);
        assertThat(kind("UPDATE t SET a = set_config('work_mem', '5MB', false)"))
                .isEqualTo(Classification.Kind.SESSION_STATE);
        assertThat(kind("DISCARD ALL")).isEqualTo(Classification.Kind.DISCARD_ALL);
        assertThat(kind("SELECT currval('s')")).isEqualTo(Classification.Kind.SAME_SESSION);
        assertThat(kind("INSERT INTO t VALUES (currval('s'))")).isEqualTo(Classification.Kind.SAME_SESSION);
        assertThat(kind("LISTEN x")).isEqualTo(Classification.Kind.REFUSED);
        assertThat(kind("SELECT set_config('multimed.writeset', '', false)")).isEqualTo(Classification.Kind.REFUSED);
        assertThat(kind("ALTER EVENT TRIGGER multimed_ddl DISABLE")).isEqualTo(Classification.Kind.REFUSED);
        assertThat(kind("SET session_replication_role = replica")).isEqualTo(Classification.Kind.REFUSED);
        assertThat(kind("SET multimed.writeset = ''")).isEqualTo(Classification.Kind.REFUSED);
    }

    /** A classification that was made without the schema must not remain when the schema can be read again. */
    @Test
    void shouldClassifyAgainWhenTheSchemaCanBeRead() {
        AtomicInteger attempts = new AtomicInteger();
        StatementClassifier recovering = new StatementClassifier(
                Engines.of("postgresql").dialect().reader(),
                () -> {
                    if (attempts.incrementAndGet() == 1) {
                        throw new SQLException("the connection is lost", "08006");
                    }
                    return new SchemaFacts(Set.of("max"), Set.of(), false, false);
                },
                0);
        assertThat(recovering.classify("SELECT max(a) FROM t").kind()).isNotEqualTo(Classification.Kind.PURE_READ);
        assertThat(recovering.classify("SELECT max(a) FROM t").kind()).isEqualTo(Classification.Kind.PURE_READ);
        assertThat(recovering.cached("SELECT max(a) FROM t")).isNotNull();
        assertThat(attempts).hasValue(2);
    }

    @Test
    void shouldNotReadTheSchemaForEachStatementWhileItCannotBeRead() {
        AtomicInteger attempts = new AtomicInteger();
        StatementClassifier failing = new StatementClassifier(
                Engines.of("postgresql").dialect().reader(),
                () -> {
                    attempts.incrementAndGet();
                    throw new SQLException("the connection is lost", "08006");
                },
                Long.MAX_VALUE);
        failing.classify("SELECT max(a) FROM t");
        failing.classify("SELECT max(a) FROM t");
        assertThat(attempts).hasValue(1);
    }

    /** Proofs of reads take longer than the classification of changes, and do not depend on the tables. */
    @Test
    void shouldClassifyOnlyChangesAgainAfterDdlOnTables() {
        Set<String> tables = new HashSet<>();
        StatementClassifier classifier = new StatementClassifier(
                Engines.of("postgresql").dialect().reader(),
                () -> new SchemaFacts(
                        FunctionNames.pure(Set.of("max")),
                        Set.of(),
                        false,
                        false,
                        false,
                        Set.copyOf(tables),
                        Set.of(),
                        Set.of(),
                        HiddenState.NONE));
        String read = "SELECT max(a) FROM t";
        String change = "UPDATE t SET a = ? WHERE id = ?";
        Classification proved = classifier.classify(read);
        assertThat(classifier.classify(change).has(Classification.Trait.SHAREABLE))
                .isFalse();
        tables.add("t");
        classifier.schemaChanged();
        assertThat(classifier.classify(change).has(Classification.Trait.SHAREABLE))
                .isTrue();
        assertThat(classifier.cached(read)).isSameAs(proved);
        tables.clear();
        classifier.schemaChanged();
        assertThat(classifier.classify(change).has(Classification.Trait.SHAREABLE))
                .isFalse();
    }
}
