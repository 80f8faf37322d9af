// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.sql;

import java.util.List;

/**
 * One word or sign of a text.
 *
 * @param text a word in upper case (of ASCII), the content of a quoted name, or one sign; empty for a string
 * @param begin index of its first character in the text
 * @param end index after its last character
 */
public record Token(Kind kind, String text, int begin, int end) {
    /** Kinds of tokens. */
    public enum Kind {
        WORD,
        QUOTED_NAME,
        STRING,
        SIGN
    }

    /** Converts only ASCII letters, as engines do when they compare keywords. */
    public static String upperCase(String word) {
        return shifted(word, 'a', 'A' - 'a');
    }

    /** Converts only ASCII letters, so that names of functions with other letters are treated as different. */
    public static String lowerCase(String word) {
        return shifted(word, 'A', 'a' - 'A');
    }

    /** @param first the first of the 26 letters that are shifted */
    private static String shifted(String word, char first, int shift) {
        StringBuilder shifted = new StringBuilder(word);
        for (int i = 0; i < shifted.length(); i++) {
            char c = shifted.charAt(i);
            if (c >= first && c < first + 26) {
                shifted.setCharAt(i, (char) (c + shift));
            }
        }
        return shifted.toString();
    }

    /** Returns whether a name with escapes is at an index, U&"...": which name it stands for is not determined. */
    public static boolean isEscapedName(List<Token> tokens, int i) {
        return i > 1
                && tokens.get(i).kind() == Kind.QUOTED_NAME
                && tokens.get(i - 1).isSign("&")
                && tokens.get(i - 2).is("U")
                && tokens.get(i - 2).end() == tokens.get(i - 1).begin()
                && tokens.get(i - 1).end() == tokens.get(i).begin();
    }

    public boolean is(String word) {
        return kind == Kind.WORD && text.equals(word);
    }

    public boolean isSign(String sign) {
        return kind == Kind.SIGN && text.equals(sign);
    }
}
