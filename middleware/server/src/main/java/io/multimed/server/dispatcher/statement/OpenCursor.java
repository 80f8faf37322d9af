package io.multimed.server.dispatcher.statement;

import io.multimed.engine.dialect.SqlDialect;
import io.multimed.protocol.Rows;
import io.multimed.server.node.Lease;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** A result set that the client has not read to its end, with the statement that must stay open for it. */
final class OpenCursor {
    private final Statement statement;
    private final ResultEncoder encoder;

    /** The connection that stays with the client for this result set alone; null within a transaction. */
    private @Nullable Lease own;

    /** Rows that had to be read before they were asked for; null if there were none. */
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

    /** Whether the engine may have more rows to send. */
    boolean isLive() {
        return encoder.isLive();
    }

    /**
     * Reads what is left into a file, so that the connection is free. What fails in the engine is told to whoever reads that far.
     *
     * @throws SQLException if there is more than may be kept; what was read is kept
     */
    void spool(UploadFolder folder, LargeResults large) throws SQLException {
        SpooledRows rows = spooled == null ? new SpooledRows(folder) : spooled;
        spooled = rows;
        while (encoder.isLive()) {
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

    void cancel(SqlDialect dialect) throws SQLException {
        dialect.cancel(statement.getConnection());
    }

    void close(SqlDialect dialect) throws SQLException {
        forget();
        try {
            if (!encoder.isAtEnd()) {
                dialect.endStreaming(statement.getConnection());
            }
            statement.close();
        } finally {
            if (own != null) {
                own.release();
            }
        }
    }

    /** Its connection is somebody else's matter. */
    void forget() {
        if (spooled != null) {
            spooled.close();
            spooled = null;
        }
    }
}
