// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.sql;

import java.util.List;
import java.util.Set;

/**
 * Recognizes the names of WITH items that precede a parenthesis with column names, as {@code item (a, b) AS (SELECT
 * ...)}. Only the name at this position is not a function: the same name elsewhere calls one.
 */
final class WithItems {
    /** Words that precede the name of an item, besides the comma between items. */
    private static final Set<String> BEFORE = Set.of("WITH", "RECURSIVE");

    /**
     * Words that begin the query of an item. They are reserved, so that a list of column definitions behind a function,
     * {@code f (a) AS (b int)}, cannot begin with them.
     */
    private static final Set<String> QUERY = Set.of("SELECT", "WITH", "TABLE");

    private WithItems() {}

    /** Returns whether the token at an index is the name of an item, behind which its column names stand. */
    static boolean isNameAt(List<Token> tokens, int name) {
        if (name == 0 || !(tokens.get(name - 1).isSign(",") || isWord(tokens, name - 1, BEFORE))) {
            return false;
        }
        int behind = behindColumns(tokens, name + 1);
        return behind > 0 && isAt(tokens, behind, "AS") && opensQuery(tokens, behind + 1);
    }

    /**
     * Returns the index behind a parenthesis that contains nothing but names and the commas between them; 0 if there is
     * no such parenthesis.
     */
    private static int behindColumns(List<Token> tokens, int open) {
        if (!isSign(tokens, open, "(")) {
            return 0;
        }
        int at = open + 1;
        while (isName(tokens, at)) {
            if (isSign(tokens, at + 1, ")")) {
                return at + 2;
            }
            if (!isSign(tokens, at + 1, ",")) {
                return 0;
            }
            at += 2;
        }
        return 0;
    }

    /** Returns whether a parenthesis with a query begins, behind MATERIALIZED or NOT MATERIALIZED, too. */
    private static boolean opensQuery(List<Token> tokens, int begin) {
        int at = begin + (isAt(tokens, begin, "NOT") ? 1 : 0);
        at += isAt(tokens, at, "MATERIALIZED") ? 1 : 0;
        boolean values = isAt(tokens, at + 1, "VALUES") && isSign(tokens, at + 2, "(");
        return isSign(tokens, at, "(") && (values || isSign(tokens, at + 1, "(") || isWord(tokens, at + 1, QUERY));
    }

    private static boolean isName(List<Token> tokens, int at) {
        return at < tokens.size()
                && (tokens.get(at).kind() == Token.Kind.WORD || tokens.get(at).kind() == Token.Kind.QUOTED_NAME);
    }

    private static boolean isWord(List<Token> tokens, int at, Set<String> words) {
        return at < tokens.size()
                && tokens.get(at).kind() == Token.Kind.WORD
                && words.contains(tokens.get(at).text());
    }

    private static boolean isAt(List<Token> tokens, int at, String word) {
        return at < tokens.size() && tokens.get(at).is(word);
    }

    private static boolean isSign(List<Token> tokens, int at, String sign) {
        return at < tokens.size() && tokens.get(at).isSign(sign);
    }
}
