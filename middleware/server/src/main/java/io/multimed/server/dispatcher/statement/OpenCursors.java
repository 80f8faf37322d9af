// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.statement;

import io.multimed.engine.dialect.SqlDialect;
import io.multimed.protocol.response.Rows;
import io.multimed.server.node.Lease;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The result sets of one session that the client has not read completely. Bounded: a client that leaves too many open
 * receives an error. Used by one thread at a time.
 */
public final class OpenCursors {
    private static final int MAX_CURSORS = 1_000;

    private final Map<Integer, OpenCursor> open = new HashMap<>();
    private int last;
    private final CancellableStatements cancellable;
    private final SqlDialect dialect;
    private final boolean oneAtATime;
    private final LargeResults large;
    private final UploadFolder folder;

    /**
     * Number of the result set outside a transaction that retains its connection; 0 if there is none. At most one per
     * session.
     */
    private int alone;

    /**
     * @param cancellation cancels a fetch that is in progress
     * @param dialect stores the large values of fetched rows in {@code large}
     * @param large large values of fetched rows
     * @param folder stores rows that are read in advance
     */
    public OpenCursors(Cancellation cancellation, SqlDialect dialect, LargeResults large, UploadFolder folder) {
        this.cancellable = new CancellableStatements(cancellation, dialect);
        this.dialect = dialect;
        this.oneAtATime = dialect.streaming().streamsOneAtATime();
        this.large = large;
        this.folder = folder;
    }

    /**
     * Prepares the transaction's connection for another statement: reads the rest of open results in advance if they
     * would block the statement. Can be canceled like that statement.
     *
     * @throws SQLException if it was canceled, or if the rest is too large
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

    /**
     * Reads the rest of all results of the transaction in advance, so that the transaction can leave its connection.
     *
     * @throws SQLException as {@link #makeRoom}
     */
    public void readAhead() throws SQLException {
        for (OpenCursor cursor : open.values()) {
            if (cursor.ownLease() == null && cursor.isLive()) {
                spool(cursor);
            }
        }
    }

    private void spool(OpenCursor cursor) throws SQLException {
        Cancellation cancellation = cancellable.cancellation();
        cancellable.execute(cursor.connection(), () -> cursor.cancel(dialect), () -> {
            cursor.spool(folder, large, cancellation::wasRequested);
            return cursor;
        });
        if (cancellation.wasRequested()) {
            throw new SQLException(
                    "the statement was canceled before it began, while the rest of another result was read",
                    Cancellation.CANCELED);
        }
    }

    int open(OpenCursor cursor) throws SQLException {
        if (open.size() >= MAX_CURSORS) {
            throw new SQLException(
                    "more than %d result sets are open in this session: close them".formatted(MAX_CURSORS), "53400");
        }
        open.put(++last, cursor);
        return last;
    }

    /**
     * Returns whether a result set may retain a connection outside a transaction: one per session, and at most half of
     * the connections of a node.
     */
    public boolean mayKeep(Lease lease) {
        return alone == 0 && lease.tryRetain();
    }

    /**
     * Passes the connection to the result set that was opened last, if it is still open.
     *
     * @return false if no result set was left open; the connection then remains with the caller
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

    /** Returns the connection that a result set retains; null if it has none of its own. */
    @Nullable
    public Lease lease(int number) {
        OpenCursor cursor = open.get(number);
        return cursor == null ? null : cursor.ownLease();
    }

    public boolean isOpen(int number) {
        return open.containsKey(number);
    }

    /** Returns more rows of a result set, and closes it after the last row. */
    public Rows fetch(int number, int maxRows) throws SQLException {
        OpenCursor cursor = open.get(number);
        if (cursor == null) {
            throw new SQLException("the result set is closed because its transaction has ended", "34000");
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
        return cancellable.execute(
                cursor.connection(), () -> cursor.cancel(dialect), () -> cursor.next(maxRows, large));
    }

    private static SQLException revoked(SQLException cause) {
        return new SQLException(
                "the result set is closed: nothing was read from it for a long time, and other clients needed its connection; read it faster, or completely at once",
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

    /** Removes a result set whose own connection was lost, and discards the connection. */
    public void lost(int number) {
        OpenCursor cursor = open.remove(number);
        if (number == alone) {
            alone = 0;
        }
        if (cursor != null) {
            cursor.forget();
            Lease own = cursor.ownLease();
            if (own != null) {
                own.discard();
            }
        }
    }

    /** Returns whether a result set is open that ends with the transaction. */
    public boolean dependOnTransaction() {
        return open.values().stream().anyMatch(cursor -> cursor.ownLease() == null);
    }

    /**
     * Closes the result sets of a transaction that ends; a result set with a connection of its own remains open.
     *
     * @return whether any result set was open
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

    /** Closes all result sets at the end of the session. */
    public void closeAll() {
        open.values().forEach(cursor -> {
            Lease lease = cursor.ownLease();
            cursor.forget();
            if (lease != null) {
                lease.submit(lease::release);
            }
        });
        open.clear();
    }
}
