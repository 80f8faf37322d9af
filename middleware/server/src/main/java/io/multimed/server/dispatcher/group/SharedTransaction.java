package io.multimed.server.dispatcher.group;

import io.multimed.engine.dialect.ErrorClassifier.AfterError;
import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.extraction.SharedCommit;
import io.multimed.server.dispatcher.statement.Cancellation;
import io.multimed.server.node.GroupWorkers;
import io.multimed.server.node.Lease;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs single statements of one commit group in one transaction.
 *
 * <p>If a statement fails, the engine undoes only this statement. If the engine undoes the whole transaction, all
 * statements that had run are repeated outside of the group, as are those behind a statement that takes too long. Used
 * once, by one thread.
 */
final class SharedTransaction {
    private static final Logger LOG = LoggerFactory.getLogger(SharedTransaction.class);

    /** A statement that delays all other commits for longer than this is canceled. */
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(30);

    private static final long LOOK_MILLIS = 10;

    private final GroupWorkers workers;
    private final SharedCommit commit;
    private final SqlDialect dialect;

    /** The members whose statements have not run yet. */
    private final Iterator<Member> waiting;

    private final Cancellation patience = new Cancellation();

    /** The start of the running statement, by {@link System#nanoTime}. */
    private volatile long begun = System.nanoTime();

    /** Whether the engine undid the statement that was canceled. */
    private boolean interrupted;

    /** The members whose statements have run. */
    private final List<Member> ran = new ArrayList<>();

    /** A statement of the transaction. Receives exactly one outcome that remains. */
    interface Member extends SharedSeal.Member {
        /** Runs the statement. */
        void runShared(Connection connection, int session) throws SQLException;

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
        this.waiting = members.iterator();
    }

    /** Runs and commits all statements. Never throws: each member receives its own outcome. */
    void run() {
        try {
            Connection connection = workers.connection();
            boolean sound = false;
            try {
                sound = run(connection) && (ran.isEmpty() || seal(connection));
            } finally {
                if (!sound) {
                    workers.discard(connection);
                }
                workers.returnConnection(connection);
            }
        } catch (SQLException e) {
            LOG.debug("no connection for a commit group's statements", e);
        } finally {
            waiting.forEachRemaining(Member::notRun);
        }
    }

    /** Runs the statements, and returns whether the connection may be used further. No statement can commit here. */
    private boolean run(Connection connection) {
        int session = workers.session(connection);
        patience.begin(() -> dialect.cancel(connection));
        Future<?> look = workers.every(LOOK_MILLIS, this::cancelSlowStatement);
        boolean open = true;
        try {
            while (open && waiting.hasNext() && !patience.hasHappened()) {
                Member member = waiting.next();
                open = run(member, connection, session) && !hasChangedSession(connection, member);
            }
            look.cancel(false);
            patience.end();
            if (patience.hasHappened()) {
                commit.takeLateCancel(connection);
                undoUnlessInterrupted(connection);
            }
            return true;
        } catch (SQLException | RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
            LOG.debug("the statements of a commit group could not be run", e);
            abandonAll();
            return false;
        } finally {
            look.cancel(false);
        }
    }

    /**
     * Undoes all statements if the last one reported success although a cancel request was sent while it ran. Not all
     * engines report that they have obeyed: an UPDATE that was canceled may report success, and no changed row.
     */
    private void undoUnlessInterrupted(Connection connection) throws SQLException {
        if (!interrupted && !ran.isEmpty()) {
            connection.rollback();
            ran.get(ran.size() - 1).excludeFromGroups();
            abandonAll();
        }
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
            failed(member, e);
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

    /**
     * Records that the engine has undone a statement. If the statement was canceled because it delays other commits,
     * its error is not its own: a capture trigger, too, can fail because of the request.
     */
    private void failed(Member member, SQLException failure) {
        interrupted = patience.hasHappened();
        if (interrupted && !member.wasCanceled()) {
            member.notRun();
            member.excludeFromGroups();
        } else {
            member.failedShared(failure);
        }
    }

    /** Seals and commits, and returns whether the connection may be used further. */
    private boolean seal(Connection connection) {
        SharedSeal seal = new SharedSeal(commit, dialect, connection, ran);
        if (seal.run(Set.of()) == SharedSeal.Result.UNDONE) {
            abandonAll(); // each member then receives its own error
        }
        return seal.leavesConnectionUsable();
    }

    private void cancelSlowStatement() {
        try {
            if (!patience.hasHappened() && System.nanoTime() - begun > PATIENCE_NANOS) {
                patience.cancel();
            }
        } catch (SQLException e) {
            LOG.debug("a statement could not be canceled", e);
        }
    }
}
