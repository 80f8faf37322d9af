package io.multimed.jdbc.session;

import io.multimed.jdbc.settings.SessionTarget;
import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.OutcomeAnswer;
import io.multimed.protocol.QueryOutcome;
import io.multimed.protocol.Response;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Finds out, over a new session, what became of the last request of one whose connection broke. Tries again while the middleware cannot be reached, up to a limit.
 */
final class OutcomeQuery {
    private static final long PAUSE_MILLIS = 100;

    private final SessionTarget target;
    private final QueryOutcome question;
    private final long deadline;

    /** The answer, and the new session that it came over. */
    record Found(MiddlewareSession session, OutcomeAnswer outcome) {}

    OutcomeQuery(SessionTarget target, QueryOutcome question, int seconds) {
        this.target = target;
        this.question = question;
        this.deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    }

    /** Null if nothing could be found out in time. */
    @Nullable
    Found ask() {
        while (millisLeft() > 0) {
            try {
                return askOnce();
            } catch (SQLException e) {
                if (isFinal(e) || !pause()) {
                    return null;
                }
            }
        }
        return null;
    }

    private Found askOnce() throws SQLException {
        MiddlewareSession session =
                MiddlewareSession.open(target, (int) Math.max(1, TimeUnit.MILLISECONDS.toSeconds(millisLeft())));
        try {
            session.wire().setTimeout((int) Math.max(1, millisLeft()));
            Response answer = session.wire().call(question);
            if (answer instanceof OutcomeAnswer outcome) {
                return new Found(session, outcome);
            }
            throw new SQLException("the middleware answered with " + answer.type(), SqlStates.PROTOCOL);
        } catch (SQLException | RuntimeException e) {
            session.wire().close();
            throw e;
        }
    }

    /** Another attempt would end in the same way. */
    private static boolean isFinal(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        return state.startsWith("28")
                || state.startsWith("3D")
                || state.equals("08004")
                || state.equals(SqlStates.PROTOCOL);
    }

    private long millisLeft() {
        return TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
    }

    /** False if the thread is wanted elsewhere. */
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
