// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.result;

import io.multimed.engine.dialect.ResultStreaming;
import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.PGConnection;

/**
 * Cancels statements. pgjdbc fetches results through portals, so that other statements may run while a result is open.
 */
public class PostgresStreaming implements ResultStreaming {
    /** Sends a cancel request on a connection of its own, which pgjdbc opens for it. */
    @Override
    public void cancel(Connection connection) throws SQLException {
        connection.unwrap(PGConnection.class).cancelQuery();
    }
}
