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

/** A locking read concerns rows only if the query without its locking clause is a pure read. */
class LockingReadTest {
    private final SqlReader reader = new PostgresReader();

    private Classification classify(String sql, boolean userFunctions) {
        SchemaFacts facts = new SchemaFacts(
                FunctionNames.pure(Set.of("lower")),
                Set.of("email"),
                userFunctions,
                userFunctions,
                userFunctions,
                Set.of("t"),
                Set.of(),
                Set.of("late"),
                HiddenState.NONE);
        return reader.classify(reader.read(sql), () -> new ReadProof(reader.readRules(), facts));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT a FROM t WHERE b = ? FOR UPDATE",
                "SELECT a FROM t WHERE b = lower(?) FOR NO KEY UPDATE NOWAIT;",
                "SELECT a FROM t ORDER BY b LIMIT 1 FOR SHARE SKIP LOCKED",
                "SELECT a FROM t, u WHERE t.b = u.b FOR KEY SHARE"
            })
    void shouldKnowQueriesThatOnlyLockRows(String sql) {
        assertThat(classify(sql, false).kind()).isEqualTo(Classification.Kind.MASTER);
        assertThat(classify(sql, false).concernsRowsOnly()).isTrue();
        assertThat(classify(sql, false).has(Classification.Trait.TAKES_SEQUENCE_VALUES))
                .as("by a view")
                .isTrue();
        assertThat(classify(sql, true).concernsRowsOnly())
                .as("beside functions of users")
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT strange(a) FROM t FOR UPDATE",
                "SELECT nextval('s') FROM t FOR UPDATE",
                "SELECT set_config('a.b', 'c', false) FROM t FOR UPDATE",
                "SELECT a FROM t FOR UPDATE OF t",
                "SELECT a FROM (SELECT a FROM t FOR UPDATE) x",
                "WITH x AS (DELETE FROM t RETURNING a) SELECT a FROM x FOR UPDATE",
                "SELECT a INTO u FROM t FOR UPDATE",
                "SELECT a FROM late FOR UPDATE",
                "SELECT a::email FROM t FOR UPDATE",
                "FOR UPDATE",
                "SELECT t.for update"
            })
    void shouldExcludeOtherQueries(String sql) {
        assertThat(classify(sql, false).has(Classification.Trait.LOCKS_ROWS)
                        && classify(sql, false).concernsRowsOnly())
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"INSERT INTO t VALUES (?)", "INSERT INTO t (a) VALUES (?)", "UPDATE t SET a = DEFAULT, b = ?"})
    void shouldKnowChangesThatMayTakeValuesOfSequences(String sql) {
        assertThat(classify(sql, false).has(Classification.Trait.TAKES_SEQUENCE_VALUES))
                .isTrue();
        assertThat(classify("UPDATE t SET a = ?", false).has(Classification.Trait.TAKES_SEQUENCE_VALUES))
                .isFalse();
    }
}
