// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.connection;

/**
 * Determines whether a statement keeps its end within a longer text. The engine splits a text at semicolons, and where
 * strings and comments end depends on {@code sql_mode}. A statement is therefore separable only if it ends at the same
 * byte under every mode: all its strings and quoted names are closed, and it contains no backslash, and outside of them
 * neither semicolons nor comments. Bytes outside of ASCII are parts of characters in UTF-8, which connections use.
 */
public final class SeparableText {
    private SeparableText() {}

    /** @param text the statement as it is sent, with the values of its parameters */
    public static boolean isSeparable(byte[] text) {
        byte quote = 0;
        for (int i = 0; i < text.length; i++) {
            byte now = text[i];
            if (now == '\\' || now == 0) {
                return false;
            }
            if (quote != 0) {
                // A doubled quote closes the string and opens it again, with the same effect.
                quote = now == quote ? 0 : quote;
            } else if (now == '\'' || now == '"' || now == '`') {
                quote = now;
            } else if (endsOrComments(now, i + 1 < text.length ? text[i + 1] : 0)) {
                return false;
            }
        }
        return quote == 0 && text.length > 0;
    }

    /** Dollar signs quote the bodies of routines in later versions of MySQL. */
    private static boolean endsOrComments(byte now, byte next) {
        return switch (now) {
            case ';', '#', '$' -> true;
            case '-' -> next == '-';
            case '/' -> next == '*';
            case '*' -> next == '/';
            default -> false;
        };
    }
}
