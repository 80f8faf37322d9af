package io.multimed.jdbc.result;

import io.multimed.jdbc.session.MiddlewareSession;
import io.multimed.jdbc.session.SessionChannel;
import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.Fetch;
import io.multimed.protocol.Outcome;
import io.multimed.protocol.Rows;
import io.multimed.protocol.value.LargeValue;
import io.multimed.protocol.value.ValueCodec;
import io.multimed.protocol.wire.WireReader;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The rows of one result, decoded one by one; fetches more batches when it comes to the end of one. */
public final class RowSource {
    private final SessionChannel channel;
    private final MiddlewareSession session;
    private final int cursor;

    /** Batches that came before they were needed. */
    private final Deque<ReceivedRows> ahead = new ArrayDeque<>();

    private int fetchSize;
    private WireReader reader;
    private Map<Integer, Object> large = Map.of();
    private int left;
    private boolean last;
    private volatile boolean fetching;
    private volatile boolean cancelled;

    /** Rows that have just been received; fetches the large values among them. */
    public static RowSource received(SessionChannel channel, Outcome.Rowset rowset, int fetchSize) throws SQLException {
        RowSource source = new RowSource(channel, rowset, fetchSize);
        source.large = ReceivedRows.of(channel, rowset.first()).values();
        return source;
    }

    public RowSource(SessionChannel channel, Outcome.Rowset rowset, int fetchSize) {
        this.channel = channel;
        this.session = channel.session();
        this.cursor = rowset.head().cursor();
        this.fetchSize = fetchSize;
        this.reader = new WireReader(rowset.first().data());
        this.left = rowset.first().count();
        this.last = rowset.first().last() || cursor == 0;
    }

    /** The next row's values, or null at the end. */
    @Nullable
    Object @Nullable [] next(int columns) throws SQLException {
        while (left == 0) {
            large = Map.of(); // or a large value would be held while the next one comes
            ReceivedRows next = ahead.isEmpty() && !last ? fetch() : ahead.poll();
            if (next == null) {
                return null;
            }
            reader = new WireReader(next.rows().data());
            large = next.values();
            left = next.rows().count();
        }
        left--;
        @Nullable Object[] row = new @Nullable Object[columns];
        for (int i = 0; i < columns; i++) {
            Object value = ValueCodec.read(reader);
            row[i] = value instanceof LargeValue sent ? large.get(sent.number()) : value;
        }
        return row;
    }

    private ReceivedRows fetch() throws SQLException {
        if (!session.equals(channel.session())) {
            throw new SQLException(
                    "the result set was lost with the connection that it came over", SqlStates.CONNECTION_FAILED);
        }
        fetching = true;
        try {
            if (cancelled) {
                throw new SQLTimeoutException("canceling statement due to user request", SqlStates.CANCELLED);
            }
            Rows rows = channel.call(new Fetch(cursor, fetchSize), Rows.class);
            last = rows.last();
            return ReceivedRows.of(channel, rows);
        } finally {
            fetching = false;
        }
    }

    /** No more rows are wanted: whoever reads on gets an error. Called from another thread. */
    public void cancel() throws SQLException {
        cancelled = true;
        if (fetching) {
            channel.cancel();
        }
    }

    /** Whether the application asked for rows piece by piece: then they are closed by a commit, as with the engine's own driver. */
    boolean streams() {
        return fetchSize > 0;
    }

    /** Reads what is left, because it cannot be read later. */
    public void readAhead() throws SQLException {
        while (!last) {
            ahead.add(fetch());
        }
    }

    boolean isWhole() {
        return last;
    }

    int fetchSize() {
        return fetchSize;
    }

    /** From the next batch on. */
    void setFetchSize(int rows) {
        fetchSize = rows;
    }

    void close() throws SQLException {
        boolean open = !last;
        last = true;
        left = 0;
        ahead.clear();
        if (open) {
            channel.closeCursor(session, cursor);
        }
    }
}
