// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.classification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.multimed.engine.Engines;
import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.SchemaFacts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The time to classify a text is bounded for any depth of nesting: a text that exceeds the bound runs on the master.
 */
@Tag("slow")
@Timeout(600)
@Tag("exhaustive")
class LongProofTest {
    /** Without a bound, some of the texts take hours. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final int MAX_LENGTH = 100_000;

    /** The text before, inside and after each nesting. */
    private static final String[][] NESTS = {
        {"(", " 1 ", ")"},
        {"f(", "1", ")"},
        {"(SELECT ", "1", ")"},
        {"CASE WHEN a THEN ", "1", " END"},
        {"CASE WHEN (", "1", ") THEN 1 END"},
        {"CAST(", "a", " AS int)"},
        {"a IN (SELECT 1 FROM t WHERE ", "a", ")"},
        {"EXISTS (SELECT 1 FROM t WHERE ", "a", ")"},
        {"ARRAY[", "1", "]"},
        {"ARRAY", "[1]", ""},
        {"a[", "1", "]"},
        {"(1, ", "1", ")"},
        {"(a = 1 AND ", "a", ")"},
        {"((a) = (b) OR ", "a", ")"},
        {"a = ANY(", "b", ")"},
        {"coalesce(a, ", "b", ")"},
        {"NOT ", "a", ""},
        {"- ", "a", ""},
        {"~ ", "a", ""},
        {"sum(", "1", ") OVER (PARTITION BY a)"},
        {"{fn f(", "1", ")}"},
        {"x BETWEEN ", "1", " AND 2"},
        {"a LIKE ", "b", " ESCAPE 'c'"},
        {"INTERVAL ", "'1'", " DAY"},
        {"(a, b) = (", "c", ")"},
        {"ROW(", "1", ")"},
        {"EXTRACT(year FROM ", "a", ")"},
        {"", "a", "::int"},
        {"", "a", "->'b'"},
        {"", "a", " || b"},
        {"", "a", " + 1"},
        {"", "a", " AND b = 1"},
        {"", "a", " OR b = 1"},
        {"", "a", ".b"},
        {"", "a", " AT TIME ZONE 'x'"},
        {"", "a", " IS NULL"},
        {"", "a", ", a"},
        {"", "1", " UNION SELECT 1"},
        {"'", "a", "' || "},
        {"\"", "a", "\" + "},
        {"/*", " ", "*/"},
        {"'a'\n", "1", ""}
    };

    private static final String[] FRAMES = {"SELECT %s", "SELECT 1 FROM t WHERE %s", "SELECT * FROM %s x", "%s"};

    private final List<StatementClassifier> classifiers = List.of(classifier("postgresql"), classifier("mysql"));

    private static StatementClassifier classifier(String engine) {
        return new StatementClassifier(
                Engines.of(engine).dialect().reader(),
                () -> new SchemaFacts(Set.of("f", "coalesce", "sum"), Set.of("a"), false, false));
    }

    @ParameterizedTest
    @ValueSource(ints = {24, MAX_LENGTH})
    void shouldTakeBoundedTime(int depth) {
        for (String[] nest : NESTS) {
            int possible = MAX_LENGTH / (nest[0] + nest[2]).length();
            assertBounded(FRAMES[depth % FRAMES.length].formatted(nested(nest, Math.min(depth, possible))));
        }
    }

    private static String nested(String[] nest, int depth) {
        return nest[0].repeat(depth) + nest[1] + nest[2].repeat(depth);
    }

    /** Mixed nestings, drawn with a seed that is printed. */
    @Test
    void shouldTakeBoundedTimeForMixedNesting() {
        long first = Long.getLong("multimed.fuzz.seed", System.nanoTime());
        int texts = Integer.getInteger("multimed.fuzz.parser", 20);
        System.out.printf("parser: seed %d, %d texts%n", first, texts);
        for (int i = 0; i < texts; i++) {
            Random random = new Random(first + i);
            assertBounded(FRAMES[random.nextInt(FRAMES.length)].formatted(mixed(random)));
        }
    }

    private static String mixed(Random random) {
        String text = "1";
        int kinds = 1 + random.nextInt(4);
        List<String[]> chosen = new ArrayList<>();
        for (int i = 0; i < kinds; i++) {
            chosen.add(NESTS[random.nextInt(NESTS.length)]);
        }
        for (int depth = 5 + random.nextInt(30); depth > 0 && text.length() < MAX_LENGTH / 3; depth--) {
            String[] nest = chosen.get(random.nextInt(kinds));
            String inner = random.nextInt(8) == 0 && text.length() < 2_000 ? text + ", " + text : text;
            text = nest[0] + inner + nest[2];
        }
        return text;
    }

    private void assertBounded(String sql) {
        StatementClassifier classifier = classifiers.get(sql.length() % 2);
        assertTimeoutPreemptively(
                PATIENCE, () -> classifier.classify(sql), () -> "%d characters: %.200s".formatted(sql.length(), sql));
    }

    @Test
    void shouldStillProveRealisticQueries() {
        String query =
                "SELECT a FROM t WHERE a IN (SELECT b FROM u WHERE c = (SELECT coalesce(sum(d), (1 + (2))) FROM v WHERE e = ?))";
        for (StatementClassifier classifier : classifiers) {
            assertThat(classifier.classify(query).kind())
                    .isIn(Classification.Kind.PURE_READ, Classification.Kind.EFFECT);
        }
        assertThat(classifiers.get(0).classify(query).kind()).isEqualTo(Classification.Kind.PURE_READ);
    }

    @Test
    void shouldClassifyStatementsThatNeedNoProof() {
        StatementClassifier classifier = classifiers.get(0);
        assertThat(classifier.classifyWithoutProof("SHOW MULTIMED STATUS").needsProof())
                .isFalse();
        assertThat(classifier.classifyWithoutProof("LISTEN changes").needsProof())
                .isFalse();
        assertThat(classifier.classifyWithoutProof("SELECT 1").needsProof()).isTrue();
        assertThat(classifier.classifyWithoutProof("SELECT 1").classification().kind())
                .isEqualTo(Classification.Kind.MASTER);
        assertThat(classifier.cached("SELECT 1")).isNull();
    }
}
