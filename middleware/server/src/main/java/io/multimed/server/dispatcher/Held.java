package io.multimed.server.dispatcher;

/** What a client keeps from others while it sends nothing. */
public enum Held {
    NOTHING,
    /** A connection, because the engine's session holds state of the client's. */
    SESSION_STATE,
    /** A connection, and what its open transaction has locked. */
    TRANSACTION,
}
