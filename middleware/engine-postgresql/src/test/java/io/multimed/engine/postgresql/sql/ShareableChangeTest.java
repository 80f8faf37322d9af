// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.FunctionNames;
import io.multimed.engine.sql.HiddenState;
import io.multimed.engine.sql.ReadProof;
import io.multimed.engine.sql.SchemaFacts;
import io.multimed.engine.sql.SqlReader;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A change shares a transaction with other clients only if its text runs no code of users. */
class ShareableChangeTest {
    private final SqlReader reader = new PostgresReader();

    private boolean isShareable(String sql, boolean userFunctions) {
        SchemaFacts facts = new SchemaFacts(
                FunctionNames.pure(Set.of("lower", "now", "floor")),
                Set.of("email"),
                userFunctions,
                userFunctions,
                userFunctions,
                Set.of("t", "s.t", "u"),
                Set.of(),
                Set.of(),
                HiddenState.NONE);
        return reader.classify(reader.read(sql), () -> new ReadProof(reader.readRules(), facts))
                .has(Classification.Trait.SHAREABLE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE t SET a = a + ? WHERE b = ? AND NOT c BETWEEN 1 AND 2",
                "UPDATE s.t SET a = CASE WHEN a > 'x' THEN 'y' ELSE 'z' END WHERE b IN ('a', ?)",
                "UPDATE t AS x SET a = ? WHERE b = ?",
                "UPDATE t x SET a = ? WHERE b = ?",
                "INSERT INTO t VALUES (?, 'text', DEFAULT)",
                "INSERT INTO t (a, b) VALUES (?::jsonb, CAST(? AS numeric(10, 2)))",
                "INSERT INTO t (a, b) VALUES (?, DATE '2020-01-01' + INTERVAL '1 day')",
                "UPDATE t SET a[1:2] = ?, b = j ->> 'key', c = ?::int[], d = ?::double precision",
                "DELETE FROM t WHERE a = coalesce(?, 'x') AND (b = 1 OR b IS NULL)"
            })
    void shouldShareChangesWithoutCodeOfUsers(String sql) {
        assertThat(isShareable(sql, false)).isTrue();
        assertThat(isShareable(sql, true)).as("beside functions of users").isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"UPDATE t SET a = lower(?) WHERE t.b = now()", "UPDATE t x SET a = x.a WHERE x.b = ?"})
    void shouldShareFunctionsAndQualifiedColumnsOnlyWithoutFunctionsOfUsers(String sql) {
        assertThat(isShareable(sql, false)).isTrue();
        assertThat(isShareable(sql, true)).isFalse();
    }

    /** A domain's check, or that of a domain in a row, may even call a built-in function that changes the session. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE t SET a = ?::email",
                "UPDATE t SET a = ?::s.text",
                "UPDATE t SET a = ?::text.email",
                "UPDATE t SET a = ?::pg_catalog.text",
                "UPDATE t SET a = ?::U&\"email\"",
                "UPDATE t SET a = ?::\"text\"",
                "UPDATE t SET a = CAST(? AS other_table)",
                "UPDATE t SET a = email '1' WHERE b = ?",
                "UPDATE t SET a = \"email\" '1' WHERE b = ?",
                "UPDATE t SET a = s.and '1' WHERE b = ?",
                "UPDATE t SET a = like '1' WHERE b = ?",
                "UPDATE t SET a = escape '1' WHERE b = ?",
                "UPDATE t SET a = zone $$1$$ WHERE b = ?",
                "UPDATE t SET a = numeric(3) '1' WHERE b = ?"
            })
    void shouldNotShareValuesOfTypesOfUsers(String sql) {
        assertThat(isShareable(sql, false)).isFalse();
        assertThat(isShareable(sql, true)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE t SET a = f(?)",
                "UPDATE t SET a = U&\"f\" UESCAPE '!' (?)",
                "UPDATE t SET a = U&\"floor\" UESCAPE 'o' (?)",
                "UPDATE t SET a = U&\"\\0066\"(?)",
                "UPDATE t SET a = next(?)",
                "UPDATE t SET a = substring(b, ?)",
                "UPDATE t SET a = overlay(b, ?, 1)",
                "UPDATE t SET a = first(?)",
                "UPDATE t SET a = like(?, 'x')",
                "UPDATE t SET a = s.coalesce(?)",
                "UPDATE t SET a = t.f WHERE b = ?",
                "UPDATE t SET a = a OPERATOR(s.+) ?"
            })
    void shouldNotShareCallsOfFunctionsOfUsers(String sql) {
        assertThat(isShareable(sql, true)).isFalse();
    }

    /** The table that the proof looks up must be the table that the statement changes. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE other SET a = ?",
                "UPDATE U&\"other\" SET a = ?",
                "UPDATE s.U&\"other\" SET a = ?",
                "UPDATE s.t.other SET a = ?",
                "UPDATE t.\"other\" SET a = ?",
                "INSERT INTO u.\"Other\" VALUES (?)",
                "UPDATE \"t\" SET a = ?"
            })
    void shouldNotMistakeTheTable(String sql) {
        assertThat(isShareable(sql, false)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE t SET a = 1",
                "UPDATE t SET a = (SELECT ?)",
                "UPDATE t SET a = ? FROM x",
                "UPDATE t SET a = ? RETURNING a",
                "DELETE FROM t USING x WHERE a = ?",
                "DELETE FROM t WHERE CURRENT OF c AND a = ?",
                "INSERT INTO t VALUES (?) ON CONFLICT DO NOTHING",
                "MERGE INTO t USING x ON a = ? WHEN MATCHED THEN DELETE"
            })
    void shouldNotShareOtherForms(String sql) {
        assertThat(isShareable(sql, false)).isFalse();
    }
}
