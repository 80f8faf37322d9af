package io.multimed.engine.postgresql.satellite;

import java.util.List;

/** PostgreSQL's text form of a whole row, such as {@code (1,"a ""quoted"" word",,2.50)}. */
public final class RowText {
    private RowText() {}

    /**
     * The key of a row, as one text: the key columns' texts, each with its length.
     *
     * @param positions ascending places of the key's columns
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

    /** Where the value that begins at {@code from} ends: the place of the comma or closing parenthesis after it. */
    private static int end(String row, int from) {
        boolean quoted = false;
        for (int i = from; i < row.length(); i++) {
            char c = row.charAt(i);
            if (c == '"') {
                quoted = !quoted; // a doubled quote ends the quoting and begins it again
            } else if (c == '\\') {
                i++;
            } else if (!quoted && (c == ',' || c == ')')) {
                return i;
            }
        }
        throw new IllegalArgumentException("a captured row's text is cut off");
    }
}
