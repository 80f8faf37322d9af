package io.multimed.jdbc.session;

import io.multimed.jdbc.settings.DriverProperty;
import io.multimed.jdbc.settings.SessionTarget;
import io.multimed.jdbc.support.SqlErrors;
import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.Cancel;
import io.multimed.protocol.CloseCursor;
import io.multimed.protocol.Commit;
import io.multimed.protocol.ErrorReport;
import io.multimed.protocol.Goodbye;
import io.multimed.protocol.OutcomeAnswer;
import io.multimed.protocol.Request;
import io.multimed.protocol.Response;
import io.multimed.protocol.Rollback;
import io.multimed.protocol.Welcome;
import io.multimed.protocol.session.SessionStatus;
import java.io.IOException;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import org.jspecify.annotations.Nullable;

/**
 * A connection's way to the middleware: one session at a time, and what its answers said of it. If it breaks while something may commit, the outcome is found out over a
 * new session, which then takes its place (unless the engine held state of the old one). Used by the thread that uses the connection; {@link #cancel} and {@link #abort} work beside it.
 */
public final class SessionChannel {
    private final SessionTarget target;
    private final AbortedTransaction lostTransaction = new AbortedTransaction();
    private final StatementSlots slots = new StatementSlots();
    private SessionStatus status;
    private volatile MiddlewareSession session;
    private volatile boolean closed;

    public SessionChannel(SessionTarget target, MiddlewareSession session) {
        this.target = target;
        this.session = session;
        this.status = fresh(session);
    }

    private static SessionStatus fresh(MiddlewareSession session) {
        return new SessionStatus(
                false, false, SessionStatus.NO_NODE, session.welcome().scn());
    }

    /** Sends a request, returns the answer, and records the transaction's state in it. */
    public Response call(Request request) throws SQLException {
        checkOpen();
        lostTransaction.check(request);
        Response response;
        try {
            response = session.wire().call(request);
        } catch (MessageSocket.ReportedException e) {
            response = e.report();
        } catch (MessageSocket.LostException e) {
            response = recover(request, e);
        }
        if (response instanceof ErrorReport report) {
            noteLoss(request, report);
            note(report.status());
            throw SqlErrors.of(report);
        }
        note(ResponseStatus.of(response));
        return response;
    }

    /** Records that an error has ended the transaction although the client did not end it. */
    private void noteLoss(Request request, ErrorReport report) {
        boolean ending = request instanceof Commit || request instanceof Rollback;
        if (status.inTransaction()
                && !report.status().inTransaction()
                && !ending
                && !AbortedTransaction.endsTransaction(request)) {
            lostTransaction.happened(report.message());
        }
    }

    /** The answer after all, over a new session. */
    private Response recover(Request request, MessageSocket.LostException lost) throws SQLException {
        if (closed || !RequestRecovery.mayCommit(request)) {
            throw lost;
        }
        MiddlewareSession old = session;
        OutcomeQuery inquiry = new OutcomeQuery(
                target, old.question(status.scn()), DriverProperty.OUTCOME_TIMEOUT.seconds(target.properties()));
        OutcomeQuery.Found found = inquiry.ask();
        if (found == null || found.outcome().fate() == OutcomeAnswer.Fate.UNKNOWN) {
            if (found != null) {
                found.session().wire().close();
            }
            throw RequestRecovery.unknown(old.receipt(), lost);
        }
        boolean inTransaction = status.inTransaction();
        resume(old, found.session());
        try {
            return RequestRecovery.conclude(request, found.outcome(), lost);
        } catch (SQLTransactionRollbackException e) {
            if (lost.isLate()) {
                session.wire().close(); // as JDBC specifies
                throw RequestRecovery.late(lost);
            }
            if (inTransaction && !(request instanceof Commit) && !AbortedTransaction.endsTransaction(request)) {
                lostTransaction.happened(String.valueOf(lost.getMessage()));
            }
            throw e;
        }
    }

    /** The new session takes the old one's place, unless the old one had left state in an engine: then this connection stays closed. */
    private void resume(MiddlewareSession old, MiddlewareSession next) throws SQLException {
        if (status.pinned() || closed) {
            next.wire().close();
            return;
        }
        next.wire().setTimeout(old.wire().timeout());
        slots.forgotten();
        status = fresh(next);
        session = next;
    }

    /** One round trip whose answer must be of one kind. */
    public <T extends Response> T call(Request request, Class<T> kind) throws SQLException {
        Response response = call(request);
        if (!kind.isInstance(response)) {
            session.wire().close();
            throw new SQLException("the middleware answered with %s".formatted(response.type()), SqlStates.PROTOCOL);
        }
        return kind.cast(response);
    }

    private void note(@Nullable SessionStatus now) {
        if (now != null) {
            SessionStatus answered = now.node() == SessionStatus.NO_NODE ? status : now;
            status = new SessionStatus(
                    now.inTransaction(),
                    now.failed(),
                    now.pinned(),
                    now.isolation(),
                    now.readOnly(),
                    answered.node(),
                    answered.route(),
                    Math.max(now.scn(), status.scn()));
        }
    }

    /** Returns the status in the last answer. */
    public SessionStatus status() {
        return status;
    }

    public AbortedTransaction lostTransaction() {
        return lostTransaction;
    }

    public StatementSlots slots() {
        return slots;
    }

    public Welcome welcome() {
        return session.welcome();
    }

    public MiddlewareSession session() {
        return session;
    }

    public SessionTarget target() {
        return target;
    }

    /** The node that answered last; empty if none did. */
    public String lastNode() {
        int node = status.node();
        if (node == SessionStatus.NO_NODE) {
            return "";
        }
        // A satellite that came after this connection was opened has no name here.
        return node < welcome().nodes().size() ? welcome().nodes().get(node) : "node " + node;
    }

    public void closeCursor(MiddlewareSession of, int cursor) throws SQLException {
        if (!isGone() && of.equals(session)) {
            call(new CloseCursor(cursor));
        }
    }

    /** Asks the middleware, over a connection of its own, to cancel what this one runs. */
    public void cancel() throws SQLException {
        try (MessageSocket other = MessageSocket.connect(target.host(), target.port(), 10, false)) {
            other.send(new Cancel(welcome().sessionId(), welcome().cancelKey()));
        } catch (IOException e) {
            throw new SQLException(
                    "the statement could not be cancelled: " + e.getMessage(), SqlStates.CONNECTION_FAILED, e);
        }
    }

    /** Throws if the connection was closed. */
    public void checkOpen() throws SQLException {
        if (closed) {
            throw SqlErrors.connectionClosed();
        }
    }

    /** Whether the other side answers in so many seconds; 0 for no limit. */
    public boolean answers(int seconds) {
        try {
            Response answer = session.wire().ping(seconds);
            note(answer == null ? null : ResponseStatus.of(answer));
            return answer != null;
        } catch (SQLException e) {
            return false;
        }
    }

    /** Says goodbye; again does nothing. */
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            if (!session.wire().isBroken()) {
                session.wire().send(new Goodbye());
            }
        } catch (IOException e) {
            // The other side is gone already.
            return;
        } finally {
            session.wire().close();
        }
    }

    /** Closes without a word. */
    public void abort() {
        closed = true;
        session.wire().close();
    }

    public boolean isClosed() {
        return closed;
    }

    /** Closed, or broken. */
    public boolean isGone() {
        return closed || session.wire().isBroken();
    }
}
