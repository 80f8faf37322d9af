// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.classification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.multimed.engine.Engine;
import io.multimed.engine.sql.RoutingHints;
import io.multimed.engine.sql.SqlReader;
import io.multimed.engine.sql.SqlText;
import io.multimed.engine.sql.Token;
import java.util.List;
import java.util.Random;
import java.util.ServiceLoader;
import java.util.ServiceLoader.Provider;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every text can be read, however its comments, strings and names overlap or end. */
@Tag("exhaustive")
class AnyTextTest {
    private static final int TEXTS = 30_000;

    /** Parts that begin, end or are a part of comments, strings, names, numbers, parameters and escapes. */
    private static final List<String> PARTS = List.of(
            "/*",
            "*/",
            "/",
            "*",
            "/*!",
            "/*!50100 ",
            "/*M!",
            "/*+ multimed: ",
            "master",
            "--",
            "-- ",
            "#",
            "\n",
            "\r",
            "'",
            "''",
            "\"",
            "`",
            "\\",
            "\\'",
            "E'",
            "e'",
            "U&\"",
            "U&'",
            "N'",
            "B'",
            "X'",
            "$",
            "$$",
            "$a$",
            "$a1$",
            "$1",
            "$é$",
            "?",
            "??",
            ":",
            "::",
            ":=",
            "@",
            "@@",
            "{",
            "}",
            "{fn ",
            "{d ",
            "(",
            ")",
            "[",
            "]",
            ";",
            ",",
            ".",
            "..",
            "1",
            "1_000",
            "0x1F",
            "1e",
            "1e5",
            "e",
            "SELECT",
            "WITH",
            "INSERT",
            "SET",
            "BEGIN",
            "END",
            "AS",
            "v",
            "é",
            "_",
            " ",
            "\t",
            "\u0000",
            "\u00a0",
            "\ud800",
            "\u0130");

    private static Stream<Named<Engine>> engines() {
        return ServiceLoader.load(Engine.class).stream()
                .map(Provider::get)
                .map(engine -> Named.of(engine.id(), engine));
    }

    @ParameterizedTest
    @MethodSource("engines")
    void shouldReadAnyText(Engine engine) {
        SqlReader reader = engine.dialect().reader();
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < TEXTS; i++) {
            String sql = text(random);
            assertThatCode(() -> read(reader, sql)).as("seed %d: %s", seed, sql).doesNotThrowAnyException();
        }
    }

    private static String text(Random random) {
        StringBuilder text = new StringBuilder();
        for (int parts = 1 + random.nextInt(10); parts > 0; parts--) {
            text.append(PARTS.get(random.nextInt(PARTS.size())));
        }
        return text.toString();
    }

    private static void read(SqlReader reader, String sql) {
        try {
            RoutingHints unused = RoutingHints.of(sql);
        } catch (RoutingHints.MalformedException e) {
            assertThat(e).hasMessageContaining("hint");
        }
        int end = 0;
        for (Token token : reader.read(sql).tokens()) {
            assertThat(token.begin()).isGreaterThanOrEqualTo(end);
            assertThat(token.end()).isGreaterThan(token.begin()).isLessThanOrEqualTo(sql.length());
            end = token.end();
        }
        for (SqlText statement : reader.reading(sql).statements()) {
            assertThat(statement.text()).isNotNull();
        }
        reader.repeated(sql, 2);
    }
}
