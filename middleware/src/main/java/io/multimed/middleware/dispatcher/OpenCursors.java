package io.multimed.middleware.dispatcher;

import io.multimed.protocol.Rows;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/** The result sets of one session that are not read to their end. Bounded: a client that leaves too many open gets an error. Used by one thread at a time. */
final class OpenCursors {
    private static final int MOST = 1_000;

    private final Map<Integer, OpenCursor> open = new HashMap<>();
    private int last;

    int open(OpenCursor cursor) throws SQLException {
        if (open.size() >= MOST) {
            throw new SQLException(
                    "more than %d result sets are open in this session: close them".formatted(MOST), "53400");
        }
        open.put(++last, cursor);
        return last;
    }

    /** More rows; the cursor is closed after the last. */
    Rows fetch(int number, int maxRows) throws SQLException {
        OpenCursor cursor = open.get(number);
        if (cursor == null) {
            throw new SQLException("this result set is closed: its transaction ended", "24000");
        }
        Rows rows = cursor.next(maxRows);
        if (rows.last()) {
            close(number);
        }
        return rows;
    }

    void close(int number) throws SQLException {
        OpenCursor cursor = open.remove(number);
        if (cursor != null) {
            cursor.close();
        }
    }

    boolean isEmpty() {
        return open.isEmpty();
    }

    /** Their transaction ended, which closed them. */
    void forget() {
        open.clear();
    }
}
