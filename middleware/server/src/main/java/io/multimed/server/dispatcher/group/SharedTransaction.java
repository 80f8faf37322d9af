// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.group;

import io.multimed.engine.dialect.ErrorClassifier.AfterError;
import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.extraction.JoinedStatements;
import io.multimed.engine.extraction.SharedCommit;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.server.dispatcher.statement.Cancellation;
import io.multimed.server.node.Lease;
import io.multimed.server.node.group.GroupWorkers;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
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
 * If a statement fails, the engine undoes only this statement; those after it in the same message are sent again. If
 * the engine undoes the whole transaction, all statements that had run are repeated outside of the group, as are those
 * after a statement that takes too long. The message of several statements contains no COMMIT: if a statement changes
 * the session, and others of its message have run in the changed session, all are undone. A statement that is the only
 * one of the transaction is sealed and committed in its own message. Used once, by one thread.
 */
final class SharedTransaction {
    private static final Logger LOG = LoggerFactory.getLogger(SharedTransaction.class);

    /** A statement that delays all other commits for longer than this is canceled. */
    private static final long STATEMENT_LIMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(30);

    /** If a message is not answered within this time, the engine is asked whether it waits for a request. */
    private static final long ANSWER_CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** A seal that takes longer than this is broken off: other commits wait for it. */
    private static final long SEAL_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** A message without COMMIT that is not answered for this time, although it was canceled, is broken off. */
    private static final long ANSWER_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final GroupWorkers workers;
    private final SharedCommit commit;
    private final SqlDialect dialect;

    /** The members whose statements have not run yet. */
    private final Deque<Member> waiting;

    /** Those of them that no message with others can contain. */
    private final Deque<Member> alone = new ArrayDeque<>();

    private final Cancellation cancellation = new Cancellation();

    /** The start of the running statement, by {@link System#nanoTime}. */
    private volatile long begun = System.nanoTime();

    /** The member whose statement runs, if it was sent in a message; null also while the transaction is sealed. */
    private volatile @Nullable Member running;

    /** Whether a statement may be canceled now. */
    private volatile boolean cancellable = true;

    /** Whether an answer to several statements in one message is awaited. */
    private volatile boolean awaits;

    /** Whether the connection was broken off, because the engine would not have answered any more. */
    private volatile boolean brokenOff;

    /** Whether a statement has reported success after a cancel request was made: its result must not be used. */
    private boolean doubtful;

    /** Whether the engine's session may have a generated key that the next statement must not find. */
    private boolean hasKey;

    /** Whether statements have run that neither an error nor a commit has ended. */
    private boolean mustRollBack;

    /** The end of the transaction, if a statement's message contained it. */
    private @Nullable SharedSeal ended;

    /** The members whose statements have run. */
    private final List<Member> ran = new ArrayList<>();

    /** The members whose statements have failed, maybe because of changes of {@link #ran}. */
    private final List<Member> failedBehind = new ArrayList<>();

    /** A statement of the transaction. Receives exactly one outcome that remains. */
    interface Member extends SharedSeal.Member {
        /** Runs the statement. */
        void runShared(Connection connection, int session) throws SQLException;

        /** Adds the statement to a message; returns false if the statement must be sent alone. */
        boolean addTo(JoinedStatements message);

        /** Records that the statement may have begun in a session of the engine. */
        void begun(int session);

        /** Records the answer to the statement of a message. */
        void answered(JoinedStatements.Answer answer, long nanos);

        /** Records that the answer to the statement of a message was not complete. */
        void needsMore();

        /** Records that the statement has not run, or has been undone for a reason other than its own failure. */
        void notRun();

        /** Permits that the statement runs outside of groups if the unknown outcome turns out to be a rollback. */
        void mayRunAgain();

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
            Runnable check = () -> checkTimeLimits(connection);
            boolean sound = false;
            workers.addTick(check);
            try {
                sound = run(connection) && end(connection);
            } finally {
                workers.removeTick(check);
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

    /** Runs the statements, and returns whether the connection may be used further. */
    private boolean run(Connection connection) {
        int session = workers.session(connection);
        cancellation.begin(() -> dialect.streaming().cancel(connection));
        boolean open = true;
        try {
            while (open && !(waiting.isEmpty() && alone.isEmpty()) && !cancellation.wasRequested()) {
                open = runNext(connection, session);
            }
            cancellation.end(); // from now on no cancel request is sent
            if (cancellation.wasRequested()) {
                dialect.streaming().takeLateCancel(connection);
                undoIfDoubtful(connection);
            }
            forgetKey(connection);
            return true;
        } catch (SQLException | RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
            LOG.debug("the statements of a commit group could not be run", e);
            rerunAll();
            return false;
        }
    }

    /** Ends the transaction, and returns whether the connection may be used further. */
    private boolean end(Connection connection) {
        SharedSeal already = ended;
        if (already != null) {
            return already.leavesConnectionUsable();
        }
        return ran.isEmpty() ? isRolledBack(connection) : seal(connection);
    }

    /** Runs the statements that one message can contain, and returns whether the transaction continues. */
    private boolean runNext(Connection connection, int session) throws SQLException {
        forgetKey(connection);
        Deque<Member> together = new ArrayDeque<>();
        Optional<JoinedStatements> joined = waiting.isEmpty() ? Optional.empty() : commit.join(connection);
        if (joined.isPresent()) {
            try (JoinedStatements message = joined.get()) {
                waiting.forEach(member -> (member.addTo(message) ? together : alone).add(member));
                waiting.clear();
                if (together.isEmpty()) {
                    return true;
                }
                boolean only = ran.isEmpty() && alone.isEmpty() && together.size() == 1 && message.canSeal();
                return only
                        ? runAndSeal(message, together.remove(), connection, session)
                        : run(message, together, connection, session);
            }
        }
        commit.separate(connection);
        Member member = alone.isEmpty() ? waiting.remove() : alone.remove();
        return run(member, connection, session) && !hasChangedSession(connection, member);
    }

    /** Removes a generated key from the engine's session. */
    private void forgetKey(Connection connection) throws SQLException {
        if (hasKey) {
            commit.forgetKey(connection);
            hasKey = false;
        }
    }

    /** Records that statements are about to be sent. */
    private void beginMessage(List<Member> members, int session) {
        members.forEach(member -> member.begun(session));
        mustRollBack = true;
        begun = System.nanoTime();
        running = members.get(0);
        awaits = true;
    }

    /** Records that all answers have arrived which will arrive. */
    private void endMessage() {
        awaits = false;
        running = null;
        begun = System.nanoTime();
        cancellable = true;
    }

    /**
     * Runs the statements of a message, and returns whether the transaction continues. Statements behind one that fails
     * return to {@link #waiting}.
     */
    private boolean run(JoinedStatements message, Deque<Member> together, Connection connection, int session)
            throws SQLException {
        List<Member> all = List.copyOf(together);
        beginMessage(all, session);
        try {
            message.send();
            boolean open = true;
            while (open && !together.isEmpty()) {
                open = readAnswer(message, together, connection);
            }
            return open && !hasChangedSession(connection, all);
        } finally {
            sendAgain(together);
            endMessage();
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
            throwIfBroken(connection, e);
            together.remove();
            sendAgain(together); // the engine has stopped here
            return hasFailed(member, e);
        }
        long now = System.nanoTime();
        member.answered(answer, now - begun);
        ran.add(together.remove());
        begun = now;
        running = together.peek();
        if (!answer.complete()) {
            hasKey = true;
            member.needsMore();
            skipAnswers(message, together);
            rerunAll();
            return false;
        }
        // Answers that are read after a cancel request are not used, and nothing may follow them.
        doubtful |= cancellation.wasRequested();
        return true;
    }

    /** Returns statements that have not run to {@link #waiting}. */
    private void sendAgain(Deque<Member> together) {
        while (!together.isEmpty()) {
            waiting.addFirst(together.removeLast());
        }
    }

    private void throwIfBroken(Connection connection, SQLException error) throws SQLException {
        if (dialect.errors().isConnectionFailure(error) || Lease.isBroken(connection)) {
            throw error;
        }
    }

    /** Handles a statement's own error, and returns whether the transaction continues. */
    private boolean hasFailed(Member member, SQLException error) {
        hasKey = true; // that of a row that the engine has undone
        if (dialect.errors().afterError(error) == AfterError.ROLLED_BACK) {
            member.causedRollback();
            rerunAll();
            return false;
        }
        failed(member, error);
        return true;
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

    /**
     * Runs the only statement of the transaction, seals it and commits, in one message. Returns whether the transaction
     * continues, because the statement needs a message of its own to be sealed.
     */
    private boolean runAndSeal(JoinedStatements message, Member member, Connection connection, int session)
            throws SQLException {
        beginMessage(List.of(member), session);
        SingleMessage single = new SingleMessage(message, member, connection);
        SharedSeal seal = new SharedSeal(commit, dialect.errors(), connection, List.of(member));
        try {
            SharedSeal.Result result = seal.seal(single);
            if (result == SharedSeal.Result.OPEN) {
                return continues(single, member, session);
            }
            ended = seal;
            if (result == SharedSeal.Result.UNDONE) {
                leaveAfterUndo(member);
            } else if (result == SharedSeal.Result.UNKNOWN) {
                permitAnotherRun(seal, List.of(member));
            }
            return false;
        } finally {
            endMessage();
        }
    }

    /** Handles a statement that ran in one message with its seal, but was not sealed. */
    private boolean continues(SingleMessage single, Member member, int session) {
        member.begun(session);
        SQLException failure = single.failure;
        if (failure != null) {
            return hasFailed(member, failure);
        }
        JoinedStatements.Answer answer = Objects.requireNonNull(single.answer);
        if (!answer.complete()) {
            hasKey = true;
            member.needsMore();
            member.notRun();
            return false;
        }
        member.answered(answer, single.nanos); // the end of the first seal has discarded the answer
        ran.add(member);
        doubtful |= cancellation.wasRequested();
        return true;
    }

    /** The seal has failed, and the engine has confirmed the rollback. */
    private void leaveAfterUndo(Member member) {
        if (cancellation.wasRequested() && !member.wasCanceled()) {
            member.excludeFromGroups();
        }
        member.notRun();
    }

    /** One message with a statement, its seal and the COMMIT. */
    private final class SingleMessage implements SharedSeal.Ending {
        private final JoinedStatements message;
        private final Member member;
        private final Connection connection;
        private JoinedStatements.@Nullable Answer answer;

        /** The statement's own error. */
        private @Nullable SQLException failure;

        private long nanos;

        SingleMessage(JoinedStatements message, Member member, Connection connection) {
            this.message = message;
            this.member = member;
            this.connection = connection;
        }

        @Override
        public Optional<List<WriteSet>> run() throws SQLException {
            message.sendAndSeal(member.receipt());
            try {
                answer = message.next();
            } catch (SQLException e) {
                throwIfBroken(connection, e);
                failure = e; // the engine has not begun the seal
                return Optional.empty();
            }
            cancellable = false; // a request that is on its way may still interrupt the seal
            nanos = System.nanoTime() - begun;
            begun = System.nanoTime();
            member.answered(answer, nanos);
            return message.sealed().map(List::of);
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
     * Undoes all statements if one of them reported success although a cancel request may have been sent while it ran.
     * Engines do not always report that they obeyed: an update may be reported as one that has changed no row.
     */
    private void undoIfDoubtful(Connection connection) throws SQLException {
        if (doubtful && !ran.isEmpty()) {
            connection.rollback();
            mustRollBack = false;
            Member last = ran.get(ran.size() - 1);
            if (!last.wasCanceled()) {
                last.excludeFromGroups();
            }
            rerunAll();
        }
    }

    /**
     * Returns whether a statement has changed the session, in a trigger or a function. The other members must not run
     * in this session, and the statement runs outside of groups from now on.
     */
    private boolean hasChangedSession(Connection connection, Member member) throws SQLException {
        boolean otherwise = dialect.sessions().hasReportedChanges(connection);
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
        boolean otherwise = dialect.sessions().hasReportedChanges(connection);
        if (otherwise) {
            message.forEach(Member::needsMore);
            rerunAll();
        }
        return otherwise;
    }

    /** Lets all statements run again, also those that may have failed because of changes that are undone. */
    private void rerunAll() {
        ran.forEach(Member::notRun);
        ran.clear();
        rerunFailed();
    }

    private void rerunFailed() {
        failedBehind.forEach(Member::notRun);
        failedBehind.clear();
    }

    /** Runs one statement, and returns whether the transaction continues. */
    private boolean run(Member member, Connection connection, int session) throws SQLException {
        boolean tried = false;
        boolean open = true;
        begun = System.nanoTime();
        try {
            member.runShared(connection, session);
            tried = true;
            ran.add(member);
            doubtful |= cancellation.wasRequested();
        } catch (SQLException e) {
            throwIfBroken(connection, e);
            tried = true;
            open = hasFailed(member, e);
        } finally {
            if (!tried) {
                member.notRun();
            }
        }
        return open;
    }

    /**
     * Records that the engine has undone a statement. If the statement was canceled because it delays other commits,
     * its error is not its own: a capture trigger, too, can fail because of the request.
     */
    private void failed(Member member, SQLException failure) {
        if (cancellation.wasRequested() && !member.wasCanceled()) {
            member.notRun();
            member.excludeFromGroups();
        } else {
            member.failedShared(failure);
            if (!ran.isEmpty()) {
                failedBehind.add(member);
            }
        }
    }

    /** Seals and commits, and returns whether the connection may be used further. */
    private boolean seal(Connection connection) {
        SharedSeal seal = new SharedSeal(commit, dialect.errors(), connection, ran);
        cancellable = false;
        begun = System.nanoTime();
        awaits = true;
        SharedSeal.Result result = seal.seal(Set.of());
        awaits = false;
        if (result == SharedSeal.Result.UNDONE) {
            rerunAll(); // each member then receives its own error
        } else if (result == SharedSeal.Result.UNKNOWN) {
            permitAnotherRun(seal, ran);
            rerunFailed();
        }
        return seal.leavesConnectionUsable();
    }

    /**
     * The master will be asked for the outcome. If a cancel request has prevented the commit, the statements run
     * again, and no client receives an error.
     */
    private void permitAnotherRun(SharedSeal seal, List<Member> members) {
        if (brokenOff || seal.wasInterrupted()) {
            members.forEach(Member::mayRunAgain);
        }
        if (cancellation.wasRequested()) {
            members.forEach(Member::excludeFromGroups);
        }
    }

    /**
     * Runs on the watch thread: cancels the running statement if it takes too long, or if its client has canceled it;
     * and breaks the connection off if a message will not be answered.
     */
    private void checkTimeLimits(Connection connection) {
        try {
            long since = begun;
            long nanos = System.nanoTime() - since;
            Member current = running;
            boolean unwanted = current != null && current.wasCanceled();
            if (cancellable && !cancellation.wasRequested() && (unwanted || nanos > STATEMENT_LIMIT_NANOS)) {
                cancellation.cancel();
            } else if (awaits && nanos > ANSWER_CHECK_NANOS) {
                breakOffUnlessAnswered(connection, since);
            }
        } catch (SQLException e) {
            LOG.debug("a statement could not be canceled", e);
        }
    }

    /**
     * Breaks the connection off if the engine waits for a request, or does not react to cancel requests. If a cancel
     * request arrives between two statements of a message, an engine stops there, and sends no further answer.
     */
    private void breakOffUnlessAnswered(Connection connection, long since) throws SQLException {
        boolean tooLong = System.nanoTime() - since > (cancellable ? ANSWER_LIMIT_NANOS : SEAL_LIMIT_NANOS);
        if ((tooLong || commit.awaitsRequest(connection)) && awaits && begun == since) {
            LOG.debug("the engine has not answered a message completely; its connection is closed");
            brokenOff = true;
            connection.abort(Runnable::run);
        }
    }
}
