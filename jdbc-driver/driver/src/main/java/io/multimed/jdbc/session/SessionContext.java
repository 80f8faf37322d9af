package io.multimed.jdbc.session;

import io.multimed.protocol.statement.TransactionMode;

/** Shows a connection to the objects that send requests over it. */
public interface SessionContext {
    /** Returns the channel to the middleware. */
    SessionChannel channel();

    /** Returns the transaction mode that statements carry: auto-commit, read-only and isolation. */
    TransactionMode mode();
}
