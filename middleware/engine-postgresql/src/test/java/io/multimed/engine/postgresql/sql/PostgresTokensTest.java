// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.launcher.LaunchedEngine;
import io.multimed.deploy.launcher.LocalEngines;
import io.multimed.engine.conformance.NastyTexts;
import io.multimed.engine.sql.Reading;
import io.multimed.engine.sql.SqlText;
import io.multimed.engine.sql.Token;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * The engine finds the same tokens and statements in a text as Multimed's tokenizer: error messages report positions,
 * and results are counted.
 */
@Tag("slow")
@Timeout(600)
class PostgresTokensTest {
    /** Fragments in addition to those of {@link NastyTexts}. */
    private static final String[] FRAGMENTS = {
        "E'",
        " e'",
        "B'",
        "X'0",
        "U&'",
        "$a$",
        "$1",
        "$é$",
        "--",
        "\r\n",
        "\f",
        "e",
        "E",
        "||",
        "::text",
        "x",
        "-- d\n'e'",
        " AS \"f\"\"g\"",
        "/* /* */ */"
    };

    private static LaunchedEngine engine;

    @BeforeAll
    static void start() {
        Assumptions.assumeTrue(LocalEngines.missing("postgresql").isEmpty());
        engine = new LaunchedEngine("postgresql");
    }

    @AfterAll
    static void stop() {
        if (engine != null) {
            engine.close();
        }
    }

    private static Connection connect(String mode) throws SQLException {
        return NastyTexts.connect(engine.running(), Map.of("preferQueryMode", mode));
    }

    /** The engine splits the text, not its driver. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldFindTheSameTokensAsTheEngine(boolean standard) throws SQLException {
        NastyTexts texts = new NastyTexts("PostgreSQL's words, standard strings " + standard, FRAGMENTS);
        try (Connection connection = connect("simple");
                Statement statement = connection.createStatement()) {
            statement.execute("SET standard_conforming_strings = %s; SET escape_string_warning = off"
                    .formatted(standard ? "on" : "off"));
            statement.setEscapeProcessing(false);
            texts.each(text -> compare(statement, text, new PostgresTokens(text, standard).scan()));
        }
    }

    private static boolean compare(Statement statement, String text, SqlText read) throws SQLException {
        try {
            int results = NastyTexts.results(statement, statement.execute(text));
            assertThat(PostgresTexts.cut(read)).hasSize(results);
            return true;
        } catch (PSQLException e) {
            ServerErrorMessage said = e.getServerErrorMessage();
            boolean placed = said != null && said.getPosition() > 0 && isAboutToken(String.valueOf(said.getMessage()));
            if (placed) {
                int place = text.offsetByCodePoints(0, said.getPosition() - 1);
                assertThat(NastyTexts.beginsAt(read.tokens(), place) || isBehindN(read, place))
                        .as("%s at %d: %s", said.getMessage(), place, read.tokens())
                        .isTrue();
            }
            return false;
        }
    }

    /** To the engine the N is a separate token. */
    private static boolean isBehindN(SqlText read, int place) {
        return read.tokens().stream()
                .anyMatch(token -> token.begin() == place - 1
                        && Character.toUpperCase(read.whole().charAt(token.begin())) == 'N'
                        && token.kind() == Token.Kind.STRING);
    }

    /** Other messages report a position inside of a string, or a comment. */
    private static boolean isAboutToken(String message) {
        return message.startsWith("syntax error at")
                || message.contains("does not exist")
                || message.startsWith("unterminated quoted")
                || message.startsWith("unterminated dollar");
    }

    /** The driver splits the text, and the engine accepts one statement at a time. */
    @Test
    void shouldFindTheSameStatementsAsTheEngine() throws SQLException {
        NastyTexts texts = new NastyTexts("PostgreSQL's statements through its driver", FRAGMENTS);
        try (Connection connection = connect("extended");
                Statement statement = connection.createStatement()) {
            texts.each(text -> {
                Reading reading = PostgresTexts.read(text);
                try {
                    int results = NastyTexts.results(statement, statement.execute(text));
                    if (reading.refusal().isEmpty()) {
                        assertThat(results).isBetween(count(reading), 1 + semicolons(text));
                    }
                    return true;
                } catch (PSQLException e) {
                    return false;
                }
            });
        }
    }

    private static int count(Reading reading) {
        return (int) reading.statements().stream()
                .filter(one -> !one.tokens().isEmpty())
                .count();
    }

    /** The driver finds a statement if there is only a comment between two semicolons. */
    private static int semicolons(String text) {
        return (int) text.chars().filter(c -> c == ';').count();
    }
}
