package io.multimed.server.dispatcher.statement;

import io.multimed.engine.dialect.SqlDialect;
import io.multimed.protocol.Rows;
import io.multimed.server.node.Lease;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The result sets of one session that are not read to their end. Bounded: a client that leaves too many open gets an error. Used by one thread at a time. */
public final class OpenCursors {
    private static final int MOST = 1_000;

    private final Map<Integer, OpenCursor> open = new HashMap<>();
    private int last;
    private final Cancellation cancellation;
    private final SqlDialect dialect;
    private final boolean oneAtATime;
    private final LargeResults large;
    private final UploadFolder folder;

    /** The one result set outside a transaction that keeps a connection for itself; 0 if there is none. */
    private int alone;

    /**
     * @param cancellation takes what is fetched now; the dialect says how
     * @param large where the large values of fetched rows are
     * @param folder takes rows that are read before they are asked for
     */
    public OpenCursors(Cancellation cancellation, SqlDialect dialect, LargeResults large, UploadFolder folder) {
        this.cancellation = cancellation;
        this.dialect = dialect;
        this.oneAtATime = dialect.streamsOneAtATime();
        this.large = large;
        this.folder = folder;
    }

    /**
     * Before something else runs on the transaction's connection: reads what is left of its results, if they would be in the way. Can be cancelled like that statement.
     *
     * @throws SQLException if it was cancelled, or there is too much left
     */
    public void makeRoom() throws SQLException {
        if (!oneAtATime) {
            return;
        }
        for (OpenCursor cursor : open.values()) {
            if (cursor.ownLease() == null && cursor.isLive()) {
                spool(cursor);
            }
        }
    }

    private void spool(OpenCursor cursor) throws SQLException {
        cancellation.begin(() -> cursor.cancel(dialect));
        try {
            cursor.spool(folder, large);
        } finally {
            cancellation.end();
        }
        if (cancellation.hasHappened()) {
            throw new SQLException("cancelled before it began, while the rest of another result was read", "57014");
        }
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
    public boolean mayKeep(Lease lease) {
        return alone == 0 && lease.tryRetain();
    }

    /**
     * Leaves the connection to the result set that was opened last, if it is open.
     *
     * @return false if none was left open: then the connection is the caller's
     */
    public boolean adopt(Lease lease, int openedBefore) {
        OpenCursor cursor = last > openedBefore ? open.get(last) : null;
        if (cursor == null) {
            lease.endRetention();
            return false;
        }
        lease.allowRevocation();
        cursor.own(lease);
        alone = last;
        return true;
    }

    public int opened() {
        return last;
    }

    /** The connection of a result set that has one of its own. */
    @Nullable
    public Lease lease(int number) {
        OpenCursor cursor = open.get(number);
        return cursor == null ? null : cursor.ownLease();
    }

    public boolean isOpen(int number) {
        return open.containsKey(number);
    }

    /** More rows; the cursor is closed after the last. */
    public Rows fetch(int number, int maxRows) throws SQLException {
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
            return cursor.next(maxRows, large);
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

    public void close(int number) throws SQLException {
        OpenCursor cursor = open.remove(number);
        if (number == alone) {
            alone = 0;
        }
        if (cursor != null) {
            cursor.close(dialect);
        }
    }

    /** Whether a result set is open that ends with the transaction. */
    public boolean dependOnTransaction() {
        return open.values().stream().anyMatch(cursor -> cursor.ownLease() == null);
    }

    /**
     * A transaction ends, which closes its result sets; the one with a connection of its own stays.
     *
     * @return whether there were any
     */
    public boolean transactionEnded() {
        if (open.isEmpty()) {
            return false;
        }
        List<OpenCursor> ended = open.values().stream()
                .filter(cursor -> cursor.ownLease() == null)
                .toList();
        ended.forEach(OpenCursor::forget);
        return open.values().removeAll(ended);
    }

    /** The session ends. */
    public void closeAll() {
        open.values().forEach(cursor -> {
            Lease lease = cursor.ownLease();
            cursor.forget();
            if (lease != null) {
                lease.run(lease::release);
            }
        });
        open.clear();
    }
}
