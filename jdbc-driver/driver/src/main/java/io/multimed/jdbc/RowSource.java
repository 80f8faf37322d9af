package io.multimed.jdbc;

import io.multimed.protocol.Fetch;
import io.multimed.protocol.Outcome;
import io.multimed.protocol.Rows;
import io.multimed.protocol.ValueCodec;
import io.multimed.protocol.WireReader;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The rows of one result, decoded one by one; fetches more batches when it comes to the end of one. */
final class RowSource {
    private final JdbcConnection connection;
    private final Session session;
    private final int cursor;
    private final int fetchSize;
    private WireReader reader;
    private int left;
    private boolean last;

    RowSource(JdbcConnection connection, Outcome.Rowset rowset, int fetchSize) {
        this.connection = connection;
        this.session = connection.session();
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
            if (last) {
                return null;
            }
            fetch();
        }
        left--;
        @Nullable Object[] row = new @Nullable Object[columns];
        for (int i = 0; i < columns; i++) {
            row[i] = ValueCodec.read(reader);
        }
        return row;
    }

    private void fetch() throws SQLException {
        if (!session.equals(connection.session())) {
            throw new SQLException(
                    "the result set was lost with the connection that it came over", SqlStates.CONNECTION_FAILED);
        }
        Rows rows = connection.call(new Fetch(cursor, fetchSize), Rows.class);
        reader = new WireReader(rows.data());
        left = rows.count();
        last = rows.last();
    }

    void close() throws SQLException {
        if (!last) {
            last = true;
            left = 0;
            connection.closeCursor(session, cursor);
        }
    }
}
