package io.multimed.server.dispatcher.execution;

import io.multimed.engine.dialect.ErrorClassifier.AfterError;
import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.extraction.JoinedStatements;
import io.multimed.engine.extraction.SharedCommit;
import io.multimed.server.dispatcher.statement.Cancellation;
import io.multimed.server.node.GroupWorkers;
import io.multimed.server.node.Lease;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs single statements of one commit group in one transaction.
 *
 * <p>Statements are sent in one message where the engine permits it ({@link JoinedStatements}), the others one by one.
 * If a statement fails, the engine undoes only this statement; those behind it in the same message are sent again. If
 * the engine undoes the whole transaction, all statements that had run are repeated outside of the group, as are those
 * behind a statement that takes too long. Nothing is sealed in the message of the statements: if a statement changes
 * the session, and others of its message have run in the changed session, all are undone. Used once, by one thread.
 */
final class SharedTransaction {
    private static final Logger LOG = LoggerFactory.getLogger(SharedTransaction.class);

    /** A statement that delays all other commits for longer than this is canceled. */
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(30);

    /** A message whose statement was canceled, and that is not answered for this time, is broken off. */
    private static final long SILENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    private final GroupWorkers workers;
    private final SharedCommit commit;
    private final SqlDialect dialect;

    /** The members whose statements have not run yet. */
    private final Deque<Member> waiting;

    /** Those of them that no message with others can contain. */
    private final Deque<Member> alone = new ArrayDeque<>();

    private final Cancellation patience = new Cancellation();

    /** The start of the running statement, by {@link System#nanoTime}. */
    private volatile long begun = System.nanoTime();

    /** The member whose statement runs, if it was sent with others. */
    private volatile @Nullable Member running;

    /** Whether statements have run that neither an error nor a commit has ended. */
    private boolean mustRollBack;

    /** The members whose statements have run. */
    private final List<Member> ran = new ArrayList<>();

    /** A statement of the transaction. Receives exactly one outcome that remains. */
    interface Member extends SharedSeal.Member {
        /** Runs the statement. */
        void runShared(Connection connection, int session) throws SQLException;

        /** Adds the statement to a message; returns false if the statement must be sent alone. */
        boolean addTo(JoinedStatements message);

        /** Records that a message with the statement is about to be sent. */
        void sentJoined(int session);

        /** Records that the statement of a message is answered, or has not run. */
        void endJoined() throws SQLException;

        /** Records the answer to the statement of a message. */
        void answered(JoinedStatements.Answer answer, long nanos);

        /** Records that the answer to the statement of a message was not complete. */
        void needsMore();

        /** Records that the statement has not run, or has been undone, through no fault of its own. */
        void notRun();

        /** Records that the statement has caused the rollback of the shared transaction. */
        void causedRollback();

        /** Makes later executions of the statement run outside of groups. */
        void excludeFromGroups();

        /** Returns whether the client has canceled the statement. */
        boolean wasCanceled();
    }

    SharedTransaction(GroupWorkers workers, SharedCommit commit, SqlDialect dialect, List<Member> members) {
        this.workers = workers;
        this.commit = commit;
        this.dialect = dialect;
        this.waiting = new ArrayDeque<>(members);
    }

    /** Runs and commits all statements. Never throws: each member receives its own outcome. */
    void run() {
        try {
            Connection connection = workers.connection();
            boolean sound = false;
            try {
                sound = run(connection) && (ran.isEmpty() ? isRolledBack(connection) : seal(connection));
            } finally {
                if (!sound) {
                    workers.discard(connection);
                }
                workers.returnConnection(connection);
            }
        } catch (SQLException e) {
            LOG.debug("no connection for a commit group's statements", e);
        } finally {
            waiting.forEach(Member::notRun);
            alone.forEach(Member::notRun);
        }
    }

    /** Runs the statements, and returns whether the connection may be used further. No statement can commit here. */
    private boolean run(Connection connection) {
        int session = workers.session(connection);
        patience.begin(() -> dialect.cancel(connection));
        Runnable look = () -> cancelSlowStatement(connection);
        workers.watch(look);
        boolean open = true;
        try {
            while (open && !(waiting.isEmpty() && alone.isEmpty()) && !patience.hasHappened()) {
                open = runNext(connection, session);
            }
            workers.unwatch(look);
            patience.end();
            if (open && patience.hasHappened()) {
                commit.takeLateCancel(connection);
            }
            return true;
        } catch (SQLException | RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
            LOG.debug("the statements of a commit group could not be run", e);
            abandonAll();
            return false;
        } finally {
            workers.unwatch(look);
        }
    }

    /** Runs the statements that one message can contain, and returns whether the transaction continues. */
    private boolean runNext(Connection connection, int session) throws SQLException {
        Deque<Member> together = new ArrayDeque<>();
        Optional<JoinedStatements> joined = waiting.isEmpty() ? Optional.empty() : commit.join(connection);
        if (joined.isPresent()) {
            try (JoinedStatements message = joined.get()) {
                waiting.forEach(member -> (member.addTo(message) ? together : alone).add(member));
                waiting.clear();
                return together.isEmpty() || run(message, together, connection, session);
            }
        }
        commit.separate(connection);
        Member member = alone.isEmpty() ? waiting.remove() : alone.remove();
        return run(member, connection, session) && !hasChangedSession(connection, member);
    }

    /**
     * Runs the statements of a message, and returns whether the transaction continues. Statements behind one that fails
     * return to {@link #waiting}.
     */
    private boolean run(JoinedStatements message, Deque<Member> together, Connection connection, int session)
            throws SQLException {
        List<Member> all = List.copyOf(together);
        all.forEach(member -> member.sentJoined(session));
        mustRollBack = true;
        try {
            begun = System.nanoTime();
            running = together.peek();
            message.send();
            boolean open = true;
            while (open && !together.isEmpty()) {
                open = readAnswer(message, together, connection);
            }
            return open && !hasChangedSession(connection, all);
        } finally {
            running = null;
            while (!together.isEmpty()) {
                waiting.addFirst(together.removeLast());
            }
            for (Member member : all) {
                member.endJoined();
            }
        }
    }

    /**
     * Reads the answer to the first of the statements, and removes it.
     *
     * @return whether the transaction continues; otherwise the message has no further answers that matter
     */
    private boolean readAnswer(JoinedStatements message, Deque<Member> together, Connection connection)
            throws SQLException {
        Member member = together.element();
        JoinedStatements.Answer answer;
        try {
            answer = message.next();
        } catch (SQLException e) {
            return hasFailed(member, together, connection, e);
        }
        long now = System.nanoTime();
        member.answered(answer, now - begun);
        ran.add(together.remove());
        begun = now;
        running = together.peek();
        if (!answer.complete()) {
            member.needsMore();
            skipAnswers(message, together);
            abandonAll();
            return false;
        }
        return true;
    }

    /** Handles the error of a message's statement. */
    private boolean hasFailed(Member member, Deque<Member> together, Connection connection, SQLException error)
            throws SQLException {
        if (dialect.isConnectionFailure(error) || Lease.isBroken(connection)) {
            throw error;
        }
        together.remove();
        boolean rolledBack = dialect.afterError(error) == AfterError.ROLLED_BACK;
        if (rolledBack) {
            member.causedRollback();
            abandonAll();
        } else {
            member.failedShared(error);
        }
        while (!together.isEmpty()) {
            waiting.addFirst(together.removeLast());
        }
        return !rolledBack;
    }

    /** Reads the answers to statements that will be undone. */
    private static void skipAnswers(JoinedStatements message, Deque<Member> together) {
        try {
            for (int i = 0; i < together.size(); i++) {
                message.next();
            }
        } catch (SQLException e) {
            LOG.debug("a statement that will be undone has failed", e); // there are no further answers
        }
    }

    /** Ends the transaction if its statements have left locks or changes. Returns whether this succeeded. */
    private boolean isRolledBack(Connection connection) {
        if (mustRollBack) {
            try {
                connection.rollback();
            } catch (SQLException e) {
                LOG.debug("the statements of a commit group could not be rolled back", e);
                return false;
            }
        }
        return true;
    }

    /**
     * Returns whether a statement has changed the session, in a trigger or a function. The other members must not run
     * in this session, and the statement runs outside of groups from now on.
     */
    private boolean hasChangedSession(Connection connection, Member member) throws SQLException {
        boolean otherwise = dialect.hasReportedChanges(connection);
        if (otherwise) {
            member.excludeFromGroups();
        }
        return otherwise;
    }

    /**
     * The same for the statements of a message. Some engines report a change only after the last of them, so that it is
     * unknown which one has caused it: all are undone, unless there is only one. They are sent alone for a while.
     */
    private boolean hasChangedSession(Connection connection, List<Member> message) throws SQLException {
        if (message.size() == 1) {
            return hasChangedSession(connection, message.get(0));
        }
        boolean otherwise = dialect.hasReportedChanges(connection);
        if (otherwise) {
            message.forEach(Member::needsMore);
            abandonAll();
        }
        return otherwise;
    }

    private void abandonAll() {
        ran.forEach(Member::notRun);
        ran.clear();
    }

    /** Runs one statement, and returns whether the transaction continues. */
    private boolean run(Member member, Connection connection, int session) throws SQLException {
        boolean tried = false;
        begun = System.nanoTime();
        try {
            member.runShared(connection, session);
            tried = true;
            ran.add(member);
        } catch (SQLException e) {
            if (dialect.isConnectionFailure(e) || Lease.isBroken(connection)) {
                throw e;
            }
            tried = true;
            if (dialect.afterError(e) == AfterError.ROLLED_BACK) {
                member.causedRollback();
                abandonAll();
                return false;
            }
            member.failedShared(e);
        } finally {
            if (!tried) {
                member.notRun();
            }
        }
        if (member.wasCanceled()) {
            commit.takeLateCancel(connection);
        }
        return true;
    }

    /** Seals and commits, and returns whether the connection may be used further. */
    private boolean seal(Connection connection) {
        SharedSeal seal = new SharedSeal(commit, dialect, connection, ran);
        if (seal.run(Set.of()) == SharedSeal.Result.UNDONE) {
            abandonAll(); // each member then receives its own error
        }
        return seal.leavesConnectionUsable();
    }

    /**
     * Runs on the watch thread: cancels the running statement if it takes too long, or if its client has canceled it.
     * If a cancel request arrives between two statements of a message, an engine may send no further answer. The
     * connection is then broken off, which cannot have committed anything.
     */
    private void cancelSlowStatement(Connection connection) {
        try {
            Member current = running;
            long nanos = System.nanoTime() - begun;
            boolean unwanted = current != null && current.wasCanceled();
            if (!patience.hasHappened() && (unwanted || nanos > PATIENCE_NANOS)) {
                patience.cancel();
            } else if (patience.hasHappened() && current != null && nanos > SILENCE_NANOS) {
                connection.abort(Runnable::run);
            }
        } catch (SQLException e) {
            LOG.debug("a statement could not be canceled", e);
        }
    }
}
