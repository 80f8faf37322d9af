// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.statement;

import io.multimed.engine.dialect.SqlDialect;
import io.multimed.protocol.response.Rows;
import io.multimed.server.node.Lease;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A result set that the client has not read completely, with the statement that must remain open for it. */
final class OpenCursor {
    private final Statement statement;
    private final ResultEncoder encoder;

    /** The connection that is retained for this result set alone; null within a transaction. */
    private @Nullable Lease own;

    /** Rows that were read in advance; null if there are none. */
    private @Nullable SpooledRows spooled;

    OpenCursor(Statement statement, ResultEncoder encoder) {
        this.statement = statement;
        this.encoder = encoder;
    }

    void own(Lease lease) {
        own = lease;
    }

    @Nullable
    Lease ownLease() {
        return own;
    }

    boolean isRevoked() {
        Lease lease = own;
        return lease != null && lease.isRevoked();
    }

    Rows next(int maxRows, LargeResults large) throws SQLException {
        SpooledRows first = spooled;
        return first == null || first.isEmpty() ? encoder.next(maxRows, false) : first.next(large);
    }

    /** Returns whether the engine may have more rows. */
    boolean isLive() {
        return encoder.isLive();
    }

    /**
     * Reads the remaining rows into a file, so that the connection can be used for another statement. An error of the
     * engine is reported when the client reads up to that position.
     *
     * @param ends whether to stop now; the engine does not notice a cancel request between two fetches
     * @throws SQLException if there are more rows than may be stored; the rows that were read are kept
     */
    void spool(UploadFolder folder, LargeResults large, BooleanSupplier ends) throws SQLException {
        SpooledRows rows = spooled == null ? new SpooledRows(folder) : spooled;
        spooled = rows;
        while (encoder.isLive() && !ends.getAsBoolean()) {
            rows.checkRoom();
            Rows next;
            try {
                next = encoder.next(0, false);
            } catch (SQLException e) {
                return;
            }
            rows.append(next, large);
        }
    }

    Connection connection() throws SQLException {
        return statement.getConnection();
    }

    void cancel(SqlDialect dialect) throws SQLException {
        dialect.streaming().cancel(connection());
    }

    void close(SqlDialect dialect) throws SQLException {
        forget();
        try {
            if (!encoder.isAtEnd()) {
                dialect.streaming().endStreaming(statement.getConnection());
            }
            statement.close();
        } finally {
            if (own != null) {
                own.release();
            }
        }
    }

    /** Closes the result set without releasing its connection, which the caller owns. */
    void forget() {
        if (spooled != null) {
            spooled.close();
            spooled = null;
        }
    }
}
