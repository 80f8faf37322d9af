// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.session;

import io.multimed.jdbc.settings.DriverProperty;
import io.multimed.jdbc.settings.SessionTarget;
import io.multimed.jdbc.support.Guard;
import io.multimed.jdbc.support.SqlErrors;
import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.request.Cancel;
import io.multimed.protocol.request.CatalogCall;
import io.multimed.protocol.request.CloseCursor;
import io.multimed.protocol.request.Commit;
import io.multimed.protocol.request.Describe;
import io.multimed.protocol.request.Fetch;
import io.multimed.protocol.request.Goodbye;
import io.multimed.protocol.request.Request;
import io.multimed.protocol.request.Rollback;
import io.multimed.protocol.response.ErrorReport;
import io.multimed.protocol.response.OutcomeAnswer;
import io.multimed.protocol.response.Response;
import io.multimed.protocol.response.Welcome;
import io.multimed.protocol.session.Route;
import io.multimed.protocol.session.SessionStatus;
import java.io.IOException;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sends a connection's requests to the middleware, and keeps the status that the last response reported.
 *
 * <p>A channel has one session at a time. If the session's socket breaks while a request may commit, the channel
 * asks for the outcome over a new session, which then replaces the broken one. A session in which SQL had set
 * state, in an engine (pinned) or modes of transactions, cannot be replaced: the connection remains closed.
 *
 * <p>All threads may call all methods. The {@link #guard} belongs to the state of the whole connection: a thread holds
 * the guard from the first to the last message of one request, which includes the large values and the columns of a
 * statement. {@link #cancel}, {@link #abort}, {@link #close} and the methods that return the state do not wait for a
 * request of another thread.
 */
public final class SessionChannel {
    private static final int CANCEL_ATTEMPTS = 3;

    private final SessionTarget target;
    private final AbortedTransaction abortedTransaction = new AbortedTransaction();
    private final StatementSlots slots = new StatementSlots();
    private final TraceSource traces;
    private final Autosave autosave;

    /** Protects the fields of this class and of the objects above, and the socket; see {@link #guard}. */
    private final Guard guard = new Guard();

    /** Written by the thread that holds the guard. */
    private volatile SessionStatus status;

    /** Whether all statements of the open transaction ran on one satellite; false if no transaction is open. */
    private boolean isOnSatellite;

    /** Whether a transaction is open of which no engine knows yet, so that its end need not be sent. */
    private boolean hasBegunOnNoNode;

    private volatile MiddlewareSession session;
    private volatile boolean closed;

    /** Creates a channel, which owns the session from now on. */
    public SessionChannel(SessionTarget target, MiddlewareSession session) {
        this.target = target;
        this.session = session;
        this.status = fresh(session);
        this.autosave = new Autosave(
                DriverProperty.savesAlways(target.properties()),
                DriverProperty.CLEANUP_SAVEPOINTS.booleanValue(target.properties()));
        this.traces = new TraceSource(session.welcome().traces());
    }

    /** Returns the status of a session that has run nothing yet. */
    private static SessionStatus fresh(MiddlewareSession session) {
        return new SessionStatus(
                false, false, SessionStatus.NO_NODE, session.welcome().scn());
    }

    /**
     * Sends a request, returns the response, and keeps the session status that the response reports.
     *
     * @throws SQLException the error that the engine or the middleware reports, or an exception that reports the actual
     *     outcome if the connection was lost
     */
    public Response call(Request request) throws SQLException {
        return callAnd(request, (by, number) -> {});
    }

    /** Hears which session handles a request under which number, before the request is sent. */
    @FunctionalInterface
    interface Sending {
        void sends(MiddlewareSession by, int number) throws SQLException;
    }

    private Response callAnd(Request request, Sending sending) throws SQLException {
        return guard.get(() -> autosave.call(this, request, sending));
    }

    /** Sends one request, and no savepoint before. The caller holds the guard. */
    Response exchange(Request request, Sending sending) throws SQLException {
        checkOpen();
        abortedTransaction.check(request);
        Response response;
        try {
            MiddlewareSession by = session;
            response = by.transport().call(traced(request), number -> sending.sends(by, number));
        } catch (ErrorReportException e) {
            response = e.report();
        } catch (ConnectionLostException e) {
            response = recover(request, e);
        }
        if (response instanceof ErrorReport report) {
            noteAbort(request, report);
            noteUnlessOpen(request, report.status());
            throw SqlErrors.of(report);
        }
        noteUnlessOpen(request, response.status());
        return response;
    }

    private Request traced(Request request) {
        return session.welcome().traces() ? traces.traced(request) : request;
    }

    /** Returns what adds the operation of the application to requests. */
    public TraceSource traces() {
        return traces;
    }

    /**
     * Keeps the status after a request. The middleware does not know whether a transaction is open that no engine has
     * begun; only a statement can end such a transaction.
     */
    private void noteUnlessOpen(Request request, @Nullable SessionStatus now) {
        boolean isStatement = !(request instanceof Describe
                || request instanceof CatalogCall
                || request instanceof Fetch
                || request instanceof CloseCursor);
        if (isStatement || !hasBegunOnNoNode) {
            note(now);
        }
    }

    /**
     * Ends the open transaction. The end of a transaction on a satellite changes nothing and cannot fail, so that the
     * application does not wait for the response.
     *
     * @param end a commit or a rollback
     */
    public void end(Request end) throws SQLException {
        guard.run(() -> endGuarded(end));
    }

    private void endGuarded(Request end) throws SQLException {
        if (hasBegunOnNoNode) {
            checkOpen();
            note(afterEnd(end));
            return;
        }
        if (!isOnSatellite || status.failed() || status.pinned()) {
            call(end);
            return;
        }
        checkOpen();
        try {
            session.transport().sendAhead(traced(end));
            note(afterEnd(end));
        } catch (ConnectionLostException e) {
            note(recover(end, e).status());
        }
    }

    /**
     * Remembers that an error has ended the transaction although the application has not: see {@link
     * AbortedTransaction}.
     */
    private void noteAbort(Request request, ErrorReport report) {
        boolean ending = request instanceof Commit || request instanceof Rollback;
        if (status.inTransaction()
                && !hasBegunOnNoNode
                && !report.status().inTransaction()
                && !ending
                && !AbortedTransaction.endsTransaction(request)) {
            abortedTransaction.record(report.message());
        }
    }

    /**
     * Returns the response to a request whose connection was lost, over a new session.
     *
     * @throws SQLException if the request did not take effect, its outcome cannot be determined, or its response is
     *     lost
     */
    private Response recover(Request request, ConnectionLostException lost) throws SQLException {
        if (closed || !RequestRecovery.mayCommit(request)) {
            throw lost;
        }
        MiddlewareSession old = session;
        OutcomeResolver resolver = new OutcomeResolver(
                target, old.outcomeRequest(status.scn()), DriverProperty.OUTCOME_TIMEOUT.seconds(target.properties()));
        OutcomeResolver.Answer answer = resolver.resolve();
        if (answer == null || answer.outcome().fate() == OutcomeAnswer.Fate.UNKNOWN) {
            if (answer != null) {
                answer.session().transport().close();
            }
            throw RequestRecovery.outcomeUnknown(old.receipt(), lost);
        }
        boolean inTransaction = status.inTransaction();
        resume(old, answer.session());
        try {
            return RequestRecovery.resultOf(request, answer.outcome(), lost);
        } catch (SQLTransactionRollbackException e) {
            if (lost.isTimeout()) {
                session.transport().close(); // as JDBC specifies
                throw RequestRecovery.timedOut(lost);
            }
            if (inTransaction && !(request instanceof Commit) && !AbortedTransaction.endsTransaction(request)) {
                abortedTransaction.record(String.valueOf(lost.getMessage()));
            }
            throw e;
        }
    }

    /**
     * Replaces the lost session by a new one, unless the lost session had state: then the connection remains closed.
     */
    private void resume(MiddlewareSession old, MiddlewareSession next) throws SQLException {
        if (hasState(status) || closed) {
            next.transport().close();
            return;
        }
        slots.invalidateAll();
        status = fresh(next);
        session = next;
        next.transport().setTimeout(old.transport().timeout()); // afterwards: see setTimeout
    }

    /** Returns whether a session has state that SQL has set, and that a new session lacks. */
    private static boolean hasState(SessionStatus status) {
        return status.pinned()
                || status.hasModes()
                || status.autoCommitOff()
                || status.isolation() != 0
                || status.readOnly() != null;
    }

    /**
     * Returns the guard of the connection. A thread holds the guard while it uses the connection's state for longer
     * than one call of this class.
     */
    public Guard guard() {
        return guard;
    }

    /**
     * Sets the limit for each response, at once and also for a session that replaces the present one meanwhile.
     *
     * @param millis in milliseconds; 0 for no limit
     */
    public void setTimeout(int millis) throws SQLException {
        MiddlewareSession set;
        do {
            set = session;
            set.transport().setTimeout(millis);
        } while (!set.equals(session));
    }

    /** Returns the limit for each response in milliseconds; 0 for no limit. */
    public int timeout() {
        return session.transport().timeout();
    }

    /**
     * Sends a request, and returns the response, which must be of a certain class.
     *
     * @throws SQLException 08P01 if the response is of another class; the connection is then closed
     */
    public <T extends Response> T call(Request request, Class<T> kind) throws SQLException {
        return checked(call(request), kind);
    }

    /** As {@link #call(Request, Class)}, for a request that other threads can cancel by {@code running}. */
    public <T extends Response> T call(Request request, Class<T> kind, RunningRequest running) throws SQLException {
        try {
            return checked(callAnd(request, running::sends), kind);
        } finally {
            running.ended();
        }
    }

    private <T extends Response> T checked(Response response, Class<T> kind) throws SQLException {
        if (!kind.isInstance(response)) {
            session.transport().close();
            throw new SQLException(
                    "unexpected response %s from the middleware: check that driver and middleware have the same version"
                            .formatted(response.type()),
                    SqlStates.PROTOCOL_VIOLATION);
        }
        return kind.cast(response);
    }

    /**
     * Keeps a new status. The node of the last answer and the highest SCN survive a status that does not have them. An
     * answer from the result cache has no node.
     */
    private void note(@Nullable SessionStatus now) {
        if (now != null) {
            hasBegunOnNoNode = now.inTransaction() && !now.begunOnNode();
            isOnSatellite = now.inTransaction() && now.begunOnNode() && ranOnSatellite(now);
            boolean isCached = now.route().reason() == Route.Reason.CACHED;
            boolean isKnown = now.node() != SessionStatus.NO_NODE || isCached;
            SessionStatus answered = isKnown ? now : status;
            status = new SessionStatus(
                    now.inTransaction(),
                    now.begunOnNode(),
                    now.failed(),
                    now.pinned(),
                    now.hasModes(),
                    now.autoCommitOff(),
                    now.isolation(),
                    now.readOnly(),
                    answered.node(),
                    answered.route(),
                    Math.max(now.scn(), status.scn()));
        }
    }

    /** Returns whether a request of the open transaction ran on a satellite, as all earlier ones did. */
    private boolean ranOnSatellite(SessionStatus now) {
        return switch (now.route().reason()) {
            case FRESH_SATELLITE, CAUGHT_UP, ACCEPTED_LAG -> true;
            case SAME_TRANSACTION, CACHED ->
                isOnSatellite && (now.node() == status.node() || now.node() == SessionStatus.NO_NODE);
            default -> false;
        };
    }

    /** Returns the present status without a transaction, which a commit or a rollback has ended. */
    private SessionStatus afterEnd(Request end) {
        return new SessionStatus(
                false,
                true,
                false,
                false,
                status.hasModes() && end instanceof Commit commit && commit.keepsModes(),
                status.autoCommitOff(),
                status.isolation(),
                status.readOnly(),
                status.node(),
                status.route(),
                status.scn());
    }

    /** Returns the status that the last response reported. */
    public SessionStatus status() {
        return status;
    }

    /** Returns the record of a transaction that was aborted and not yet rolled back. */
    public AbortedTransaction abortedTransaction() {
        return abortedTransaction;
    }

    /** Returns the numbers of prepared statements in the current session. */
    public StatementSlots slots() {
        return slots;
    }

    public Welcome welcome() {
        return session.welcome();
    }

    /** Returns the current session; another one after the connection was lost and resumed. */
    public MiddlewareSession session() {
        return session;
    }

    /** Returns the address and the user, with which a lost session is opened again. */
    public SessionTarget target() {
        return target;
    }

    /**
     * Returns the name of the node that answered last; empty if no node has answered yet, or if the answer came from
     * the result cache.
     */
    public String lastNode() {
        int node = status.node();
        if (node == SessionStatus.NO_NODE) {
            return "";
        }
        // A satellite that was added after this connection was opened has no name in the welcome.
        return node < welcome().nodes().size() ? welcome().nodes().get(node) : "node " + node;
    }

    /**
     * Closes a cursor in the middleware. Does nothing if the session of the cursor was lost, because the cursor ended
     * with the session.
     */
    public void closeCursor(MiddlewareSession of, int cursor) throws SQLException {
        if (!isUnusable() && of.equals(session)) {
            call(new CloseCursor(cursor));
        }
    }

    /**
     * Asks the middleware to cancel a request, over a connection of its own. Returns when the middleware has received
     * the message, and before the request has ended. A busy middleware may displace connections without a login, so
     * that several attempts may be necessary.
     *
     * @throws SQLException 08006 if the middleware cannot be reached
     */
    void cancel(MiddlewareSession of, int number) throws SQLException {
        Cancel message = new Cancel(of.welcome().sessionId(), of.welcome().cancelKey(), number);
        for (int attempt = 1; ; attempt++) {
            try (Transport other = of.connectAgain(target, 10)) {
                other.call(message);
                return;
            } catch (SQLException e) {
                if (attempt == CANCEL_ATTEMPTS) {
                    throw new SQLException(
                            "the statement could not be canceled: " + e.getMessage(), SqlStates.CONNECTION_FAILURE, e);
                }
            }
        }
    }

    /** Throws an exception if the application has closed the connection. */
    public void checkOpen() throws SQLException {
        if (closed) {
            throw SqlErrors.connectionClosed();
        }
    }

    /**
     * Returns whether the middleware answers within a time, which includes the wait for requests of other threads. The
     * limit for each response applies, too.
     *
     * @param seconds 0 for no limit
     */
    public boolean isAlive(int seconds) {
        long millis = TimeUnit.SECONDS.toMillis(seconds);
        long began = System.nanoTime();
        if (!acquireWithin(millis)) {
            return false;
        }
        try {
            long waited = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
            Response answer = session.transport().ping(limit(millis == 0 ? 0 : Math.max(1, millis - waited)));
            note(hasBegunOnNoNode ? null : answer.status());
            return true;
        } catch (SQLException e) {
            return false;
        } finally {
            guard.release();
        }
    }

    /** Returns whether the guard was taken within a time in milliseconds; 0 for no limit. */
    private boolean acquireWithin(long millis) {
        try {
            return guard.tryAcquire(millis == 0 ? Long.MAX_VALUE : millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Returns the shorter one of a limit and the limit for each response, in milliseconds; 0 stands for no limit. */
    private int limit(long millis) {
        int usual = timeout();
        long shorter = millis == 0 || usual == 0 ? Math.max(millis, usual) : Math.min(millis, usual);
        return (int) Math.min(shorter, Integer.MAX_VALUE);
    }

    /**
     * Notifies the middleware of the end of the session, and closes the socket. Does nothing if the channel is closed
     * already. A request of another thread fails: closing does not wait for its response.
     */
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            sayGoodbye();
        } finally {
            session.transport().close();
        }
    }

    /** Notifies the middleware, unless another thread uses the socket. */
    private void sayGoodbye() {
        if (!guard.tryAcquire()) {
            return;
        }
        try {
            if (!session.transport().isBroken()) {
                session.transport().send(new Goodbye());
            }
        } catch (IOException e) {
            // The connection is broken already; the middleware has noticed or will notice.
            return;
        } finally {
            guard.release();
        }
    }

    /** Closes the socket without notifying the middleware, even while another thread waits for a response. */
    public void abort() {
        closed = true;
        session.transport().close();
    }

    /** Returns whether the application has closed or aborted the connection. */
    public boolean isClosed() {
        return closed;
    }

    /** Returns whether the connection is closed or its socket is broken. */
    public boolean isUnusable() {
        return closed || session.transport().isBroken();
    }
}
