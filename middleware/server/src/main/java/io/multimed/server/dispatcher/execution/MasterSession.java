// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.execution;

import io.multimed.engine.dialect.SessionState;
import io.multimed.engine.extraction.SessionFate;
import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.TransactionModes;
import io.multimed.protocol.response.BatchExecuted;
import io.multimed.protocol.response.Executed;
import io.multimed.protocol.response.Response;
import io.multimed.server.dispatcher.request.Reply;
import io.multimed.server.dispatcher.request.StatementTask;
import io.multimed.server.dispatcher.session.ClientContext;
import io.multimed.server.dispatcher.session.SessionTimeZone;
import io.multimed.server.dispatcher.session.TransactionState;
import io.multimed.server.dispatcher.statement.CancellableWaits;
import io.multimed.server.dispatcher.statement.Cancellation;
import io.multimed.server.dispatcher.statement.LastGeneratedKey;
import io.multimed.server.dispatcher.statement.OpenCursors;
import io.multimed.server.node.ComputationalNode;
import io.multimed.server.node.ConnectionFailures;
import io.multimed.server.node.Lease;
import io.multimed.server.node.LeaseRequest;
import io.multimed.server.node.task.CallingThread;
import io.multimed.server.observation.Phase;
import io.multimed.server.observation.PhaseClock;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The engine session on the master that a client uses for a transaction, or longer. Sets the session's initial state,
 * reviews the remaining state, and returns or keeps the connection. Used by one thread at a time.
 */
final class MasterSession {
    /** SQLState of a connection error: the state of the transaction is not the one that the client expects. */
    private static final String ENDED_UNSEEN = "08006";

    private final long sessionId;
    private final @Nullable String role;
    private final ServerContext server;
    private final TransactionState transaction;
    private final SessionTimeZone zone;
    private final OpenCursors cursors;
    private final LastGeneratedKey lastKey;
    private final MasterReplies replies;
    private final TransactionIsolation isolation;
    private final CancellableWaits waits;
    private final PhaseClock clock;
    private final @Nullable CallingThread caller;

    MasterSession(ClientContext client, ServerContext server, MasterReplies replies) {
        this.sessionId = client.sessionId();
        this.role = client.role();
        this.server = server;
        this.transaction = client.transaction();
        this.zone = client.zone();
        this.cursors = client.cursors();
        this.lastKey = client.lastKey();
        this.replies = replies;
        this.isolation = new TransactionIsolation(client, server);
        this.clock = client.clock();
        this.caller = client.caller();
        this.waits = new CancellableWaits(client.statements().cancellation());
    }

    /**
     * Leases a connection to the master, sets the client's time zone, and uses the connection on one of the node's
     * threads.
     *
     * @param reads whether the engine must refuse all changes on the connection
     */
    void lease(StatementTask task, boolean reads, Consumer<Lease> use) {
        lease(task, reads, use, () -> {});
    }

    /** As above; if there is no connection, runs {@code otherwise} before the client is answered. */
    void lease(StatementTask task, boolean reads, Consumer<Lease> use, Runnable otherwise) {
        clock.enter(Phase.QUEUE);
        LeaseRequest request = new LeaseRequest() {
            @Override
            public @Nullable CallingThread caller() {
                return caller;
            }

            @Override
            public long session() {
                return sessionId;
            }

            @Override
            public boolean readsOnly() {
                return reads;
            }

            @Override
            public @Nullable String role() {
                return role;
            }

            @Override
            public void leased(Lease lease) {
                guard(lease, task.reply(), () -> {
                    if (setTimeZone(lease, task, otherwise)) {
                        use.accept(lease);
                    }
                });
            }

            @Override
            public void refused(SQLException cause) {
                otherwise.run();
                task.reply().send(replies.error(cause));
            }
        };
        ComputationalNode node = server.master().node();
        waits.begin(
                () -> node.lease(request),
                () -> node.withdraw(request),
                () -> request.refused(new SQLException(Cancellation.REASON, Cancellation.CANCELED)));
    }

    /**
     * Runs work on a connection. After a defect of the work, which can be one of the engine's driver, the connection is
     * closed, and the client receives an error.
     *
     * @param reply ignores all responses but the first
     */
    void guard(Lease lease, Reply reply, Runnable work) {
        clock.enter(Phase.ENGINE);
        try {
            work.run();
        } catch (RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
            lose(lease);
            reply.send(replies.failed(e));
        }
    }

    /**
     * Sets the client's time zone on the connection. If this fails, answers the client with the error and returns
     * false.
     */
    boolean setTimeZone(Lease lease, StatementTask task) {
        return setTimeZone(lease, task, () -> {});
    }

    private boolean setTimeZone(Lease lease, StatementTask task, Runnable otherwise) {
        try {
            zone.applyTo(lease.connection());
            return true;
        } catch (SQLException e) {
            undo(lease, transaction.isPinned(), e);
            otherwise.run();
            task.reply().send(replies.uncommitted(e));
            return false;
        }
    }

    /** Returns whether a statement that is a transaction by itself must change nothing. */
    boolean isReadOnlyAlone(StatementTask task) {
        return transaction.modes().isSingleStatementReadOnly()
                || (task.mode().readOnly() && server.dialect().transactions().isReadOnlyInAutoCommit());
    }

    /** Sets the modes of a transaction that consists of one statement. */
    void prepareAlone(Connection connection, StatementTask task, boolean pinned) throws SQLException {
        boolean bySql = transaction.modes().isSingleStatementReadOnly();
        boolean readOnly = !bySql && isReadOnlyAlone(task);
        if (pinned || readOnly) {
            connection.setReadOnly(readOnly); // a previous transaction may have left a pinned connection read-only
        }
        connection.setAutoCommit(false);
        isolate(connection, task);
        if (bySql) {
            server.dialect().transactions().forbidChanges(connection);
        } else if (!pinned && !readOnly && task.classification().has(Classification.Trait.CHANGES_DEFAULTS)) {
            server.dialect().transactions().allowChanges(connection); // the session may begin with a later default
        }
    }

    void prepare(Connection connection, StatementTask task) throws SQLException {
        connection.setAutoCommit(false);
        boolean bySql = transaction.modes().isReadOnly();
        connection.setReadOnly(task.mode().readOnly() && !bySql);
        isolate(connection, task);
        if (bySql) {
            server.dialect().transactions().forbidChanges(connection);
        } else if (transaction.isPinned() && transaction.modes().isReadWrite()) {
            server.dialect().transactions().allowChanges(connection);
        }
    }

    /**
     * Takes the snapshot of a transaction that has read elsewhere at REPEATABLE READ. Modes that SQL has set since its
     * begin concern later transactions only.
     */
    void prepareMoved(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        connection.setReadOnly(false);
        isolation.isolate(connection, Connection.TRANSACTION_REPEATABLE_READ);
        server.dialect().transactions().beginSnapshot(connection);
    }

    /** Sets the isolation level of the transaction that begins. */
    void isolate(Connection connection, StatementTask task) throws SQLException {
        isolation.apply(connection, task);
    }

    /** @param failure the result of {@link ConnectionFailures#actualFailure} */
    void afterError(Lease lease, Exception failure) {
        if (isBroken(failure)) {
            lose(lease);
            return;
        }
        discardIfOutdated(lease, failure);
        switch (server.dialect().errors().afterError((SQLException) failure)) {
            case FAILED -> transaction.failed();
            case GOES_ON -> transaction.succeeded(true); // what the statement did before its error may still be there
            case ROLLED_BACK -> handleRollback(lease);
        }
    }

    /** Closes the transaction's result sets, before the transaction ends. */
    void closeResults(Lease lease) {
        if (cursors.transactionEnded()) {
            lease.endStreaming();
        }
    }

    /** Handles a transaction that the engine itself has rolled back; the next statement begins another one. */
    private void handleRollback(Lease lease) {
        closeResults(lease);
        saveLastKey(lease);
        rollBack(lease);
        if (transaction.isOpen()) {
            endTransaction(lease);
        }
    }

    /** Records whether a statement that has failed, under modes of the next transaction, has begun a transaction. */
    void noteFailed(Connection connection, Exception failure) {
        if (!transaction.modes().hadNext() || isBroken(failure)) {
            return;
        }
        try {
            transaction.modes().setBegunInEngine(server.dialect().transactions().hasBegun(connection, true));
        } catch (SQLException e) {
            transaction.modes().setBegunInEngine(null);
        }
    }

    /** Runs the first statement of a transaction, and runs it again if only its prepared plan was outdated. */
    Response runFirst(Lease lease, StatementTask task, boolean whole) throws SQLException {
        Connection connection = lease.connection();
        return FirstStatement.run(server.dialect().errors(), connection, () -> {
            boolean early = !whole
                    && takesSnapshot(task)
                    && server.dialect().transactions().mayTakeUnorderedSnapshots(connection);
            if (early) {
                server.dialect().transactions().beginSnapshot(connection);
            }
            Response response = execute(lease, task, whole);
            if (early && task.classification().tables().isEmpty()) {
                transaction.modes().setBegunInEngine(null); // only the snapshot has begun the transaction
            }
            return response;
        });
    }

    /**
     * Returns whether the first statement of a transaction takes the snapshot of the whole transaction. A change or a
     * locking read does not: it must see the rows for whose locks it has waited.
     */
    private boolean takesSnapshot(StatementTask task) {
        return !task.isDescription()
                && (task.classification().changesNothing() || task.mode().readOnly())
                && isolation.mayBeOneSnapshot(task);
    }

    Response execute(Lease lease, StatementTask task, boolean whole) throws SQLException {
        Connection connection = lease.connection();
        cursors.makeRoom();
        watchIfDue(lease);
        lastKey.before(connection, task.classification());
        boolean begun = server.dialect().transactions().hasTransaction(connection);
        transaction.countStatement(task.classification());
        boolean isOwn = transaction.isPinned() || transaction.hasFailed();
        Response response;
        try {
            if (!isOwn) {
                lease.discardStalePlans();
            }
            response = task.classification().has(Classification.Trait.RESETS_SETTINGS)
                    ? server.dialect().sessions().resetting(connection, () -> task.execute(connection, whole))
                    : task.execute(connection, whole);
        } catch (SQLException e) {
            lastKey.failed();
            throw e;
        }
        transaction.modes().setBegunInEngine(server.dialect().transactions().hasBegun(connection, false));
        lastKey.after(task.classification());
        transaction.countChanges(task.classification(), response);
        if (!isOwn && task.classification().has(Classification.Trait.MAY_CHANGE_SCHEMA)) {
            lease.outdatePlans();
        }
        if (task.classification().has(Classification.Trait.CHANGES_DEFAULTS)) {
            server.schema().adoptDefaults();
        }
        if (task.classification().has(Classification.Trait.DEFINES_TRIGGER)) {
            transaction.defineTriggers();
        }
        boolean hasTransaction =
                connection.getAutoCommit() || server.dialect().transactions().hasTransaction(connection);
        if (!hasTransaction && (begun || begins(task, response))) {
            throw new SQLException(
                    "the statement has ended its transaction in a way that Multimed does not support: the connection is closed, and earlier changes of this transaction are not committed",
                    ENDED_UNSEEN);
        }
        return response;
    }

    /** Runs a statement outside of transactions, in a session that has the client's last generated key meanwhile. */
    Response executeOutside(Lease lease, StatementTask task) throws SQLException {
        lastKey.before(lease.connection(), task.classification());
        try {
            return task.execute(lease.connection(), true);
        } finally {
            lastKey.after(task.classification());
            saveLastKey(lease);
        }
    }

    /** Begins to watch the engine's session before a statement after which the session is reviewed. */
    void watchIfDue(Lease lease) throws SQLException {
        if (transaction.isReviewDue()) {
            transaction.watch(server.dialect(), lease.connection());
        }
    }

    /** Returns whether the engine's driver has begun a transaction for the statement. */
    private static boolean begins(StatementTask task, Response response) {
        return response instanceof BatchExecuted
                || (response instanceof Executed && !task.classification().has(Classification.Trait.EMPTY));
    }

    /** Closes a connection. The session's transaction is lost, too, unless it has another connection. */
    void lose(Lease lease) {
        lease.discard();
        Lease own = transaction.leaseOrNull();
        if (own != null && !own.equals(lease)) {
            return;
        }
        lastKey.left();
        cursors.transactionEnded();
        transaction.connectionLost();
        server.pins().remove(sessionId);
    }

    /**
     * Returns the expected fate of the engine's session at the end of the current transaction.
     *
     * @param mayLeave as {@link io.multimed.engine.extraction.WriteSetExtractor#leavesSessions}
     */
    SessionFate fate(boolean mayLeave) {
        if (mayLeave
                && role == null
                && transaction.concernsRowsOnly()
                && !transaction.isPinned()
                && !transaction.isReviewDue()) {
            return SessionFate.unchanged(transaction.tookSequenceValues());
        }
        return new SessionFate(transaction.isPinned() || transaction.isReviewDue(), transaction.isReviewDue());
    }

    /**
     * Reviews the session after the transaction, when the engine has reported the state of its session: also state that
     * no statement of the client announced.
     */
    void settle(Lease lease, SessionFate fate) {
        if (!fate.isHeld()) {
            settle(lease);
            return;
        }
        try {
            transaction.watch(server.dialect(), lease.connection());
            review(lease);
        } catch (SQLException e) {
            lose(lease);
        }
    }

    /**
     * Returns the connection after the transaction, or keeps it as long as the engine's session holds state of the
     * client.
     */
    void settle(Lease lease) {
        if (transaction.isReviewDue()) {
            review(lease);
        } else if (!transaction.isPinned()) {
            lease.release();
        }
    }

    private void review(Lease lease) {
        transaction.reviewed();
        try {
            List<String> held = held(lease.connection());
            if (!held.isEmpty()) {
                transaction.pin(lease, held);
                server.pins().add(sessionId, held);
            } else if (transaction.isPinned()) {
                lastKey.leave(lease.connection());
                lose(lease);
            } else {
                transaction.connectionLost();
                lease.markSessionChanged(); // code of users may have left what the engine does not list
                lease.release();
            }
        } catch (SQLException e) {
            lose(lease);
        }
    }

    private List<String> held(Connection connection) throws SQLException {
        SessionState left = transaction.sessionState(connection).orElse(null);
        if (left == null) {
            return List.of();
        }
        zone.set(left.zone());
        if (left.readOnly()) {
            transaction.declareModes(new TransactionModes(true, 0, false), true);
        }
        List<String> held = left.held();
        return held.isEmpty() && transaction.settings().contains(Classification.ANY_SETTING)
                ? List.of("settings")
                : held;
    }

    void saveLastKey(Lease lease) {
        if (!transaction.isPinned()) {
            lastKey.leave(lease.connection());
        }
    }

    /** Undoes the transaction after a failure. A broken connection is not used again. */
    void undo(Lease lease, boolean pinned, Exception failure) {
        discardIfOutdated(lease, failure);
        if (isBroken(failure)) {
            lose(lease);
        } else if (pinned || transaction.isReviewDue()) {
            saveLastKey(lease);
            rollBack(lease);
            settle(lease);
        } else {
            lastKey.leave(lease.connection());
            lease.markSessionChanged(); // the undone statements may have taken session locks
            lease.release();
        }
    }

    private void discardIfOutdated(Lease lease, Exception failure) {
        if (isOutdated(failure)) {
            lease.closeOnRelease();
            server.schema().renewConnections();
        }
    }

    /** Returns whether the statement could succeed on another connection. */
    boolean isOutdated(Exception failure) {
        return failure instanceof SQLException sql && server.dialect().errors().isOutdatedConnection(sql);
    }

    /**
     * Returns whether the connection must not be used again. After a defect the engine's driver may have left its
     * connection between two messages.
     */
    boolean isBroken(Exception failure) {
        return !(failure instanceof SQLException sql)
                || server.dialect().errors().isConnectionFailure(sql);
    }

    /** Rolls back. The engine does not release session locks that a function or a trigger has taken. */
    void rollBack(Lease lease) {
        try {
            if (transaction.hasChanged() || transaction.hasFailed()) {
                lease.markSessionChanged();
            }
            if (!lease.connection().getAutoCommit()) {
                lease.connection().rollback();
            }
        } catch (SQLException e) {
            lose(lease);
        }
    }

    /** Ends the transaction of a single read. */
    void endRead(Connection connection) throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.commit();
        }
    }

    void endTransaction(Lease lease) {
        transaction.end();
        settle(lease);
    }
}
