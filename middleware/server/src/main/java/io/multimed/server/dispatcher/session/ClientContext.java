package io.multimed.server.dispatcher.session;

import io.multimed.server.dispatcher.statement.LastGeneratedKey;
import io.multimed.server.dispatcher.statement.OpenCursors;
import io.multimed.server.dispatcher.statement.StatementState;
import org.jspecify.annotations.Nullable;

/**
 * Holds the state of one client's session, which its handler, router and executors share. Used by one thread at a time.
 *
 * @param sessionId names the session's commits; unique for ever
 * @param role the engine role as which the client's statements run; null for the master's user of the System Model
 */
public record ClientContext(
        long sessionId,
        @Nullable String role,
        TransactionState transaction,
        SessionTimeZone zone,
        StatementState statements) {
    public OpenCursors cursors() {
        return statements.cursors();
    }

    public LastGeneratedKey lastKey() {
        return statements.lastKey();
    }
}
