// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.session;

import io.multimed.jdbc.settings.SessionTarget;
import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.request.QueryOutcome;
import io.multimed.protocol.response.OutcomeAnswer;
import io.multimed.protocol.response.Response;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Asks over a new session for the outcome of the last request of a broken session. Repeats the attempt while the
 * middleware cannot be reached, up to a limit.
 */
final class OutcomeResolver {
    private static final long PAUSE_MILLIS = 100;

    private final SessionTarget target;
    private final QueryOutcome request;
    private final long deadline;

    /** The outcome, and the new session that reported the outcome. The caller owns the session. */
    record Answer(MiddlewareSession session, OutcomeAnswer outcome) {}

    OutcomeResolver(SessionTarget target, QueryOutcome request, int seconds) {
        this.target = target;
        this.request = request;
        this.deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    }

    /** Returns the outcome; null if no attempt succeeded before the limit. */
    @Nullable
    Answer resolve() {
        while (millisLeft() > 0) {
            try {
                return askOnce();
            } catch (SQLException e) {
                if (isPermanent(e) || !pause()) {
                    return null;
                }
            }
        }
        return null;
    }

    /** Opens a session and asks once. Closes the session unless the middleware answers. */
    private Answer askOnce() throws SQLException {
        MiddlewareSession session =
                MiddlewareSession.open(target, (int) Math.max(1, TimeUnit.MILLISECONDS.toSeconds(millisLeft())));
        try {
            session.transport().setTimeout((int) Math.max(1, millisLeft()));
            Response answer = session.transport().call(request);
            if (answer instanceof OutcomeAnswer outcome) {
                return new Answer(session, outcome);
            }
            throw new SQLException(
                    "unexpected response from the middleware: " + answer.type(), SqlStates.PROTOCOL_VIOLATION);
        } catch (SQLException | RuntimeException e) {
            session.transport().close();
            throw e;
        }
    }

    /** Returns whether another attempt would fail in the same way. */
    private static boolean isPermanent(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        return state.startsWith("28")
                || state.startsWith("3D")
                || state.equals(SqlStates.CONNECTION_REJECTED)
                || state.equals(SqlStates.PROTOCOL_VIOLATION);
    }

    /** Returns the time until the limit; not positive after the limit. */
    private long millisLeft() {
        return TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
    }

    /** Waits before the next attempt. Returns false if the thread was interrupted. */
    private boolean pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(Math.max(0, Math.min(PAUSE_MILLIS, millisLeft())));
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
