// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.deploy.launcher.LaunchedEngine;
import io.multimed.engine.conformance.NastyTexts;
import io.multimed.engine.mysql.sql.MySqlTokens.Rules;
import io.multimed.engine.sql.SqlText;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * The engine finds the same tokens and statements in a text as Multimed's tokenizer: error messages report tokens, and
 * results are counted.
 */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine({"mariadb", "mysql"})
class MySqlTokensTest {
    /** Fragments in addition to those of {@link NastyTexts}. */
    private static final String[] FRAGMENTS = {
        "\\\"",
        "x'41'",
        "_utf8mb4'",
        "\"\"",
        "``",
        "-- ",
        "--\t",
        "--\u007f",
        "--\u0001",
        "/*!",
        "/*! ",
        "/*!50000",
        "/*!40101 ",
        "/*!80000 ",
        "/*!99999 ",
        "/*!999999",
        "/*!0500001",
        "/*M!",
        "/*M!100000 ",
        "/*+",
        "/*+ ",
        "@@",
        ":=",
        "-- d\n",
        "# e\n",
        " AS `f``g`",
        "\\N",
        "{"
    };

    private static final Map<String, Rules> MODES =
            Map.of("", Rules.USUAL, "NO_BACKSLASH_ESCAPES", Rules.NO_ESCAPES, "ANSI_QUOTES", Rules.ANSI_NAMES);

    private static final Pattern NEAR = Pattern.compile("(?s)near '(.*)' at line \\d+$");

    /** MariaDB's representation of special characters in its messages. */
    private static final Pattern ENCODED = Pattern.compile("\\\\(?:00|\\+0)([0-9A-F]{2}|[0-9A-F]{5})");

    private static LaunchedEngine engine;

    private final String name;

    MySqlTokensTest(String engine) {
        this.name = engine;
    }

    @BeforeParameterizedClassInvocation
    static void start(String name) {
        engine = new LaunchedEngine(name);
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        engine.close();
    }

    private static Connection connect(boolean several) throws SQLException {
        return NastyTexts.connect(
                engine.running(),
                Map.of(
                        "allowPublicKeyRetrieval", "true",
                        "characterEncoding", "UTF-8",
                        "allowMultiQueries", String.valueOf(several)));
    }

    @Test
    void shouldFindTheSameTokensAsTheEngine() throws SQLException {
        for (Map.Entry<String, Rules> mode : MODES.entrySet()) {
            try (Connection connection = connect(true);
                    Statement statement = connection.createStatement()) {
                statement.execute("SET sql_mode = '%s'".formatted(mode.getKey()));
                statement.setEscapeProcessing(false);
                new NastyTexts("%s's words, mode '%s'".formatted(name, mode.getKey()), FRAGMENTS)
                        .each(text -> compare(statement, text, mode.getValue()));
            }
        }
    }

    /**
     * A text with several possible readings, because of comments for specific versions, must have one that agrees with
     * the engine; refused texts are not compared.
     */
    private static boolean compare(Statement statement, String text, Rules rules) throws SQLException {
        SqlText read = MySqlTokens.of(text, rules);
        if (MySqlTexts.isUncertain(text, rules)) {
            return false;
        }
        List<SqlText> readings = new ArrayList<>(List.of(read));
        CommentVersions.possible(text).forEach(engine -> readings.add(MySqlTokens.of(text, rules.on(engine))));
        try {
            int results = NastyTexts.results(statement, statement.execute(text));
            assertThat(readings.stream().anyMatch(each -> isCount(results, each)))
                    .as("%d results: %s", results, read.tokens())
                    .isTrue();
            return true;
        } catch (SQLException e) {
            Matcher near = NEAR.matcher(String.valueOf(e.getMessage()));
            if (near.find()) {
                String said = ENCODED.matcher(near.group(1))
                        .replaceAll(code ->
                                Matcher.quoteReplacement(Character.toString(Integer.parseInt(code.group(1), 16))));
                assertThat(readings.stream().anyMatch(each -> beginsWith(each, said)))
                        .as("%s: %s", e.getMessage(), read.tokens())
                        .isTrue();
            }
            return false;
        }
    }

    /** The engine may find a statement if there is only a comment between semicolons. */
    private static boolean isCount(int results, SqlText read) {
        SqlText words = MySqlTexts.withoutMarks(read);
        long least = words.statements().stream()
                .filter(one -> one.tokens().stream().anyMatch(token -> !token.isSign(";")))
                .count();
        long most =
                1 + words.tokens().stream().filter(token -> token.isSign(";")).count();
        return results >= least && results <= most;
    }

    /**
     * The engine reports the token that it does not accept, or the one after the last accepted token; for an
     * unterminated comment it reports its beginning.
     */
    private static boolean beginsWith(SqlText read, String near) {
        int unknown = near.indexOf('?'); // a character that messages cannot represent
        String rest = near.substring(0, Math.max(0, unknown < 0 ? near.length() - 1 : unknown))
                .stripLeading();
        return rest.isEmpty()
                || near.startsWith("/*")
                || read.tokens().stream()
                        .anyMatch(token -> read.whole().startsWith(rest, token.begin())
                                || read.whole()
                                        .substring(token.end())
                                        .stripLeading()
                                        .startsWith(rest));
    }
}
