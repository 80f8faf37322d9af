package io.multimed.middleware.dispatcher;

import io.multimed.middleware.node.Lease;
import io.multimed.middleware.node.engine.SqlDialect;
import io.multimed.protocol.Rows;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The result sets of one session that are not read to their end. Bounded: a client that leaves too many open gets an error. Used by one thread at a time. */
final class OpenCursors {
    private static final int MOST = 1_000;

    private final Map<Integer, OpenCursor> open = new HashMap<>();
    private int last;
    private final Cancellation cancellation;
    private final SqlDialect dialect;

    /** The one result set outside a transaction that keeps a connection for itself; 0 if there is none. */
    private int alone;

    /** @param cancellation takes what is fetched now; the dialect says how */
    OpenCursors(Cancellation cancellation, SqlDialect dialect) {
        this.cancellation = cancellation;
        this.dialect = dialect;
    }

    int open(OpenCursor cursor) throws SQLException {
        if (open.size() >= MOST) {
            throw new SQLException(
                    "more than %d result sets are open in this session: close them".formatted(MOST), "53400");
        }
        open.put(++last, cursor);
        return last;
    }

    /** Whether a result set may keep a connection outside a transaction: one per session, and so many per node that others have enough. */
    boolean mayKeep(Lease lease) {
        return alone == 0 && lease.keep();
    }

    /**
     * Leaves the connection to the result set that was opened last, if it is open.
     *
     * @return false if none was left open: then the connection is the caller's
     */
    boolean adopt(Lease lease, int openedBefore) {
        OpenCursor cursor = last > openedBefore ? open.get(last) : null;
        if (cursor == null) {
            lease.keepNot();
            return false;
        }
        lease.mayBeRevoked();
        cursor.own(lease);
        alone = last;
        return true;
    }

    int opened() {
        return last;
    }

    /** The connection of a result set that has one of its own. */
    @Nullable
    Lease lease(int number) {
        OpenCursor cursor = open.get(number);
        return cursor == null ? null : cursor.ownLease();
    }

    boolean isOpen(int number) {
        return open.containsKey(number);
    }

    /** More rows; the cursor is closed after the last. */
    Rows fetch(int number, int maxRows) throws SQLException {
        OpenCursor cursor = open.get(number);
        if (cursor == null) {
            throw new SQLException("this result set is closed: its transaction ended", "34000");
        }
        Rows rows;
        try {
            rows = next(cursor, maxRows);
        } catch (SQLException e) {
            throw cursor.isRevoked() ? revoked(e) : e;
        }
        if (rows.last()) {
            close(number);
        }
        return rows;
    }

    private Rows next(OpenCursor cursor, int maxRows) throws SQLException {
        cancellation.begin(() -> cursor.cancel(dialect));
        try {
            return cursor.next(maxRows);
        } finally {
            cancellation.end();
        }
    }

    private static SQLException revoked(SQLException cause) {
        return new SQLException(
                "the result set is closed: nothing was read from it for so long that others needed its connection; read faster, or all at once",
                "57P05",
                cause);
    }

    void close(int number) throws SQLException {
        OpenCursor cursor = open.remove(number);
        if (number == alone) {
            alone = 0;
        }
        if (cursor != null) {
            cursor.close();
        }
    }

    /** Whether a result set is open that ends with the transaction. */
    boolean hasTransactions() {
        return open.values().stream().anyMatch(cursor -> cursor.ownLease() == null);
    }

    /** A transaction ended, which closed its result sets; the one with a connection of its own stays. */
    void transactionEnded() {
        open.values().removeIf(cursor -> cursor.ownLease() == null);
    }

    /** The session ends. */
    void closeAll() {
        open.values().forEach(cursor -> {
            Lease lease = cursor.ownLease();
            if (lease != null) {
                lease.run(lease::release);
            }
        });
        open.clear();
    }
}
