// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.Classification.Kind;
import io.multimed.engine.sql.Classification.Trait;
import io.multimed.engine.sql.ReadProof;
import io.multimed.engine.sql.SchemaChange;
import io.multimed.engine.sql.SchemaChange.Action;
import io.multimed.engine.sql.SchemaChange.ObjectName;
import io.multimed.engine.sql.SchemaFacts;
import io.multimed.engine.sql.SqlReader;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the classification of MariaDB's and MySQL's DDL. */
class MySqlSchemaStatementsTest {
    private static final SqlReader READER = new MySqlReader();

    private static final ReadProof PROOF =
            new ReadProof(READER.readRules(), new SchemaFacts(MySqlReadRules.PURE_FUNCTIONS, Set.of(), false, false));

    private static Classification classification(String sql) {
        return READER.classify(READER.read(sql), () -> PROOF);
    }

    private static SchemaChange change(String sql) {
        Classification classification = classification(sql);
        assertThat(classification.kind()).isEqualTo(Kind.NON_TRANSACTIONAL);
        assertThat(classification.has(Trait.COMMITS_BEFORE)).isTrue();
        return Objects.requireNonNull(classification.schemaChange(), sql);
    }

    private static String written(ObjectName name) {
        return name.schema().isEmpty() ? name.name() : name.schema() + "." + name.name();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "CREATE TABLE t (a INT, INDEX i (a)) | CREATE | TABLE | t",
                "create table if not exists `My Shop`.`T``1` (a INT) | CREATE | TABLE | My Shop.T`1",
                "CREATE OR REPLACE TABLE t LIKE shop.u | CREATE | TABLE | t shop.u",
                "CREATE TABLE t (LIKE u) | CREATE | TABLE | t u",
                "CREATE TABLE t AS SELECT * FROM u WHERE a LIKE b | CREATE | TABLE | t",
                "/*!40000 CREATE TABLE t (a INT) */ | CREATE | TABLE | t",
                "ALTER TABLE shop.Item ADD COLUMN b INT AFTER a, RENAME COLUMN c TO d | ALTER | TABLE | shop.Item",
                "ALTER IGNORE TABLE t RENAME TO u | ALTER | TABLE | t u",
                "ALTER TABLE t RENAME AS shop.u, ADD b INT | ALTER | TABLE | t shop.u",
                "ALTER TABLE t EXCHANGE PARTITION p WITH TABLE u | ALTER | TABLE | t u",
                "ALTER TABLE t CONVERT PARTITION p TO TABLE u | ALTER | TABLE | t u",
                "ALTER TABLE t CONVERT TABLE shop.u TO PARTITION p VALUES LESS THAN (20) | ALTER | TABLE | t shop.u",
                "DROP TABLE IF EXISTS a, b.c, `d` CASCADE | DROP | TABLE | a b.c d",
                "RENAME TABLE a TO b, c.d TO e.f | RENAME | TABLE | a b c.d e.f",
                "RENAME TABLE a NOWAIT TO b, c WAIT 5 TO d | RENAME | TABLE | a b c d",
                "TRUNCATE t | TRUNCATE | TABLE | t",
                "TRUNCATE TABLE shop.t; | TRUNCATE | TABLE | shop.t",
                "CREATE UNIQUE INDEX i USING BTREE ON t (a, b) | CREATE | INDEX | t",
                "DROP INDEX i ON shop.t | DROP | INDEX | shop.t",
                "CREATE ALGORITHM=MERGE DEFINER=`a`@`b` SQL SECURITY INVOKER VIEW v AS SELECT 1 | CREATE | VIEW | v",
                "DROP VIEW v, w | DROP | VIEW | v w",
                "CREATE DATABASE shop CHARACTER SET utf8mb4 | CREATE | DATABASE | shop",
                "DROP SCHEMA IF EXISTS shop | DROP | DATABASE | shop",
                "CREATE DEFINER=trigger@host TRIGGER r BEFORE INSERT ON t FOR EACH ROW SET NEW.a = 1 | CREATE | TRIGGER | t",
                "CREATE PROCEDURE p() BEGIN END | CREATE | PROCEDURE | p",
                "CREATE SEQUENCE s | CREATE | SEQUENCE | s"
            })
    void shouldFindActionObjectAndNames(String sql, Action action, String object, String names) {
        SchemaChange change = change(sql);
        assertThat(change.action()).isEqualTo(action);
        assertThat(change.object()).isEqualTo(object);
        assertThat(change.names().stream()
                        .map(MySqlSchemaStatementsTest::written)
                        .collect(Collectors.joining(" ")))
                .isEqualTo(names);
    }

    @Test
    void shouldFindWhetherAStatementAddsRows() {
        assertThat(change("CREATE TABLE t AS SELECT 1").rows()).isTrue();
        assertThat(change("CREATE TABLE t (a INT)").rows()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GRANT ALL ON t TO u",
                "CREATE USER u",
                "RENAME USER a TO b",
                "ANALYZE TABLE t",
                "FLUSH PRIVILEGES",
                "SET PASSWORD = 'x'",
                "LOAD INDEX INTO CACHE t"
            })
    void shouldCommitBeforeStatementsOfTheMasterOnly(String sql) {
        assertThat(classification(sql).kind()).isEqualTo(Kind.NON_TRANSACTIONAL);
        assertThat(classification(sql).has(Trait.COMMITS_BEFORE)).isTrue();
        assertThat(classification(sql).schemaChange()).isNull();
    }
}
