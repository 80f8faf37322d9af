package io.multimed.middleware.dispatcher;

import io.multimed.middleware.node.Lease;
import io.multimed.middleware.node.engine.SqlDialect;
import io.multimed.protocol.Rows;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** A result set that the client has not read to its end, with the statement that must stay open for it. */
final class OpenCursor {
    private final Statement statement;
    private final ResultEncoder encoder;

    /** The connection that stays with the client for this result set alone; null within a transaction. */
    private @Nullable Lease own;

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

    Rows next(int maxRows) throws SQLException {
        return encoder.next(maxRows, false);
    }

    void cancel(SqlDialect dialect) throws SQLException {
        dialect.cancel(statement.getConnection());
    }

    void close() throws SQLException {
        try {
            statement.close();
        } finally {
            if (own != null) {
                own.release();
            }
        }
    }
}
