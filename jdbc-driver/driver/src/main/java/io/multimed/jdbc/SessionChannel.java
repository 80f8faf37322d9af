package io.multimed.jdbc;

import io.multimed.protocol.BatchExecuted;
import io.multimed.protocol.Cancel;
import io.multimed.protocol.CatalogAnswer;
import io.multimed.protocol.CloseCursor;
import io.multimed.protocol.Commit;
import io.multimed.protocol.Described;
import io.multimed.protocol.Done;
import io.multimed.protocol.ErrorReport;
import io.multimed.protocol.Executed;
import io.multimed.protocol.Goodbye;
import io.multimed.protocol.Recalled;
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
final class SessionChannel {
    private final ConnectionUrl url;
    private final String user;
    private final LostTransaction lostTransaction = new LostTransaction();
    private final Slots slots = new Slots();
    private SessionStatus status;
    private volatile Session session;
    private volatile boolean closed;

    SessionChannel(ConnectionUrl url, String user, Session session) {
        this.url = url;
        this.user = user;
        this.session = session;
        this.status = fresh(session);
    }

    private static SessionStatus fresh(Session session) {
        return new SessionStatus(
                false, false, SessionStatus.NO_NODE, session.welcome().scn());
    }

    /** Sends a request, returns the answer, and records the transaction's state in it. */
    Response call(Request request) throws SQLException {
        checkOpen();
        lostTransaction.check(request);
        Response response;
        try {
            response = session.wire().call(request);
        } catch (Wire.ReportedException e) {
            response = e.report();
        } catch (Wire.LostException e) {
            response = recover(request, e);
        }
        if (response instanceof ErrorReport report) {
            noteLoss(request, report);
            note(report.status());
            throw Failures.of(report);
        }
        note(status(response));
        return response;
    }

    /** Records that an error has ended the transaction although the client did not end it. */
    private void noteLoss(Request request, ErrorReport report) {
        boolean ending = request instanceof Commit || request instanceof Rollback;
        if (status.inTransaction()
                && !report.status().inTransaction()
                && !ending
                && !LostTransaction.endsTransaction(request)) {
            lostTransaction.happened(report.message());
        }
    }

    /** The answer after all, over a new session. */
    private Response recover(Request request, Wire.LostException lost) throws SQLException {
        if (closed || !Recovery.mayCommit(request)) {
            throw lost;
        }
        Session old = session;
        Inquiry inquiry = new Inquiry(
                url, user, old.question(status.scn()), DriverProperty.OUTCOME_TIMEOUT.seconds(url.properties()));
        Inquiry.Found found = inquiry.ask();
        if (found == null || found.recalled().fate() == Recalled.Fate.UNKNOWN) {
            if (found != null) {
                found.session().wire().close();
            }
            throw Recovery.unknown(old.receipt(), lost);
        }
        boolean inTransaction = status.inTransaction();
        resume(old, found.session());
        try {
            return Recovery.conclude(request, found.recalled(), lost);
        } catch (SQLTransactionRollbackException e) {
            if (lost.isLate()) {
                session.wire().close(); // as JDBC specifies
                throw Recovery.late(lost);
            }
            if (inTransaction && !(request instanceof Commit) && !LostTransaction.endsTransaction(request)) {
                lostTransaction.happened(String.valueOf(lost.getMessage()));
            }
            throw e;
        }
    }

    /** The new session takes the old one's place, unless the old one had left state in an engine: then this connection stays closed. */
    private void resume(Session old, Session next) throws SQLException {
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
    <T extends Response> T call(Request request, Class<T> kind) throws SQLException {
        Response response = call(request);
        if (!kind.isInstance(response)) {
            session.wire().close();
            throw new SQLException("the middleware answered with %s".formatted(response.type()), SqlStates.PROTOCOL);
        }
        return kind.cast(response);
    }

    static @Nullable SessionStatus status(Response response) {
        if (response instanceof Executed executed) {
            return executed.status();
        }
        if (response instanceof BatchExecuted batch) {
            return batch.status();
        }
        if (response instanceof Done done) {
            return done.status();
        }
        if (response instanceof ErrorReport report) {
            return report.status();
        }
        if (response instanceof Described described) {
            return described.status();
        }
        return response instanceof CatalogAnswer answer ? answer.status() : null;
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
    SessionStatus status() {
        return status;
    }

    LostTransaction lostTransaction() {
        return lostTransaction;
    }

    Slots slots() {
        return slots;
    }

    Welcome welcome() {
        return session.welcome();
    }

    Session session() {
        return session;
    }

    String user() {
        return user;
    }

    ConnectionUrl url() {
        return url;
    }

    /** The node that answered last; empty if none did. */
    String lastNode() {
        int node = status.node();
        if (node == SessionStatus.NO_NODE) {
            return "";
        }
        // A satellite that came after this connection was opened has no name here.
        return node < welcome().nodes().size() ? welcome().nodes().get(node) : "node " + node;
    }

    void closeCursor(Session of, int cursor) throws SQLException {
        if (!isGone() && of.equals(session)) {
            call(new CloseCursor(cursor));
        }
    }

    /** Asks the middleware, over a connection of its own, to cancel what this one runs. */
    void cancel() throws SQLException {
        try (Wire other = Wire.connect(url.host(), url.port(), 10, false)) {
            other.send(new Cancel(welcome().sessionId(), welcome().cancelKey()));
        } catch (IOException e) {
            throw new SQLException(
                    "the statement could not be cancelled: " + e.getMessage(), SqlStates.CONNECTION_FAILED, e);
        }
    }

    /** Throws if the connection was closed. */
    void checkOpen() throws SQLException {
        if (closed) {
            throw Failures.connectionClosed();
        }
    }

    /** Whether the other side answers in so many seconds; 0 for no limit. */
    boolean answers(int seconds) {
        try {
            Response answer = session.wire().ping(seconds);
            note(answer == null ? null : status(answer));
            return answer != null;
        } catch (SQLException e) {
            return false;
        }
    }

    /** Says goodbye; again does nothing. */
    void close() {
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
    void abort() {
        closed = true;
        session.wire().close();
    }

    boolean isClosed() {
        return closed;
    }

    /** Closed, or broken. */
    boolean isGone() {
        return closed || session.wire().isBroken();
    }
}
