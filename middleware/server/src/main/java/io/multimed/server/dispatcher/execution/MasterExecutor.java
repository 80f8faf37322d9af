// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.execution;

import io.multimed.engine.dialect.ErrorClassifier.AfterError;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.writeset.Scn;
import io.multimed.protocol.response.Response;
import io.multimed.protocol.session.Route;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.server.dispatcher.request.Reply;
import io.multimed.server.dispatcher.request.StatementTask;
import io.multimed.server.dispatcher.session.ClientContext;
import io.multimed.server.dispatcher.session.TransactionState;
import io.multimed.server.dispatcher.statement.OpenCursors;
import io.multimed.server.node.ComputationalNode;
import io.multimed.server.node.ConnectionFailures;
import io.multimed.server.node.Lease;
import io.multimed.server.observation.Phase;
import io.multimed.server.observation.PhaseClock;
import io.multimed.server.propagation.commit.Publisher;
import io.multimed.server.propagation.freshness.Dependencies;
import io.multimed.server.propagation.freshness.TableScns;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs one client's statements on the master.
 *
 * <p>The end of a transaction is answered only when all commit groups are published that were committing, or not yet
 * durable, at its last statement (architecture 4.2). Statements inside a transaction are answered immediately.
 */
public final class MasterExecutor {
    private final ServerContext server;
    private final TransactionState transaction;
    private final OpenCursors cursors;
    private final MasterReplies replies;
    private final MasterSession session;
    private final CommitExecutor commits;
    private final DdlExecutor ddl;
    private final GroupExecutor groups;
    private final PhaseClock clock;

    /** The task that is being repeated; null if the last task was not repeated. */
    private @Nullable StatementTask repeated;

    MasterExecutor(ClientContext client, ServerContext server) {
        this.server = server;
        this.transaction = client.transaction();
        this.cursors = client.cursors();
        this.replies = new MasterReplies(client, server);
        this.session = new MasterSession(client, server, replies);
        this.commits = new CommitExecutor(client, server, session, replies);
        this.ddl = new DdlExecutor(client, server, session, commits, replies);
        this.groups = new GroupExecutor(client, server, replies);
        this.clock = client.clock();
    }

    /** Runs a task that no transaction binds; the task may begin a transaction. */
    public void executeOnMaster(StatementTask task) {
        boolean alone = task.mode().autoCommit()
                && !session.isReadOnlyAlone(task)
                && !transaction.modes().hadNext();
        if (!alone || !groups.executeInGroup(task, () -> runOutsideGroup(task))) {
            runOutsideGroup(task);
        }
    }

    private void runOutsideGroup(StatementTask task) {
        if (!task.mode().autoCommit()) {
            session.lease(task, false, lease -> begin(lease, task));
        } else if (isReadAlone(task)) {
            alone(task);
        } else {
            update(task);
        }
    }

    /**
     * Returns whether a statement that is a transaction by itself runs as a read. Under the access mode of the next
     * transaction it does not, because only in a transaction the engine reports whether the statement has begun it.
     */
    private boolean isReadAlone(StatementTask task) {
        return task.classification().changesNothing()
                && (task.isDescription() || !transaction.modes().hadNextAccess());
    }

    private void update(StatementTask task) {
        session.lease(task, false, lease -> updateAlone(lease, task, false));
    }

    /** Runs a read on a connection of its own, regardless of the session's transaction. */
    public void alone(StatementTask task) {
        session.lease(task, true, lease -> readAlone(lease, task, false));
    }

    /**
     * Runs a statement that the engine executes only outside of transactions; its schema change is sent to the
     * satellites immediately afterwards.
     */
    public void runOutsideTransaction(StatementTask task) {
        ddl.executeDdl(task);
    }

    /** Runs a task on the session's connection to the master. */
    public void runOn(Lease lease, StatementTask task) {
        session.guard(lease, task.reply(), () -> runUnguarded(lease, task));
    }

    private void runUnguarded(Lease lease, StatementTask task) {
        if (transaction.isOpen()) {
            runInTransaction(lease, task, false, 0);
        } else if (session.setTimeZone(lease, task)) {
            runPinned(lease, task);
        }
    }

    private void runPinned(Lease lease, StatementTask task) {
        if (task.mode().autoCommit()) {
            runAlone(lease, task, true);
        } else {
            begin(lease, task);
        }
    }

    private void begin(Lease lease, StatementTask task) {
        long seen = server.published().value();
        transaction.begin(lease, true);
        transaction.beginSnapshot(seen);
        if (task.mode().hasRead()) {
            transaction.readElsewhere();
        }
        try {
            session.prepare(lease.connection(), task);
        } catch (SQLException e) {
            session.lose(lease);
            task.reply().send(replies.uncommitted(e));
            return;
        }
        runInTransaction(lease, task, true, seen);
    }

    /**
     * Continues a read-write transaction that has only read on a satellite. The master takes a snapshot; when
     * everything is published that this snapshot may show, the stamps tell whether the results of the transaction are
     * also those of the new snapshot (architecture 4.1).
     *
     * @param read on what the results of the transaction depend
     * @param snapshot an SCN that the snapshot on the satellite includes
     */
    public void move(StatementTask task, List<Dependencies> read, Scn snapshot) {
        // without a connection nothing of the transaction is left: the next statement must not begin another one
        session.lease(task, false, lease -> move(lease, task, read, snapshot), transaction::end);
    }

    private void move(Lease lease, StatementTask task, List<Dependencies> read, Scn snapshot) {
        long seen = server.published().value();
        transaction.begin(lease, true);
        transaction.beginSnapshot(seen);
        transaction.moved();
        try {
            session.prepareMoved(lease.connection());
        } catch (SQLException e) {
            session.lose(lease);
            task.reply().send(replies.uncommitted(e));
            return;
        }
        clock.enter(Phase.PUBLISH);
        server.master()
                .visibilityBarrier()
                .whenPublished(
                        () -> lease.submit(() -> session.guard(
                                lease, task.reply(), () -> continueIfUnchanged(lease, task, read, snapshot, seen))),
                        () -> lease.submit(() -> session.guard(lease, task.reply(), () -> {
                            session.lose(lease);
                            task.reply().send(replies.lost());
                        })));
    }

    private void continueIfUnchanged(
            Lease lease, StatementTask task, List<Dependencies> read, Scn snapshot, long seen) {
        TableScns scns = publisher().tableScns();
        if (read.stream().allMatch(each -> scns.holds(each, snapshot))) {
            runInTransaction(lease, task, false, seen);
            return;
        }
        session.rollBack(lease);
        session.endTransaction(lease);
        task.reply().send(replies.uncommitted(server.dialect().errors().snapshotConflict()));
    }

    /**
     * @param first whether the task is the first statement of the transaction
     * @param seen for the first statement, an SCN that the transaction's snapshot includes; otherwise 0
     */
    private void runInTransaction(Lease lease, StatementTask task, boolean first, long seen) {
        Response response;
        if (task.isDescription()) {
            lease.markSessionChanged(); // code of users may have run, although nothing of the statement has
        }
        try {
            Response result = first ? session.runFirst(lease, task, false) : session.execute(lease, task, false);
            if (!task.isDescription()) { // which the driver may have answered without the engine
                transaction.succeeded(!task.classification().leavesNothingToCommit());
            }
            replies.count(task);
            response = result.withStatus(replies.status(seen));
        } catch (SQLException | RuntimeException e) {
            response = failed(lease, e);
        }
        task.reply().send(response);
    }

    /**
     * Handles a failure in the open transaction: determines the remaining state of the transaction and returns the
     * response for the client.
     */
    public Response failed(Lease lease, Exception error) {
        Exception failure = ConnectionFailures.actualFailure(lease, error);
        session.afterError(lease, failure);
        return replies.uncommitted(failure);
    }

    private void runAlone(Lease lease, StatementTask task, boolean pinned) {
        if (isReadAlone(task)) {
            readAlone(lease, task, pinned);
        } else {
            updateAlone(lease, task, pinned);
        }
    }

    private void readAlone(Lease lease, StatementTask task, boolean pinned) {
        int opened = cursors.opened();
        long losses = publisher().lossCount();
        Response response;
        if (!pinned) {
            task.markSession(lease);
        }
        try {
            Response result =
                    pinned ? readPinned(lease, task) : task.execute(lease.connection(), !cursors.mayKeep(lease));
            node().reads().increment();
            response = result.withStatus(replies.status(0));
            if (!pinned && !cursors.adopt(lease, opened)) {
                lease.release();
            }
        } catch (SQLException | RuntimeException e) {
            Exception failure = ConnectionFailures.actualFailure(lease, e);
            session.undo(lease, pinned, failure);
            if (hasTriedToWrite(task, failure)) {
                runAsUpdate(lease, task, pinned);
                return;
            }
            if (mayRunAgain(task, pinned, failure)) {
                alone(task);
                return;
            }
            response = replies.uncommitted(failure);
        }
        Response answer = response;
        clock.enter(Phase.PUBLISH);
        server.master()
                .visibilityBarrier()
                .whenPublished(
                        // the master may have crashed and recovered between the read and now
                        () -> task.reply().send(publisher().lossCount() == losses ? answer : replies.lost()),
                        () -> task.reply().send(replies.lost()));
    }

    /** Runs a read on the client's pinned connection, on which the engine does not refuse changes otherwise. */
    private Response readPinned(Lease lease, StatementTask task) throws SQLException {
        if (task.isDescription()) {
            server.dialect().transactions().beginDescription(lease.connection());
        } else {
            server.dialect().transactions().beginRead(lease.connection());
        }
        Response result = task.execute(lease.connection(), true);
        session.endRead(lease.connection());
        return result;
    }

    /**
     * Returns whether a statement that was classified as a read tried to write, because the proof or the declaration of
     * a function was wrong. The application did not request a read-only transaction.
     */
    private boolean hasTriedToWrite(StatementTask task, Exception failure) {
        return failure instanceof SQLException refusal
                && server.dialect().errors().isReadOnlyRefusal(refusal)
                && task.classification().changesNothing()
                && !task.isDescription()
                && !task.mode().readOnly()
                && !transaction.modes().isSingleStatementReadOnly();
    }

    private void runAsUpdate(Lease lease, StatementTask task, boolean pinned) {
        transaction.setRoute(Route.UPDATE);
        if (pinned && transaction.isPinned()) {
            updateAlone(lease, task, true);
        } else {
            update(task);
        }
    }

    private void updateAlone(Lease lease, StatementTask task, boolean pinned) {
        transaction.beginSnapshot(server.published().value());
        Response result;
        try {
            session.prepareAlone(lease.connection(), task, pinned);
            result = session.runFirst(lease, task, true);
        } catch (SQLException | RuntimeException e) {
            Exception failure = ConnectionFailures.actualFailure(lease, e);
            if (isPartlyDone(failure)) {
                replies.count(task);
                session.saveLastKey(lease);
                commits.order(lease, task.receipt(), task.reply(), false, status -> replies.error(e, status));
                return;
            }
            session.noteFailed(lease.connection(), failure);
            session.undo(lease, pinned, failure);
            if (mayRunAgain(task, pinned, failure)) {
                update(task);
                return;
            }
            replies.replyWhenPublished(task.reply(), replies.uncommitted(failure));
            return;
        }
        replies.count(task);
        session.saveLastKey(lease);
        commits.order(lease, task.receipt(), task.reply(), false, status -> result.withStatus(status));
    }

    /**
     * Returns whether the statement may run again, once and on another connection: the first execution had no effect,
     * and its connection had outdated schema information.
     */
    private boolean mayRunAgain(StatementTask task, boolean pinned, Exception failure) {
        boolean again = !pinned && !task.equals(repeated) && session.isOutdated(failure);
        repeated = again ? task : null;
        return again;
    }

    /**
     * Returns whether a batch has failed in part, and the engine keeps the statements that succeeded. These are then
     * committed, as on the engine without Multimed.
     */
    private boolean isPartlyDone(Exception failure) {
        return failure instanceof BatchUpdateException batch
                && !session.isBroken(batch)
                && server.dialect().errors().afterError(batch) == AfterError.GOES_ON;
    }

    /** Commits the open transaction. */
    public void commit(Lease lease, Receipt receipt, Reply reply, Function<SessionStatus, Response> answer) {
        session.closeResults(lease);
        session.saveLastKey(lease);
        if (transaction.hasFailed() || !transaction.hasChanged()) {
            commitUnordered(lease, reply, answer);
        } else {
            commits.order(lease, receipt, reply, false, answer);
        }
    }

    /** Commits a transaction that changed nothing, or has failed: the engine decides how the transaction ends. */
    private void commitUnordered(Lease lease, Reply reply, Function<SessionStatus, Response> answer) {
        Response response;
        if (transaction.hasFailed()) {
            lease.markSessionChanged();
        }
        try {
            lease.connection().commit();
            session.endTransaction(lease);
            response = answer.apply(replies.status(0));
        } catch (SQLException e) {
            session.rollBack(lease);
            session.endTransaction(lease);
            response = replies.uncommitted(e);
        }
        replies.replyWhenPublished(reply, response);
    }

    public void rollback(Lease lease, Reply reply, Function<SessionStatus, Response> answer) {
        session.closeResults(lease);
        session.saveLastKey(lease);
        session.rollBack(lease);
        session.endTransaction(lease);
        replies.replyWhenPublished(reply, answer.apply(replies.status(0)));
    }

    /** Runs the end of a transaction; see {@link MasterSession#guard}. */
    public void guard(Lease lease, Reply reply, Runnable end) {
        session.guard(lease, reply, end);
    }

    private Publisher publisher() {
        return server.master().publisher();
    }

    private ComputationalNode node() {
        return server.master().node();
    }
}
