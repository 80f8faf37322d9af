// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.sql;

import io.multimed.engine.sql.Token;
import io.multimed.engine.sql.TokenScanner;
import java.util.Set;

/**
 * PostgreSQL's lexical rules. A carriage return ends a line comment, too; comments nest; a string continues after a
 * line break if another quote follows, by the rules of its first part; characters beyond ASCII are letters. The engine
 * refuses a text with an unterminated token.
 */
final class PostgresTokens extends TokenScanner {
    /** A string may begin with one of these. */
    private static final Set<String> PREFIXES = Set.of("E", "N", "B", "X");

    /** The special characters inside of a string. */
    private enum Inside {
        /** None: bit strings. */
        PLAIN,
        /** Doubled quotes. */
        QUOTES,
        /** Doubled quotes and backslashes, which escape the next character. */
        ESCAPES
    }

    private final Inside usual;

    /**
     * @param standard whether a backslash in a string without prefix is an ordinary character: the setting
     * standard_conforming_strings
     */
    PostgresTokens(String sql, boolean standard) {
        super(sql);
        this.usual = standard ? Inside.QUOTES : Inside.ESCAPES;
    }

    @Override
    protected void next() {
        char c = sql.charAt(at);
        if (looksAt("--")) {
            skipLine(true);
        } else if (looksAt("/*")) {
            skipComment();
        } else if (c == '\'') {
            string(at, usual);
        } else if (c == '"') {
            quotedName();
        } else if (isDigit(c) || (c == '.' && isDigitAt(1))) {
            number();
        } else if (isWordPart(c) && c != '$') {
            wordOrString();
        } else if (c != '$' || !dollarQuote()) {
            sign();
        }
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    /** A letter directly after the number begins a new token, or is an error, depending on the engine's version. */
    private void number() {
        int begin = at;
        digits();
        if (looksAt(".") && !looksAt("..")) {
            at++;
            digits();
        }
        exponent();
        add(Token.Kind.WORD, Token.upperCase(sql.substring(begin, at)), begin);
    }

    private void wordOrString() {
        int begin = at;
        String word = word();
        if (at < sql.length() && sql.charAt(at) == '\'' && PREFIXES.contains(word)) {
            string(begin, inside(word));
        } else {
            add(Token.Kind.WORD, word, begin);
        }
    }

    private Inside inside(String prefix) {
        return switch (prefix) {
            case "E" -> Inside.ESCAPES;
            case "N" -> usual;
            default -> Inside.PLAIN;
        };
    }

    /** Adds a string with all its parts. Its content is not needed: the token has an empty text. */
    private void string(int begin, Inside inside) {
        do {
            part(inside);
        } while (goesOn());
        add(Token.Kind.STRING, "", begin);
    }

    private void part(Inside inside) {
        if (inside == Inside.PLAIN) {
            skipBehind("'", at + 1);
        } else {
            quoted(inside == Inside.ESCAPES);
        }
    }

    /**
     * Returns whether the string continues after white space that includes a line break, and line comments. If so,
     * moves to the quote of the next part.
     */
    private boolean goesOn() {
        int behind = at;
        boolean newLine = false;
        while (at < sql.length() && (isBlank(sql.charAt(at)) || looksAt("--"))) {
            if (looksAt("--")) {
                skipLine(true);
            } else {
                newLine |= sql.charAt(at) == '\n' || sql.charAt(at) == '\r';
                at++;
            }
        }
        if (newLine && at < sql.length() && sql.charAt(at) == '\'') {
            return true;
        }
        at = behind;
        return false;
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == 0x0b;
    }

    private void quotedName() {
        int begin = at;
        quoted(false);
        add(Token.Kind.QUOTED_NAME, sql.substring(begin, at), begin);
    }

    /**
     * Adds a dollar-quoted string, whose tag may be empty; returns false if the dollar sign does not begin one ($1).
     */
    private boolean dollarQuote() {
        int begin = at;
        int end = at + 1;
        while (end < sql.length() && isTagPart(sql.charAt(end)) && !(end == at + 1 && isDigit(sql.charAt(end)))) {
            end++;
        }
        if (end == sql.length() || sql.charAt(end) != '$') {
            return false;
        }
        skipBehind(sql.substring(at, end + 1), end + 1);
        add(Token.Kind.STRING, "", begin);
        return true;
    }

    private static boolean isTagPart(char c) {
        return c != '$' && isWordPart(c);
    }

    /** Skips a comment, which may contain other comments. */
    private void skipComment() {
        int depth = 1;
        at += 2;
        while (at < sql.length() && depth > 0) {
            if (looksAt("/*")) {
                depth++;
                at += 2;
            } else if (looksAt("*/")) {
                depth--;
                at += 2;
            } else {
                at++;
            }
        }
    }
}
