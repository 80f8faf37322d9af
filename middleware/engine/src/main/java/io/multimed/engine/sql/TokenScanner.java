// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.sql;

import java.util.ArrayList;
import java.util.List;

/**
 * Splits a text into words and signs, without comments and the content of strings. The subclass of an engine recognizes
 * where a comment, a string or a quoted name begins. An unterminated token ends with the text. Used once, by one
 * thread.
 */
public abstract class TokenScanner {
    protected final String sql;

    /** Index of the next character. */
    protected int at;

    private final List<Token> tokens = new ArrayList<>();

    protected TokenScanner(String sql) {
        this.sql = sql;
    }

    /** Reads the whole text. */
    public final SqlText scan() {
        while (at < sql.length()) {
            if (sql.charAt(at) <= ' ') {
                at++;
            } else {
                next();
            }
        }
        return new SqlText(sql, tokens);
    }

    /** Skips a comment, or adds one token. The next character is not a blank. */
    protected abstract void next();

    /** Adds a token that ends before {@link #at}. */
    protected final void add(Token.Kind kind, String text, int begin) {
        tokens.add(new Token(kind, text, begin, at));
    }

    /** Returns whether the last token ends here and is of one of these kinds. */
    protected final boolean isBehind(Token.Kind... kinds) {
        Token last = tokens.isEmpty() ? null : tokens.get(tokens.size() - 1);
        return last != null && last.end() == at && List.of(kinds).contains(last.kind());
    }

    /** Returns whether the last token ends here and is one of these signs. */
    protected final boolean isBehindSign(String sign, String other) {
        return isBehind(Token.Kind.SIGN)
                && (tokens.get(tokens.size() - 1).isSign(sign)
                        || tokens.get(tokens.size() - 1).isSign(other));
    }

    protected final boolean isDigitAt(int offset) {
        int place = at + offset;
        return place < sql.length() && sql.charAt(place) >= '0' && sql.charAt(place) <= '9';
    }

    protected final void digits() {
        while (isDigitAt(0)) {
            at++;
        }
    }

    /** Skips the exponent of a number, if it is complete. */
    protected final void exponent() {
        boolean there = at < sql.length() && (sql.charAt(at) == 'e' || sql.charAt(at) == 'E');
        if (there) {
            boolean signed = at + 1 < sql.length() && (sql.charAt(at + 1) == '+' || sql.charAt(at + 1) == '-');
            int before = signed ? 2 : 1;
            if (isDigitAt(before)) {
                at += before;
                digits();
            }
        }
    }

    protected final boolean looksAt(String text) {
        return sql.startsWith(text, at);
    }

    protected final void sign() {
        at++;
        add(Token.Kind.SIGN, sql.substring(at - 1, at), at - 1);
    }

    /** Returns whether a character may be part of a word; engines treat all characters beyond ASCII as letters. */
    protected static boolean isWordPart(char c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || c == '_'
                || c == '$'
                || c >= 0x80;
    }

    /** Skips the letters and digits of a word, and returns the word in upper case; adds no token. */
    protected final String word() {
        int begin = at;
        while (at < sql.length() && isWordPart(sql.charAt(at))) {
            at++;
        }
        return Token.upperCase(sql.substring(begin, at));
    }

    /**
     * Skips a text in quotes, in which two quotes stand for one; adds no token.
     *
     * @param escapes whether a backslash escapes the next character
     */
    protected final void quoted(boolean escapes) {
        char quote = sql.charAt(at++);
        while (at < sql.length()) {
            char c = sql.charAt(at++);
            if (escapes && c == '\\') {
                at++;
            } else if (c == quote) {
                if (at < sql.length() && sql.charAt(at) == quote) {
                    at++;
                } else {
                    return;
                }
            }
        }
        at = sql.length();
    }

    /**
     * Skips a comment up to the end of its line.
     *
     * @param carriageReturns whether a carriage return ends a line, too
     */
    protected final void skipLine(boolean carriageReturns) {
        while (at < sql.length() && sql.charAt(at) != '\n' && !(carriageReturns && sql.charAt(at) == '\r')) {
            at++;
        }
    }

    /** Moves behind the next occurrence of a text; to the end if there is none. */
    protected final void skipBehind(String text, int from) {
        int found = sql.indexOf(text, from);
        at = found < 0 ? sql.length() : found + text.length();
    }
}
