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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Statements that may leave work for the commit are known by their text and by the schema. */
class DeferringStatementTest {
    private final SqlReader reader = new PostgresReader();

    private boolean mayDefer(String sql, boolean userFunctions, String... deferringTables) {
        SchemaFacts facts = new SchemaFacts(
                FunctionNames.pure(Set.of("lower")),
                Set.of(),
                userFunctions,
                false,
                false,
                Set.of("shareable"),
                Set.of(),
                Set.of(deferringTables),
                HiddenState.NONE);
        return mayDefer(sql, new ReadProof(reader.readRules(), facts));
    }

    private boolean mayDefer(String sql, ReadProof proof) {
        return reader.classify(reader.read(sql), () -> proof).has(Classification.Trait.MAY_DEFER);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO late VALUES (1)",
                "INSERT INTO den.\"late\" VALUES (1) RETURNING id",
                "WITH x AS (DELETE FROM late RETURNING id) SELECT * FROM x",
                "UPDATE plain SET a = (SELECT max(a) FROM late)",
                "MERGE INTO late USING plain ON true WHEN MATCHED THEN DELETE",
                "UPDATE plain SET a = strange(1)"
            })
    void shouldFindChangesOfTablesWithDeferredWork(String sql) {
        assertThat(mayDefer(sql, true, "late")).isTrue();
        assertThat(mayDefer(sql, true)).as("in a database without any").isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO plain VALUES (1)",
                "UPDATE plain SET a = lower(a)",
                "UPDATE shareable SET a = ?",
                "SELECT a FROM plain FOR UPDATE",
                "SELECT a FROM late",
                "SET LOCAL work_mem = '5MB'",
                "SET CONSTRAINTS ALL DEFERRED",
                "LOCK TABLE late",
                "SAVEPOINT s"
            })
    void shouldExcludeStatementsThatLeaveNoWork(String sql) {
        assertThat(mayDefer(sql, true, "late")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "DO $$ BEGIN END $$",
                "CALL p()",
                "SELECT strange(1)",
                "CREATE TABLE t (id int UNIQUE DEFERRABLE)",
                "CREATE CONSTRAINT TRIGGER x AFTER INSERT ON t DEFERRABLE FOR EACH ROW EXECUTE FUNCTION f()",
                "CREATE TEMP TABLE t (id int) ON COMMIT DROP",
                "DECLARE c CURSOR WITH HOLD FOR SELECT 1",
                "EXECUTE prepared",
                "EXPLAIN ANALYZE INSERT INTO late VALUES (1)",
                "GRANT SELECT ON t TO PUBLIC"
            })
    void shouldSuspectAllThatIsNotPlain(String sql) {
        assertThat(mayDefer(sql, false)).isTrue();
    }

    @Test
    void shouldSuspectAllChangesIfTheSchemaIsUnknown() {
        ReadProof unknown = new ReadProof(reader.readRules(), SchemaFacts.UNKNOWN);
        assertThat(mayDefer("INSERT INTO t VALUES (1)", unknown)).isTrue();
        assertThat(mayDefer("INSERT INTO t VALUES (1)", ReadProof.none(reader.readRules())))
                .isTrue();
    }
}
