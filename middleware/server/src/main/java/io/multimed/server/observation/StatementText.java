// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.observation;

import io.multimed.engine.sql.SqlReader;
import io.multimed.engine.sql.SqlText;
import io.multimed.engine.sql.Token;
import java.util.regex.Pattern;

/**
 * Converts the text of a statement for reports and logs: without literals and comments, so that no data and no password
 * of a client appears there, without control characters, and of bounded length.
 */
public final class StatementText {
    /** Longer texts are cut off before they are read, and the report ends with an ellipsis. */
    static final int MAX_LENGTH = 2_000;

    private static final String ELLIPSIS = "…";
    private static final Pattern LIST = Pattern.compile("\\?(?: ?, ?\\?){2,}+");

    private StatementText() {}

    /** Returns a text that is short enough to be kept for {@link #withoutLiterals}. */
    public static String bounded(String sql) {
        return sql.length() <= MAX_LENGTH ? sql : sql.substring(0, MAX_LENGTH);
    }

    /**
     * Returns the statement with a question mark in place of each literal.
     *
     * @param sql a result of {@link #bounded}
     */
    public static String withoutLiterals(SqlReader reader, String sql) {
        SqlText text = reader.read(sql);
        StringBuilder out = new StringBuilder(sql.length());
        int end = 0;
        boolean isNumber = false;
        for (Token token : text.tokens()) {
            boolean apart = token.begin() > end;
            if (apart && !out.isEmpty()) {
                out.append(' ');
            }
            end = token.end();
            String raw = text.text(token);
            // 0xff, 1_000: a number may consist of several words
            isNumber = token.kind() == Token.Kind.WORD && (isDigit(raw) || (isNumber && !apart));
            if (isNumber || reader.mayBeString(token)) {
                appendPlaceholder(out, apart);
            } else {
                out.append(token.kind() == Token.Kind.SIGN ? token.text() : raw);
            }
            if (token.kind() != Token.Kind.SIGN && raw.indexOf('\\') >= 0) {
                // settings of the session decide whether the literal ends here
                return readable(out.append(' ').append(ELLIPSIS));
            }
        }
        return readable(sql.length() < MAX_LENGTH ? out : out.append(ELLIPSIS));
    }

    private static boolean isDigit(String raw) {
        char first = raw.charAt(0);
        return first == '.' || (first >= '0' && first <= '9');
    }

    /** Appends no second question mark for the rest of a number. */
    private static void appendPlaceholder(StringBuilder out, boolean apart) {
        boolean continues = !apart && !out.isEmpty() && out.charAt(out.length() - 1) == '?';
        if (!continues) {
            out.append('?');
        }
    }

    /** Shortens lists of literals, and replaces characters that a quoted name can contain but a line must not. */
    private static String readable(StringBuilder text) {
        String shorter = LIST.matcher(text).replaceAll("?, " + ELLIPSIS);
        StringBuilder clean = new StringBuilder(shorter.length());
        shorter.codePoints().forEach(c -> clean.appendCodePoint(isPrintable(c) ? c : ' '));
        return clean.toString();
    }

    private static boolean isPrintable(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE -> false;
            default -> true;
        };
    }
}
