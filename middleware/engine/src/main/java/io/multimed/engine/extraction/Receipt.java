package io.multimed.engine.extraction;

/** Names a commit for good: the client's session and the sequence number of the request that committed. Sealed with the WriteSet (architecture 4.3). */
public record Receipt(long sessionId, int sequence) {
    /** What transactions are sealed with that bypass the middleware: no client's session has this id. */
    public static final Receipt NOBODY = new Receipt(0, 0);
}
