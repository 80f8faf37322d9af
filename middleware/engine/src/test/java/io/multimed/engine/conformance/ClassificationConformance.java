// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.Classification.Kind;
import io.multimed.engine.sql.Classification.Trait;
import io.multimed.engine.sql.ReadProof;
import io.multimed.engine.sql.SqlText;
import java.sql.SQLException;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Tests that statements are classified as in the section of conformance.sql, with the facts of the master. */
abstract class ClassificationConformance extends ConformanceTest {
    private Classification classify(String sql) throws SQLException {
        SqlDialect dialect = replication().dialect();
        ReadProof proof = new ReadProof(
                dialect.reader().readRules(),
                dialect.catalog().schemaFacts(replication().fencing()));
        SqlText text = dialect.reader().read(sql);
        return dialect.reader().classify(text, () -> proof);
    }

    /** A section {@code classified as KIND} for each kind that the engine has. */
    @TestFactory
    Stream<DynamicTest> shouldClassifyStatements() {
        EngineSql words = words("conformance");
        return Stream.of(Kind.values()).flatMap(kind -> {
            String section = "classified as " + kind;
            return words.sections().contains(section)
                    ? Stream.of(words.statements(section))
                            .map(sql -> DynamicTest.dynamicTest(
                                    kind + ": " + sql,
                                    () -> assertThat(classify(sql).kind()).isEqualTo(kind)))
                    : Stream.empty();
        });
    }

    @Test
    void shouldClassifyEveryImportantKind() {
        for (Kind kind : Set.of(Kind.PURE_READ, Kind.QUERY, Kind.MASTER, Kind.BEGIN, Kind.COMMIT, Kind.ROLLBACK)) {
            assertThat(words("conformance").sections()).contains("classified as " + kind);
        }
    }

    @Test
    void shouldNameTheTablesThatAReadNeeds() throws SQLException {
        assertThat(classify("SELECT * FROM series AS s JOIN other ON other.i = s.i")
                        .tables())
                .containsExactlyInAnyOrder("series", "other");
    }

    @Test
    void shouldKnowThatAStatementReturnsNoRows() {
        SqlDialect dialect = replication().dialect();
        assertThat(dialect.reader().changesRowsOnly(dialect.reader().read("UPDATE series SET i = 1 WHERE i = 2")))
                .isTrue();
        assertThat(dialect.reader().changesRowsOnly(dialect.reader().read("SELECT i FROM series")))
                .isFalse();
    }

    /** A statement that ends the transaction must never look like one that belongs in it. */
    @TestFactory
    Stream<DynamicTest> shouldNotOverlookTheEndOfATransaction() {
        return Stream.of(words("conformance").statements("ends of transactions"))
                .map(sql -> DynamicTest.dynamicTest(sql, () -> {
                    Classification found = classify(sql);
                    assertThat(found.canBePrepared()
                                    && !found.has(Trait.COMMITS_BEFORE)
                                    && found.kind() != Kind.REFUSED)
                            .as("%s runs inside a transaction", found.kind())
                            .isFalse();
                }));
    }
}
