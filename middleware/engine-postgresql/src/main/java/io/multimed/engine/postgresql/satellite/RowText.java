// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.satellite;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads PostgreSQL's text form of a whole row, such as {@code (1,"a ""quoted"" word",,2.50)}. */
public final class RowText {
    private RowText() {}

    /**
     * Returns the key of a row as one text: the texts of the key columns, each preceded by its length, so that
     * different keys have different texts.
     *
     * @param positions ascending positions of the key's columns, from 0
     */
    public static String key(String row, List<Integer> positions) {
        StringBuilder key = new StringBuilder();
        int at = 1;
        int column = 0;
        for (int position : positions) {
            for (; column < position; column++) {
                at = end(row, at) + 1;
            }
            int end = end(row, at);
            key.append(end - at).append(':').append(row, at, end);
        }
        return key.toString();
    }

    /**
     * Returns the values of a row; null for NULL.
     *
     * @throws IllegalArgumentException if the text is cut off
     */
    public static List<@Nullable String> values(String row) {
        List<@Nullable String> values = new ArrayList<>();
        int at = 1;
        boolean more = !row.equals("()");
        while (more) {
            int end = end(row, at);
            values.add(end == at ? null : value(row, at, end));
            more = row.charAt(end) == ',';
            at = end + 1;
        }
        return values;
    }

    /** Returns a value without quotes and escapes. */
    private static String value(String row, int begin, int end) {
        if (row.charAt(begin) != '"') {
            return row.substring(begin, end); // the engine quotes every value with a special character
        }
        StringBuilder value = new StringBuilder(end - begin);
        for (int i = begin + 1; i < end - 1; i++) {
            char c = row.charAt(i);
            if (c == '"' || c == '\\') {
                i++; // doubled, or escapes the next character
            }
            value.append(row.charAt(i));
        }
        return value.toString();
    }

    /** Returns the end of the value that begins at {@code from}: the position of the comma or parenthesis after it. */
    private static int end(String row, int from) {
        boolean quoted = false;
        for (int i = from; i < row.length(); i++) {
            char c = row.charAt(i);
            if (c == '"') {
                quoted = !quoted; // a doubled quote ends the quoted part and begins it again
            } else if (c == '\\') {
                i++;
            } else if (!quoted && (c == ',' || c == ')')) {
                return i;
            }
        }
        throw new IllegalArgumentException("a captured row's text is cut off");
    }
}
