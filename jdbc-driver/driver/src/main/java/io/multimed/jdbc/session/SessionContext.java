package io.multimed.jdbc.session;

import io.multimed.protocol.statement.TransactionMode;

/** A connection as the objects that send requests over it see it. */
public interface SessionContext {
    /** Returns the channel to the middleware. */
    SessionChannel channel();

    /** Returns the transaction mode that statements carry. */
    TransactionMode mode();
}
