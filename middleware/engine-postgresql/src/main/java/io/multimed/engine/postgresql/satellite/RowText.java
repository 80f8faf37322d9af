package io.multimed.engine.postgresql.satellite;

import java.util.List;

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
