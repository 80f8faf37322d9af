// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.result;

import io.multimed.jdbc.session.MiddlewareSession;
import io.multimed.jdbc.session.RunningRequest;
import io.multimed.jdbc.session.SessionChannel;
import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.request.Fetch;
import io.multimed.protocol.response.Outcome;
import io.multimed.protocol.response.Rows;
import io.multimed.protocol.value.LargeValue;
import io.multimed.protocol.value.ValueCodec;
import io.multimed.protocol.wire.WireReader;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Reads the rows of one result. Fetches the next batch when the application has read all rows of a batch.
 *
 * <p>The guard of the result set protects the batch that is being read; the guard of the connection protects the
 * batches that follow, because the end of a transaction fetches them, too. All threads may call {@link #cancel}. The
 * rows of an open cursor belong to the session that opened the cursor: if that session is lost, the remaining rows are
 * lost, too.
 */
public final class RowSource {
    private final SessionChannel channel;
    private final MiddlewareSession session;
    private final int cursor;

    /** Batches that have been fetched and not yet been read. Filled by the thread that holds the connection's guard. */
    private final Queue<ReceivedRows> ahead = new ConcurrentLinkedQueue<>();

    private volatile int fetchSize;
    private WireReader reader;
    private Map<Integer, Object> largeValues = Map.of();
    private int remaining;

    /** Whether all batches are in {@link #ahead}, or have been read from there. Set after the last one was added. */
    private volatile boolean last;

    private volatile boolean closed;
    private volatile @Nullable RunningRequest fetching;
    private volatile boolean canceled;

    /** Returns the rows of a result that has just been received, and fetches the large values among them. */
    public static RowSource received(SessionChannel channel, Outcome.Rowset rowset, int fetchSize) throws SQLException {
        RowSource source = new RowSource(channel, rowset, fetchSize);
        source.largeValues = ReceivedRows.of(channel, rowset.first()).values();
        return source;
    }

    /** Creates a source of rows without large values, such as those of catalog queries. */
    public RowSource(SessionChannel channel, Outcome.Rowset rowset, int fetchSize) {
        this.channel = channel;
        this.session = channel.session();
        this.cursor = rowset.head().cursor();
        this.fetchSize = fetchSize;
        this.reader = new WireReader(rowset.first().data());
        this.remaining = rowset.first().count();
        this.last = rowset.first().last() || cursor == 0;
    }

    /** Returns the values of the next row; null after the last row. */
    @Nullable
    Object @Nullable [] next(int columns) throws SQLException {
        while (remaining == 0) {
            largeValues = Map.of(); // so that the memory of large values is free when the next ones arrive
            ReceivedRows next = nextBatch();
            if (next == null) {
                return null;
            }
            reader = new WireReader(next.rows().data());
            largeValues = next.values();
            remaining = next.rows().count();
        }
        remaining--;
        @Nullable Object[] row = new @Nullable Object[columns];
        for (int i = 0; i < columns; i++) {
            Object value = ValueCodec.read(reader);
            row[i] = value instanceof LargeValue sent ? largeValues.get(sent.number()) : value;
        }
        return row;
    }

    /** Returns the next batch; null after the last one. */
    private @Nullable ReceivedRows nextBatch() throws SQLException {
        if (ahead.isEmpty() && !isComplete()) {
            channel.guard().run(() -> {
                if (ahead.isEmpty() && !isComplete()) {
                    fetch();
                }
            });
        }
        return ahead.poll();
    }

    /**
     * Fetches the next batch. The caller holds the guard of the connection.
     *
     * @throws SQLException 08006 if the session of the cursor was lost, 57014 if the statement was canceled
     */
    private void fetch() throws SQLException {
        if (!session.equals(channel.session())) {
            throw new SQLException(
                    "the remaining rows of the result were lost with their connection: run the query again",
                    SqlStates.CONNECTION_FAILURE);
        }
        RunningRequest request = new RunningRequest(channel);
        fetching = request;
        try {
            if (canceled) {
                throw new SQLTimeoutException("canceling statement due to user request", SqlStates.QUERY_CANCELED);
            }
            Rows rows = channel.call(new Fetch(cursor, fetchSize), Rows.class, request);
            ahead.add(ReceivedRows.of(channel, rows));
            last = rows.last();
        } finally {
            fetching = null;
        }
    }

    /** Cancels reading: a thread that reads further rows gets an exception. */
    public void cancel() throws SQLException {
        canceled = true;
        RunningRequest request = fetching;
        if (request != null) {
            request.cancel();
        }
    }

    /**
     * Returns whether the application requested rows piece by piece. Such a result is closed by a commit, as with the
     * engine's own driver.
     */
    boolean streams() {
        return fetchSize > 0;
    }

    /**
     * Fetches all remaining rows, because they cannot be fetched later. The caller holds the guard of the connection.
     */
    public void readAhead() throws SQLException {
        while (!isComplete()) {
            fetch();
        }
    }

    /** Returns whether no further rows are fetched: all have been, or the result is closed. */
    boolean isComplete() {
        return last || closed;
    }

    int fetchSize() {
        return fetchSize;
    }

    /** Sets the size of the following batches. */
    void setFetchSize(int rows) {
        fetchSize = rows;
    }

    /**
     * Closes the cursor in the middleware, unless all rows have been fetched. Does not wait for a request of another
     * thread.
     */
    void close() throws SQLException {
        closed = true;
        remaining = 0;
        ahead.clear();
        if (!last) {
            channel.guard().runOrDefer(this::closeCursor);
        }
    }

    private void closeCursor() throws SQLException {
        ahead.clear();
        if (!last) {
            last = true;
            channel.closeCursor(session, cursor);
        }
    }
}
