package io.multimed.protocol;

/**
 * A message from a client. A session processes its requests one at a time, in order, and replies to each with exactly
 * one {@link Response}; {@link Cancel} and {@link Goodbye} have no reply.
 */
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
    /**
     * Calls the handler's method for this request. A new kind of request therefore does not compile until every handler
     * supports it.
     */
    void accept(RequestHandler handler);
}
