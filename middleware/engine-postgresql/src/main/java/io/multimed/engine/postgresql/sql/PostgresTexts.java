// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.sql;

import io.multimed.engine.sql.Reading;
import io.multimed.engine.sql.SqlText;
import io.multimed.engine.sql.Token;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.postgresql.core.NativeQuery;
import org.postgresql.core.Parser;

/**
 * Splits a client's text into statements. pgjdbc replaces JDBC escapes, splits the text, and sends each part in a
 * separate message, in which the engine accepts one statement only. This class therefore uses pgjdbc's own parser, and
 * splits each part once more by the engine's rules: every statement of either split is classified.
 */
final class PostgresTexts {
    private static final String NUL =
            "a NUL character in a statement's text is not supported through Multimed: the engine ends the statement there";

    private static final String HALF =
            "a statement's text contains an unpaired surrogate, which is not a character: remove it";

    private static final String NESTED =
            "JDBC escapes nested so deeply are not supported through Multimed: use the engine's own functions";

    private static final String UNICODE_NAME =
            "names in the format U&\"...\" are not supported through Multimed: write the characters without escapes";

    /** Functions of JDBC escapes in whose replacement an argument appears several times. */
    private static final Pattern COPYING = Pattern.compile("(?i)\\{fn\\s*(right|locate)\\b");

    private static final int MAX_COPYING = 8;

    /** The line breaks end a comment at the end of a query. */
    private static final String BETWEEN = "\n;\n";

    private PostgresTexts() {}

    /**
     * Returns the statements of a text, or a refusal. The result is not settled if a backslash changes the statements
     * under standard_conforming_strings = off; they then require a session with the default.
     */
    static Reading read(String sql) {
        if (sql.indexOf(0) >= 0) {
            return Reading.refused(NUL);
        }
        if (Reading.hasBrokenPair(sql)) {
            return Reading.refused(HALF);
        }
        if (nestsEscapes(sql)) {
            return Reading.refused(NESTED);
        }
        List<SqlText> usual = statements(sql, true);
        boolean settled = sql.indexOf('\\') < 0 || usual.equals(statements(sql, false));
        return usual.stream().anyMatch(PostgresTexts::hasUnicodeName)
                ? Reading.refused(UNICODE_NAME)
                : new Reading(usual, settled, "");
    }

    /**
     * Returns whether escapes are nested more deeply than the limit, or might be. The driver may take for an escape
     * what the engine takes for a part of a comment or string; there, only the number of functions is limited whose
     * arguments the driver copies.
     */
    private static boolean nestsEscapes(String sql) {
        return sql.indexOf('{') >= 0
                && (COPYING.matcher(sql).results().count() > MAX_COPYING
                        || Reading.nestsEscapes(new PostgresTokens(sql, true).scan()));
    }

    /**
     * Returns the statements under one value of standard_conforming_strings; a text without any token is one empty
     * statement.
     */
    private static List<SqlText> statements(String sql, boolean standard) {
        List<SqlText> statements = new ArrayList<>();
        for (String piece : pieces(sql, standard)) {
            statements.addAll(cut(new PostgresTokens(piece, standard).scan()));
        }
        return statements.isEmpty() ? List.of(new SqlText(sql, List.of())) : List.copyOf(statements);
    }

    /**
     * Returns the messages into which pgjdbc splits the text. The parser runs only if the text contains a semicolon or
     * a JDBC escape.
     */
    private static List<String> pieces(String sql, boolean standard) {
        if (sql.indexOf(';') < 0 && sql.indexOf('{') < 0) {
            return List.of(sql);
        }
        try {
            String replaced = Parser.replaceProcessing(sql, true, standard);
            return Parser.parseJdbcSql(replaced, standard, false, true, false, false).stream()
                    .map((NativeQuery query) -> query.nativeSql)
                    .toList();
        } catch (SQLException e) {
            return List.of(sql); // the driver refuses to send the text
        }
    }

    /**
     * Returns a text that contains several copies of a query, separated by semicolons and line breaks; empty if the
     * query must be parsed each time, and unless the driver sends each copy exactly as it sends the query alone. For
     * example, the driver reads a JDBC escape without an end, or a quote that begins a string for the driver but not
     * for the engine, on into the next copy. The engine would then execute another text than the classifier has judged.
     */
    static Optional<String> repeated(String query, int times) {
        boolean same = !TimeConstants.mayBeIn(query)
                && canBeRepeated(query, true)
                && (query.indexOf('\\') < 0 || canBeRepeated(query, false));
        return same ? Optional.of(String.join(BETWEEN, Collections.nCopies(times, query))) : Optional.empty();
    }

    /** Compares two copies: if the second one begins as the first one did, so do all others. */
    private static boolean canBeRepeated(String query, boolean standard) {
        String twice = query + BETWEEN + query;
        List<String> alone = sent(query, standard);
        return alone.size() == 1
                && !nestsEscapes(twice)
                && sent(twice, standard).equals(List.of(alone.get(0), alone.get(0)));
    }

    /** Returns the texts that the driver sends for a prepared statement; none if it refuses the statement. */
    private static List<String> sent(String sql, boolean standard) {
        try {
            String replaced = Parser.replaceProcessing(sql, true, standard);
            return Parser.parseJdbcSql(replaced, standard, true, true, false, false).stream()
                    .map((NativeQuery query) -> query.nativeSql.strip())
                    .toList();
        } catch (SQLException | StackOverflowError e) {
            return List.of();
        }
    }

    /**
     * Returns the statements that the engine would find in one message if it accepted several: semicolons in
     * parentheses or in a routine's body do not separate statements.
     */
    static List<SqlText> cut(SqlText piece) {
        List<SqlText> statements = new ArrayList<>();
        List<Token> tokens = piece.tokens();
        int begin = 0;
        int depth = 0;
        boolean body = false;
        for (int i = 0; i < tokens.size(); i++) {
            Token token = tokens.get(i);
            if (token.isSign("(")) {
                depth++;
            } else if (token.isSign(")")) {
                depth = Math.max(0, depth - 1);
            } else if (depth == 0 && beginsBody(tokens, begin, i)) {
                body = true;
            } else if (body && endsBody(tokens, i)) {
                body = false;
            } else if (depth == 0 && !body && token.isSign(";")) {
                addUnlessEmpty(statements, piece, begin, i);
                begin = i + 1;
            }
        }
        addUnlessEmpty(statements, piece, begin, tokens.size());
        return statements;
    }

    private static void addUnlessEmpty(List<SqlText> statements, SqlText piece, int begin, int end) {
        if (end > begin) {
            statements.add(new SqlText(piece.whole(), piece.tokens().subList(begin, end)));
        }
    }

    /** Returns whether the token is ATOMIC of CREATE FUNCTION ... BEGIN ATOMIC. */
    private static boolean beginsBody(List<Token> tokens, int begin, int i) {
        return tokens.get(i).is("ATOMIC")
                && i > begin
                && tokens.get(i - 1).is("BEGIN")
                && tokens.get(begin).is("CREATE")
                && isRoutine(tokens, begin + 1);
    }

    private static boolean isRoutine(List<Token> tokens, int second) {
        boolean replaces = tokens.get(second).is("OR");
        Token object = tokens.get(replaces ? Math.min(second + 2, tokens.size() - 1) : second);
        return object.is("FUNCTION") || object.is("PROCEDURE");
    }

    /**
     * Returns whether the token is the END of a routine's body, where otherwise the next statement of the body would
     * begin.
     */
    private static boolean endsBody(List<Token> tokens, int i) {
        return tokens.get(i).is("END")
                && (tokens.get(i - 1).isSign(";") || tokens.get(i - 1).is("ATOMIC"));
    }

    /** Returns whether the text contains a name of the form U&"...", whose escapes the scanner does not resolve. */
    private static boolean hasUnicodeName(SqlText statement) {
        List<Token> tokens = statement.tokens();
        for (int i = 2; i < tokens.size(); i++) {
            if (tokens.get(i).kind() == Token.Kind.QUOTED_NAME
                    && tokens.get(i - 1).isSign("&")
                    && tokens.get(i - 2).is("U")
                    && tokens.get(i - 2).end() == tokens.get(i).begin() - 1) {
                return true;
            }
        }
        return false;
    }
}
