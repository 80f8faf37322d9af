// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.sql;

import io.multimed.engine.mysql.sql.MySqlTokens.Rules;
import io.multimed.engine.sql.Reading;
import io.multimed.engine.sql.SqlText;
import io.multimed.engine.sql.Token;
import java.util.ArrayList;
import java.util.List;

/**
 * Interprets a client's text as MariaDB and MySQL do: as one statement, because clients' connections do not permit
 * several statements in one text. The body of a routine or trigger may contain several.
 */
final class MySqlTexts {
    private static final String NUL =
            "a NUL character outside of a string is not supported through Multimed: the engine may end the statement there";

    private static final String HALF =
            "a statement's text contains an unpaired surrogate, which is not a character: remove it";

    private static final String NESTED =
            "JDBC escapes nested so deeply are not supported through Multimed: use the engine's own functions";

    private static final String HINT =
            "a comment whose limits depend on the version of the engine is not supported through Multimed: remove quotes, comments and semicolons inside of it, and add a space after a version of six digits";

    private static final String VERSIONS =
            "several statements in one text with a comment that only some versions of the engine execute are not supported through Multimed: send each statement separately";

    private MySqlTexts() {}

    /**
     * Returns the statements in a text. Refuses texts whose limits depend on the server's version, texts with NUL
     * outside of strings or with unpaired surrogates, and deeply nested JDBC escapes.
     */
    static Reading read(String sql) {
        SqlText text = MySqlTokens.of(sql, Rules.USUAL);
        if (Reading.hasBrokenPair(sql)) {
            return Reading.refused(HALF);
        }
        if (isUncertain(sql, Rules.USUAL)) {
            return Reading.refused(HINT);
        }
        if (hasNulOutsideStrings(text)) {
            return Reading.refused(NUL);
        }
        if (Reading.nestsEscapes(text)) {
            return Reading.refused(NESTED);
        }
        List<SqlText> statements = statements(text);
        return !dependsOnVersion(text) || isOneOnAllVersions(text, statements)
                ? new Reading(statements, isSettled(sql), "")
                : Reading.refused(VERSIONS);
    }

    /** Returns whether the end of a comment is uncertain for some engine. */
    static boolean isUncertain(String sql, Rules rules) {
        if (!sql.contains("/*")) {
            return false;
        }
        List<CommentVersions> engines = new ArrayList<>(CommentVersions.possible(sql));
        engines.add(rules.version());
        return engines.stream().anyMatch(engine -> isUncertainOn(sql, rules.on(engine)));
    }

    private static boolean isUncertainOn(String sql, Rules rules) {
        MySqlTokens scanner = new MySqlTokens(sql, rules);
        SqlText text = scanner.scan();
        return scanner.isDoubtful() || (scanner.isDivided() && !MySqlSchemaStatements.hasBody(withoutMarks(text)));
    }

    /** Returns whether every engine reads the text as exactly one statement. */
    private static boolean isOneOnAllVersions(SqlText text, List<SqlText> statements) {
        List<SqlText> others = onOtherVersions(text);
        return statements.size() == 1
                && !others.isEmpty()
                && others.stream().allMatch(other -> statements(other).size() == 1);
    }

    /** Splits a text at semicolons, unless it defines an object with a body. */
    private static List<SqlText> statements(SqlText text) {
        return MySqlSchemaStatements.hasBody(withoutMarks(text)) ? List.of(text) : text.statements();
    }

    /** Returns whether the tokens are the same under every sql_mode; only texts with a backslash can differ. */
    static boolean isSettled(String sql) {
        if (sql.indexOf('\\') < 0) {
            return true;
        }
        SqlText usual = MySqlTokens.of(sql, Rules.USUAL);
        return usual.equals(MySqlTokens.of(sql, Rules.NO_ESCAPES))
                && (sql.indexOf('"') < 0 || usual.equals(MySqlTokens.of(sql, Rules.ANSI_NAMES)));
    }

    /** Returns whether a NUL character occurs outside of strings. */
    private static boolean hasNulOutsideStrings(SqlText text) {
        String sql = text.whole();
        for (int at = sql.indexOf(0); at >= 0; at = sql.indexOf(0, at + 1)) {
            int place = at;
            if (text.tokens().stream()
                    .noneMatch(token ->
                            token.kind() == Token.Kind.STRING && token.begin() < place && place < token.end())) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the statement contains executable comments. */
    static boolean hasMarks(SqlText statement) {
        return statement.tokens().stream().anyMatch(MySqlTexts::isMark);
    }

    /** Returns the tokens without the marks of executable comments; the contents of the comments remain. */
    static SqlText withoutMarks(SqlText statement) {
        return hasMarks(statement)
                ? new SqlText(
                        statement.whole(),
                        statement.tokens().stream()
                                .filter(token -> !isMark(token))
                                .toList())
                : statement;
    }

    /** Returns whether only some engines of the family execute the content of a comment. */
    static boolean dependsOnVersion(SqlText text) {
        return text.tokens().stream().anyMatch(token -> token.isSign(MySqlTokens.PERHAPS));
    }

    /**
     * Returns the readings of a text by engines that do not execute all executable comments; empty if the text has no
     * such comment, or comments for too many versions.
     */
    static List<SqlText> onOtherVersions(SqlText statement) {
        return dependsOnVersion(statement)
                ? CommentVersions.possible(statement.whole()).stream()
                        .map(engine -> MySqlTokens.of(statement.whole(), Rules.USUAL.on(engine)))
                        .distinct()
                        .toList()
                : List.of();
    }

    private static boolean isMark(Token token) {
        return token.isSign(MySqlTokens.EXECUTABLE) || token.isSign(MySqlTokens.PERHAPS);
    }
}
