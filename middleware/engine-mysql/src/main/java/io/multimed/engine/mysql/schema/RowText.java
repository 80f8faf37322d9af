// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.schema;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the text of a row in the format of the triggers: for each column the length of its value in bytes,
 * a blank, and the value; {@code -} for NULL. Values are bytes in various character sets, so that one character stands
 * for one byte (ISO-8859-1).
 */
public final class RowText {
    private static final String NULL = "-";

    private RowText() {}

    /** Returns the argument of CONCAT for a value, as the triggers use it. */
    static String captured(String value) {
        return "COALESCE(CONCAT(LENGTH(%1$s), ' ', %1$s), '-')".formatted(value);
    }

    /** Returns the text of a row with these values, none of which is NULL. */
    static String of(List<String> values) {
        StringBuilder row = new StringBuilder();
        for (String value : values) {
            row.append(value.length()).append(' ').append(value);
        }
        return row.toString();
    }

    /**
     * Returns the values of a row.
     *
     * @throws IllegalArgumentException if the text does not have this format
     */
    public static List<@Nullable String> values(String row) {
        List<@Nullable String> values = new ArrayList<>();
        for (int at = 0; at < row.length(); ) {
            int end = end(row, at);
            values.add(value(row, at, end));
            at = end;
        }
        return values;
    }

    /**
     * Returns the key of a row as one text: the parts of the row's text in which the key's columns are.
     *
     * @param positions of the key's columns in the row
     */
    public static String key(String row, List<Integer> positions) {
        int last = positions.stream().mapToInt(Integer::intValue).max().orElse(-1);
        int[] begins = new int[last + 2];
        for (int column = 0; column <= last; column++) {
            begins[column + 1] = end(row, begins[column]);
        }
        StringBuilder key = new StringBuilder();
        for (int position : positions) {
            key.append(row, begins[position], begins[position + 1]);
        }
        return key.toString();
    }

    private static @Nullable String value(String row, int begin, int end) {
        return row.startsWith(NULL, begin) ? null : row.substring(row.indexOf(' ', begin) + 1, end);
    }

    /** Returns the end of the value whose length begins at {@code from}. */
    private static int end(String row, int from) {
        if (row.startsWith(NULL, from)) {
            return from + 1;
        }
        int length = 0;
        for (int at = from; at < row.length(); at++) {
            int digit = row.charAt(at) - '0';
            if (digit < 0 || digit > 9) {
                int end = at + 1 + length;
                if (row.charAt(at) != ' ' || at == from || end > row.length()) {
                    break;
                }
                return end;
            }
            length = Math.addExact(Math.multiplyExact(length, 10), digit);
        }
        throw new IllegalArgumentException("a captured row's text is cut off, or the triggers are of another version");
    }
}
