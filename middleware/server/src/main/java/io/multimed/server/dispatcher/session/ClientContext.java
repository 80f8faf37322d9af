// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.session;

import io.multimed.server.dispatcher.statement.LastGeneratedKey;
import io.multimed.server.dispatcher.statement.OpenCursors;
import io.multimed.server.dispatcher.statement.StatementState;
import io.multimed.server.node.task.CallingThread;
import io.multimed.server.observation.PhaseClock;
import org.jspecify.annotations.Nullable;

/**
 * Holds the state of one client's session, which its handler, router and executors share. Used by one thread at a time.
 *
 * @param sessionId names the session's commits; unique for ever
 * @param role the engine role as which the client's statements run; null for the master's user of the System Model
 * @param caller the thread that runs the session's tasks while it waits for an answer; null for the client of a port
 * @param clock records the phases of the present statement
 */
public record ClientContext(
        long sessionId,
        @Nullable String role,
        TransactionState transaction,
        SessionTimeZone zone,
        StatementState statements,
        @Nullable CallingThread caller,
        PhaseClock clock) {
    public OpenCursors cursors() {
        return statements.cursors();
    }

    public LastGeneratedKey lastKey() {
        return statements.lastKey();
    }
}
