// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.ReadFootprint;
import io.multimed.engine.sql.ReadFootprint.Equality;
import io.multimed.engine.sql.ReadFootprint.Operand;
import io.multimed.engine.sql.ReadFootprint.Qualified;
import io.multimed.engine.sql.ReadFootprint.Reference;
import io.multimed.engine.sql.ReadProof;
import io.multimed.engine.sql.SchemaFacts;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReadFootprintTest {
    private static final PostgresReader READER = new PostgresReader();

    private static final ReadProof PROOF = new ReadProof(
            READER.readRules(),
            new SchemaFacts(
                    Set.of("count", "sum", "max", "lower", "age", "date", "to_date", "f"), Set.of(), false, false));

    private static @Nullable ReadFootprint footprint(String sql) {
        Classification read = READER.classify(READER.read(sql), () -> PROOF);
        assertThat(read.kind()).as(sql).isEqualTo(Classification.Kind.PURE_READ);
        return read.footprint();
    }

    private static ReadFootprint known(String sql) {
        ReadFootprint footprint = footprint(sql);
        assertThat(footprint).as(sql).isNotNull();
        return footprint;
    }

    private static Equality parameter(String column, int index) {
        return new Equality(column, new Operand.Parameter(index));
    }

    @Test
    void shouldFindTheValueThatBoundsTheRows() {
        ReadFootprint footprint = known("SELECT b.title FROM book b, sale WHERE b.id = ? AND sale.book_id = b.id");
        assertThat(footprint.wholeRows()).isFalse();
        assertThat(footprint.names())
                .contains("book", "sale", "title", "id", "book_id")
                .doesNotContain("price");
        assertThat(footprint.references())
                .containsExactly(
                        new Reference("book", Set.of("title", "id"), List.of(parameter("id", 0))),
                        new Reference("sale", Set.of("book_id"), List.of()));
        assertThat(known("SELECT x FROM t WHERE \"a\" = 'v' AND b = 12 ORDER BY x")
                        .unqualified())
                .containsExactlyInAnyOrder(
                        new Equality("a", new Operand.StringLiteral("v")),
                        new Equality("b", new Operand.IntegerLiteral("12")));
        assertThat(known("SELECT x FROM t WHERE a > ? AND b = ?").unqualified()).containsExactly(parameter("b", 1));
        assertThat(known("SELECT x FROM t WHERE a IN (1, ?) AND b = ? AND c IN (?) AND d = ?")
                        .unqualified())
                .containsExactlyInAnyOrder(parameter("b", 1), parameter("d", 3));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT x FROM t WHERE a = ? OR b = ?",
                "SELECT x FROM t WHERE NOT a = ?",
                "SELECT x FROM t WHERE (a = ?) IS NOT TRUE",
                "SELECT x FROM t WHERE a = ? + 1",
                "SELECT x FROM t WHERE a + 1 = ?",
                "SELECT x FROM t WHERE lower(a) = ?",
                "SELECT x FROM t WHERE a = ?::int",
                "SELECT x FROM t WHERE b BETWEEN 1 AND a = ?",
                "SELECT x FROM t WHERE a = 1.0",
                "SELECT x FROM t WHERE a = -1",
                "SELECT x FROM t WHERE a = 'it''s'",
                "SELECT x FROM t WHERE a <> ?",
                "SELECT x FROM t WHERE (a, b) = (?, ?)",
                "SELECT count(x) FROM t HAVING max(a) = ?",
                "SELECT x FROM t JOIN u ON a = ?",
                "SELECT CASE WHEN a = ? THEN 1 END FROM t",
                "SELECT x FROM t WHERE a = ? UNION SELECT x FROM t",
                "SELECT x FROM t WHERE b IN (SELECT b FROM u WHERE a = ?)",
                "SELECT x FROM t WHERE a = ? AND EXISTS (SELECT 1 FROM t WHERE b = 1)",
                "WITH w AS (SELECT x FROM t) SELECT x FROM w WHERE a = ?",
                "SELECT x FROM (SELECT x, a FROM t) s WHERE a = ?",
                "SELECT x FROM t WHERE a = ? AND b = ANY (ARRAY[1])",
                "SELECT x FROM t WHERE b IN (1, 2) OR a = ?",
                "SELECT x FROM t WHERE b IN (1, 2) AND (a = ? OR b = 1)",
                "SELECT x FROM t WHERE b IN ((SELECT 1) AND a = ?)"
            })
    void shouldNotFindAValueThatDoesNotBoundTheRows(String sql) {
        ReadFootprint footprint = known(sql);
        assertThat(footprint.unqualified()).isEmpty();
        assertThat(footprint.references())
                .allSatisfy(each -> assertThat(each.equalities()).isEmpty());
    }

    @Test
    void shouldGiveAColumnToTheReferenceThatQualifiesIt() {
        ReadFootprint footprint =
                known("SELECT j.id, J.\"Title\", price FROM s.book i, book j WHERE j.id = i.related AND i.id = ?");
        assertThat(footprint.references())
                .containsExactly(
                        new Reference("book", Set.of("related", "id"), List.of(parameter("id", 0))),
                        new Reference("book", Set.of("id", "title"), List.of()));
        assertThat(footprint.free()).contains("price", "book").doesNotContain("title", "related", "id");
        assertThat(footprint.qualified())
                .containsExactlyInAnyOrder(
                        new Qualified(Set.of("book"), "id"),
                        new Qualified(Set.of("book"), "title"),
                        new Qualified(Set.of("book"), "related"));
    }

    @Test
    void shouldGiveAColumnToEveryReferenceIfItsQualifierIsNone() {
        assertThat(known("SELECT (j.a).b, s.t.c FROM s.t i JOIN u j USING (d)").free())
                .contains("b", "c", "d")
                .doesNotContain("a");
        assertThat(known("SELECT w.a FROM (SELECT a FROM t) w").free()).contains("a");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT * FROM t",
                "SELECT t.* FROM t WHERE a = 1",
                "SELECT t FROM t",
                "SELECT i FROM t AS i",
                "SELECT count(i) FROM t i",
                "SELECT x FROM t NATURAL JOIN u",
                "SELECT x FROM t WHERE t IS NOT NULL",
                "SELECT x FROM t i WHERE i = ROW(1, 2)",
                "SELECT x FROM u WHERE a IN (SELECT i.b FROM t i WHERE i IS NULL)",
                "SELECT a * b FROM t",
                "SELECT j FROM (t b JOIN u s ON b.a = s.a) AS j"
            })
    void shouldReadAllColumnsIfTheirNamesMayBeMissing(String sql) {
        assertThat(known(sql).wholeRows()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT count(*) FROM t",
                "SELECT t.a FROM t WHERE t.b = 1",
                "SELECT i.a, j.b FROM t i JOIN t j ON i.a = j.a",
                "SELECT s.a FROM s.t"
            })
    void shouldReadTheColumnsThatAreNamed(String sql) {
        assertThat(known(sql).wholeRows()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT x FROM t WHERE d > CURRENT_DATE",
                "SELECT x FROM t WHERE d > 'now'",
                "SELECT x FROM t WHERE d > ' Yesterday '",
                "SELECT x FROM t WHERE d > date 'today'",
                "SELECT x FROM t WHERE d > E'n\\157w'",
                "SELECT x FROM t WHERE d > $$now$$",
                "SELECT x FROM t WHERE d > ('no' || 'w')::timestamp",
                "SELECT c::date FROM t",
                "SELECT CAST(c AS timestamp(0)) FROM t",
                "SELECT CAST(c AS daterange) FROM t",
                "SELECT c::\"date\" FROM t",
                "SELECT c AT TIME ZONE 'America/New_York' FROM t",
                "SELECT age(d) FROM t",
                "SELECT LOCALTIME, x FROM t",
                "SELECT f(x) FROM t",
                "SELECT \"lower\"(x) FROM t"
            })
    void shouldNotKnowWhatElseTheResultDependsOn(String sql) {
        assertThat(footprint(sql)).isNull();
    }

    @Test
    void shouldNotTakeAWordForATime() {
        assertThat(footprint("SELECT x FROM t WHERE a = 'knowledge'")).isNotNull();
        assertThat(footprint("SELECT x::text, CAST(y AS int) FROM t WHERE a = 'it''s'"))
                .isNotNull();
    }
}
