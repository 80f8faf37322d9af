package io.multimed.engine.postgresql.result;

import io.multimed.engine.dialect.ResultStreaming;
import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.PGConnection;

/** Cancels statements by pgjdbc, which fetches results by portals: other statements may run in between. */
public final class PostgresStreaming implements ResultStreaming {
    @Override
    public void cancel(Connection connection) throws SQLException {
        connection.unwrap(PGConnection.class).cancelQuery();
    }
}
