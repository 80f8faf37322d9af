package io.multimed.middleware.dispatcher;

import io.multimed.protocol.Rows;
import java.sql.SQLException;
import java.sql.Statement;

/** A result set that the client has not read to its end, with the statement that must stay open for it. */
record OpenCursor(Statement statement, ResultEncoder encoder) {
    Rows next(int maxRows) throws SQLException {
        return encoder.next(maxRows, false);
    }

    void close() throws SQLException {
        statement.close();
    }
}
