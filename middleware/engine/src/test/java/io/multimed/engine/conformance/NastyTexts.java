// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.conformance;

import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.engine.sql.Token;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Texts of fragments that begin and end comments, strings and names, to compare a tokenizer with that of the engine.
 * The texts are random; the seed is printed, and {@code multimed.fuzz.seed} repeats a run. {@code multimed.fuzz.texts}
 * sets their number; large numbers also need {@code -Djunit.jupiter.execution.timeout.mode=disabled}.
 */
public final class NastyTexts {
    private static final int MAX_FRAGMENTS = 9;

    /** Fragments for every engine. */
    private static final String[] FRAGMENTS = {
        "'",
        "'",
        "''",
        "\\",
        "\\'",
        "N'",
        "\"",
        "`",
        "--",
        "#",
        "/*",
        "/*",
        "*/",
        "*/",
        "/",
        "*",
        "\n",
        "\r",
        "\t",
        " ",
        " ",
        "a",
        "é",
        "1",
        "1e5",
        "+",
        "-",
        "@",
        ";",
        "; SELECT 2",
        "(",
        ")",
        ",",
        "\u00a0",
        "😀",
        "_",
        " AS b",
        "$",
        "$$",
        " 'a'",
        " 'b\\'",
        "\n'c'",
        "/* h */",
        "= 'i'",
        "%",
        "<>"
    };

    private final String what;
    private final List<String> fragments;
    private final long seed = Long.getLong("multimed.fuzz.seed", System.nanoTime());
    private final int texts = Integer.getInteger("multimed.fuzz.texts", 600);
    private int same;
    private int refused;

    /** @param fragments of the engine only */
    public NastyTexts(String what, String... fragments) {
        this.what = what;
        this.fragments = Stream.of(FRAGMENTS, fragments).flatMap(Stream::of).toList();
    }

    /** Connects to an engine directly, with further properties of its driver. */
    public static Connection connect(RunningEngine engine, Map<String, String> others) throws SQLException {
        Properties properties = new Properties();
        properties.putAll(others);
        properties.setProperty("user", engine.user());
        properties.setProperty("password", engine.password());
        return DriverManager.getConnection(engine.jdbcUrl(), properties);
    }

    /** Compares one text with the engine; returns true if the engine executed it. */
    @FunctionalInterface
    public interface Comparison {
        boolean compare(String text) throws SQLException;
    }

    public void each(Comparison comparison) throws SQLException {
        for (int i = 0; i < texts; i++) {
            Random random = new Random(seed + i);
            String text = text(random);
            try {
                boolean ran = comparison.compare(text);
                same += ran ? 1 : 0;
                refused += ran ? 0 : 1;
            } catch (AssertionError e) {
                throw new AssertionError("%s, seed %d: [%s]".formatted(what, seed + i, text.replace("\r", "<CR>")), e);
            }
        }
        System.out.printf(
                "%s: seed %d, %d texts: %d ran, %d refused by the engine%n", what, seed, texts, same, refused);
    }

    private String text(Random random) {
        StringBuilder text = new StringBuilder("SELECT 1");
        for (int i = random.nextInt(MAX_FRAGMENTS) + 1; i > 0; i--) {
            text.append(fragments.get(random.nextInt(fragments.size())));
        }
        return text.append(random.nextBoolean() ? "" : " ; SELECT 'marker'").toString();
    }

    /** Returns the number of results of an executed statement. */
    public static int results(Statement statement, boolean rows) throws SQLException {
        int results = 0;
        boolean more = rows;
        while (more || statement.getUpdateCount() != -1) {
            results++;
            more = statement.getMoreResults();
        }
        return results;
    }

    /** Returns whether a token begins at this index, or no token follows. */
    public static boolean beginsAt(List<Token> tokens, int place) {
        return tokens.stream().anyMatch(token -> token.begin() == place)
                || tokens.isEmpty()
                || place >= tokens.get(tokens.size() - 1).end();
    }
}
