package io.multimed.server.dispatcher.session;

/** What a client keeps from others while it sends nothing. */
public enum PinnedResource {
    NOTHING,
    /** A connection, because the engine's session holds state of the client's. */
    SESSION_STATE,
    /** A connection, and what its open transaction has locked. */
    TRANSACTION,
}
