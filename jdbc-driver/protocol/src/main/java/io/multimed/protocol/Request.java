package io.multimed.protocol;

/** What a client may ask. A session answers its requests one at a time, in order, each by exactly one {@link Response} ({@link Cancel} and {@link Goodbye} by none). */
public sealed interface Request extends Message
        permits Hello,
                Proof,
                Execute,
                ExecuteBatch,
                ExecuteScript,
                Fetch,
                CloseCursor,
                Commit,
                Rollback,
                SavepointRequest,
                CatalogCall,
                Ping,
                Cancel,
                Goodbye,
                QueryOutcome,
                Describe,
                Upload,
                Download {
    /** Hands this request to the handler's method for it, so that a new kind of request does not compile until all handlers answer it. */
    void accept(RequestHandler handler);
}
