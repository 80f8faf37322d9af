// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.routing;

import io.multimed.engine.sql.Classification;
import io.multimed.protocol.session.Route;
import io.multimed.protocol.statement.TransactionMode;
import io.multimed.protocol.value.Parameter;
import io.multimed.server.dispatcher.request.StatementTask;
import io.multimed.server.dispatcher.session.ClientContext;
import io.multimed.server.dispatcher.session.PinnedSessions;
import io.multimed.server.dispatcher.session.TransactionState;
import io.multimed.server.dispatcher.statement.OpenCursors;
import io.multimed.server.dispatcher.statement.TimeIndependentParameters;
import io.multimed.server.node.Lease;
import java.sql.Connection;
import java.util.List;

/**
 * Decides where and how each statement of one client runs, from its classification and the state of the session (paper
 * §3.3.2, architecture 4.1). Changes no state. Used by one thread at a time.
 */
public final class StatementRouter {
    private static final String IN_TRANSACTION = "25001";
    private static final String IN_FAILED = "25P02";
    private static final String NOT_SUPPORTED = "0A000";
    private static final String SYNTAX_ERROR = "42601";
    private static final String TOO_MANY_CONNECTIONS = "53300";

    private static final String UNBEGUN =
            "transaction modes cannot be set here through Multimed, because the open transaction may have read no table yet, and the modes would apply to it: COMMIT first";

    private static final String SWITCHED_BY_JDBC =
            "SQL cannot switch auto-commit on through Multimed after Connection.setAutoCommit(false): call setAutoCommit(true)";

    private final TransactionState transaction;
    private final OpenCursors cursors;
    private final PinnedSessions pins;
    private final int masterIsolation;
    private final boolean readsBeforeWrite;
    private final boolean catalogOnSatellites;

    /**
     * @param masterIsolation the isolation level of a transaction on the master that requests none
     * @param readsBeforeWrite whether reads of a read-write transaction may run on satellites until its first write
     * @param catalogOnSatellites whether satellites have the catalog of the master
     */
    public StatementRouter(
            ClientContext client,
            PinnedSessions pins,
            int masterIsolation,
            boolean readsBeforeWrite,
            boolean catalogOnSatellites) {
        this.transaction = client.transaction();
        this.cursors = client.cursors();
        this.pins = pins;
        this.masterIsolation = masterIsolation;
        this.readsBeforeWrite = readsBeforeWrite;
        this.catalogOnSatellites = catalogOnSatellites;
    }

    /**
     * Returns whether the engine would commit the open transaction before the statement. That commit must go through
     * the commit order.
     */
    public boolean commitsFirst(StatementTask task) {
        return isInTransaction() && task.classification().has(Classification.Trait.COMMITS_BEFORE);
    }

    /**
     * Returns whether a pure read may run before a node begins its read-write transaction. The isolation level must be
     * READ COMMITTED, so that each statement has a snapshot of its own. The result must depend on rows only, and not on
     * the time at which the transaction began, or on its settings.
     *
     * @param mode of the statement's transaction
     */
    public boolean mayRunBeforeBegin(Classification classification, TransactionMode mode, List<Parameter> parameters) {
        return isReadOfReadWrite(classification, mode)
                && isReadCommitted(mode)
                && !transaction.isOpen()
                && TimeIndependentParameters.areAll(parameters);
    }

    /**
     * Returns whether a pure read may run on a satellite in its read-write transaction, which keeps one snapshot. The
     * transaction then begins there, or has only read there until now.
     *
     * @param mode of the statement's transaction
     */
    public boolean mayPrecedeWrites(Classification classification, TransactionMode mode) {
        return isReadOfReadWrite(classification, mode)
                && isolation(mode) == Connection.TRANSACTION_REPEATABLE_READ
                && (!transaction.isOpen() || transaction.isTracked());
    }

    /** Returns whether the statement is a pure read with a known footprint, in a read-write transaction. */
    private boolean isReadOfReadWrite(Classification classification, TransactionMode mode) {
        return readsBeforeWrite
                && classification.isPureRead()
                && classification.footprint() != null
                && !classification.hints().master()
                && !mode.autoCommit()
                && !mode.readOnly()
                && !transaction.isPinned();
    }

    /** Returns whether a statement of a read-write transaction runs on the satellite on which all earlier ones ran. */
    private boolean mayStayOnSatellite(StatementTask task) {
        Lease lease = transaction.leaseOrNull();
        return task.tracked() != null && transaction.canTrack() && lease != null && !lease.isRevoked();
    }

    private int isolation(TransactionMode mode) {
        return mode.isolation() == 0 ? masterIsolation : mode.isolation();
    }

    private boolean isReadCommitted(TransactionMode mode) {
        return isolation(mode) == Connection.TRANSACTION_READ_COMMITTED;
    }

    public StatementPlan plan(StatementTask task) {
        Classification classification = task.classification();
        return transaction.hasFailedBeforeBegin() && !mayFollowFailure(classification.kind())
                ? refuseAfterFailure()
                : plan(task, classification);
    }

    private StatementPlan plan(StatementTask task, Classification classification) {
        return switch (classification.kind()) {
            case PURE_READ, QUERY -> locate(task);
            case MASTER -> master(task);
            case CATALOG -> catalog(task);
            case EFFECT -> onMaster(task, "this query calls functions that may change something");
            case NON_TRANSACTIONAL -> outsideTransaction(task);
            case EVERYWHERE -> new StatementPlan.RunOnAllNodes(onMaster(task, "this statement runs on every node"));
            case SESSION_STATE -> inSession(task);
            case SAME_SESSION -> inSameSession(task);
            case DISCARD_ALL ->
                isInTransaction() ? refuseInTransaction(classification) : new StatementPlan.DiscardSession();
            case BEGIN -> begin(task, classification);
            case NEXT_TRANSACTION ->
                isInTransaction() || task.mode().hasRead()
                        ? refuseInTransaction(classification)
                        : new StatementPlan.DeclareModes(classification.modes(), false);
            case ALL_TRANSACTIONS ->
                transaction.mayNotHaveBegun()
                        ? new StatementPlan.Refuse(UNBEGUN, NOT_SUPPORTED)
                        : new StatementPlan.DeclareModes(classification.modes(), true);
            case AUTOCOMMIT_OFF -> new StatementPlan.SwitchAutoCommit(false);
            case AUTOCOMMIT_ON -> autoCommitOn(task.mode());
            case COMMIT -> new StatementPlan.Commit();
            case ROLLBACK -> new StatementPlan.Rollback();
            case NOTHING -> new StatementPlan.Acknowledge();
            case SHOW_STATUS, EXPLAIN_ROUTE -> new StatementPlan.ShowStatus();
            case ADMINISTER -> new StatementPlan.Administer();
            case REFUSED -> refuse(classification);
        };
    }

    /**
     * Plans a statement that is not known to be a query. In a read-only transaction on a satellite, it runs there
     * unless it depends on the session, which is another one there. What it leaves in the transaction (a setting, a
     * cursor, a savepoint) would be lost if the transaction moved to the master afterwards: it moves before, if it can.
     */
    private StatementPlan master(StatementTask task) {
        Classification classification = task.classification();
        if (!isReadingOnSatellite()) {
            return locate(task);
        }
        if (classification.has(Classification.Trait.DEPENDS_ON_SESSION)) {
            return onMaster(task, "the result of this statement depends on the session or on the node");
        }
        if (classification.has(Classification.Trait.SHOWS_SETTINGS) && !transaction.hasLocalSettings()) {
            return new StatementPlan.ReadCatalog();
        }
        boolean leaves = classification.has(Classification.Trait.SETS_LOCALLY)
                || classification.has(Classification.Trait.NEEDS_TRANSACTION);
        return leaves && mayMove(task.mode()) ? continueOnMaster(task) : locate(task);
    }

    /**
     * Plans a query on the catalog. The master answers it outside of the transaction, unless the result depends on the
     * transaction: on its snapshot or its settings.
     */
    private StatementPlan catalog(StatementTask task) {
        if (!isReadingOnSatellite()) {
            return locate(task);
        }
        boolean depends = task.classification().has(Classification.Trait.READS_ROWS) || transaction.hasLocalSettings();
        return depends
                ? onMaster(task, "this query reads the catalog or the session together with rows or settings")
                : new StatementPlan.ReadCatalog();
    }

    /** Returns whether a read-only transaction is open on a satellite, and can execute statements. */
    private boolean isReadingOnSatellite() {
        return isOnSatellite() && !transaction.isTracked() && !transaction.hasFailed();
    }

    private StatementPlan continueOnMaster(StatementTask task) {
        return new StatementPlan.ContinueOnMaster(new StatementPlan.RunOnMaster(whyMaster(task)));
    }

    /** Returns the plan for the description of a statement, which is refused where the statement is. */
    public StatementPlan planDescription(Classification statement) {
        boolean refused = statement.kind() == Classification.Kind.REFUSED
                || (statement.kind() == Classification.Kind.SAME_SESSION && transaction.leaseOrNull() == null);
        return refused && !transaction.hasFailedBeforeBegin() ? refuse(statement) : planCatalog();
    }

    /**
     * Returns the plan for a query on the catalog. Such a query runs on the connection that sees the session's own
     * tables and changes.
     */
    public StatementPlan planCatalog() {
        return plan(catalogOnSatellites);
    }

    /** Returns the plan for a question about the master's server, as for {@link #planCatalog}. */
    public StatementPlan planServer() {
        return plan(false);
    }

    private StatementPlan plan(boolean onSatellite) {
        if (transaction.hasFailedBeforeBegin()) {
            return refuseAfterFailure();
        }
        boolean bound = transaction.isOpen() ? onSatellite || transaction.isOnMaster() : transaction.isPinned();
        if (bound) {
            return new StatementPlan.RunWhereBound();
        }
        return onSatellite ? new StatementPlan.ReadOnSatellite() : new StatementPlan.ReadCatalog();
    }

    /** Returns the plan for a task that belongs to the open transaction, or else begins one. */
    public StatementPlan locate(StatementTask task) {
        if (transaction.hasFailedBeforeBegin()) {
            return refuseAfterFailure();
        }
        if (transaction.isTracked() && !transaction.hasFailed() && !mayStayOnSatellite(task)) {
            return new StatementPlan.MoveToMaster(whyMaster(task));
        }
        boolean master = task.classification().hints().master();
        if (transaction.isOpen() || transaction.isPinned()) {
            return master && isOnSatellite() && !transaction.hasFailed() && mayMove(task.mode())
                    ? new StatementPlan.ContinueOnMaster(new StatementPlan.RunOnMaster(Route.HINT))
                    : new StatementPlan.RunWhereBound();
        }
        if (master && task.isRead()) {
            return new StatementPlan.RunOnMaster(Route.HINT);
        }
        if (task.isRead() && task.isNextTransaction() && transaction.modes().hasNextAccess()) {
            return new StatementPlan.RunOnMaster(Route.SESSION); // which tells whether the modes remain
        }
        return task.isRead() ? new StatementPlan.ReadOnSatellite() : new StatementPlan.RunOnMaster(whyMaster(task));
    }

    /** Returns the reason why the statement begins a transaction on the master. */
    private Route whyMaster(StatementTask task) {
        Route why = task.whyMaster();
        if (!readsBeforeWrite || !why.equals(Route.NOT_READ_ONLY)) {
            return why;
        }
        return new Route(
                Route.Reason.NOT_READ_ONLY,
                isReadCommitted(task.mode())
                        ? "its result may depend on more than rows, or ends with the transaction"
                        : "transactions that begin with it usually write, or its result may depend on more than rows");
    }

    private StatementPlan outsideTransaction(StatementTask task) {
        boolean transacted = transaction.isOpen() || !task.mode().autoCommit();
        return transacted && !task.classification().has(Classification.Trait.COMMITS_BEFORE)
                ? locate(task) // the engine reports that the statement cannot run in a transaction
                : new StatementPlan.RunOutsideTransaction();
    }

    private StatementPlan inSession(StatementTask task) {
        if (!transaction.isPinned() && pins.isFull()) {
            return new StatementPlan.Refuse(
                    "too many clients keep a connection of the master's for their session state (%s): raise the master's pool, or end the state by DISCARD ALL"
                            .formatted(pins.summary()),
                    TOO_MANY_CONNECTIONS);
        }
        return onMaster(task, "this statement changes the engine's session");
    }

    /**
     * Plans a query on state of the engine's session, which only the client's own connection can answer. A transaction
     * that would move for the query would leave that state behind. After a commit, the last value of a sequence in
     * the session is not the client's.
     */
    private StatementPlan inSameSession(StatementTask task) {
        boolean left = transaction.leaseOrNull() == null || transaction.isTracked();
        boolean committed = task.classification().has(Classification.Trait.ASKS_LAST_VALUE) && !transaction.isOpen();
        return left || committed ? refuse(task.classification()) : locate(task);
    }

    /**
     * Plans a statement that only the master can run. A read-only transaction that has read on a satellite continues on
     * the master, if each of its statements may have a snapshot of its own.
     */
    private StatementPlan onMaster(StatementTask task, String why) {
        if (!isReadingOnSatellite()) {
            return locate(task);
        }
        return mayMove(task.mode())
                ? continueOnMaster(task)
                : new StatementPlan.Refuse(
                        why
                                + ": not within a read-only transaction on a satellite with a snapshot, settings of its own, open results or savepoints; use READ COMMITTED, or do not call setReadOnly",
                        NOT_SUPPORTED);
    }

    /**
     * Returns whether the transaction may continue on another node. An isolation level that the application did not
     * request is the engine's default.
     */
    private boolean mayMove(TransactionMode mode) {
        return transaction.mayContinueElsewhere(mode, masterIsolation, cursors.dependOnTransaction());
    }

    /** Plans BEGIN. Inside a transaction the engine itself answers a second BEGIN. */
    private StatementPlan begin(StatementTask task, Classification classification) {
        if (transaction.isOpen()) {
            return locate(task);
        }
        int asked = classification.modes().isolation();
        boolean hasRead = transaction.hasReadBeforeBegin() || task.mode().hasRead();
        if (hasRead && asked != 0 && asked != isolation(task.mode())) {
            return new StatementPlan.Refuse(
                    "ERROR: SET TRANSACTION ISOLATION LEVEL must be called before any query", IN_TRANSACTION);
        }
        return classification.modes().snapshot()
                ? new StatementPlan.BeginWithSnapshot(classification.modes())
                : new StatementPlan.Begin(classification.modes());
    }

    /** Plans the switch of auto-commit to on, which changes nothing inside a transaction that BEGIN has opened. */
    private StatementPlan autoCommitOn(TransactionMode mode) {
        if (transaction.modes().isAutoCommitOff()) {
            return new StatementPlan.SwitchAutoCommit(true);
        }
        if (transaction.modes().isBegun()) {
            return new StatementPlan.Acknowledge();
        }
        return mode.autoCommit()
                ? new StatementPlan.SwitchAutoCommit(true)
                : new StatementPlan.Refuse(SWITCHED_BY_JDBC, NOT_SUPPORTED);
    }

    /** Returns whether an engine would execute the statement in a transaction that has failed. */
    private static boolean mayFollowFailure(Classification.Kind kind) {
        return switch (kind) {
            case COMMIT, ROLLBACK, SHOW_STATUS, EXPLAIN_ROUTE, ADMINISTER -> true;
            default -> false;
        };
    }

    private static StatementPlan refuseAfterFailure() {
        return new StatementPlan.Refuse(
                "ERROR: current transaction is aborted, commands ignored until end of transaction block", IN_FAILED);
    }

    private static StatementPlan refuse(Classification classification) {
        boolean malformed = classification.has(Classification.Trait.MALFORMED);
        return new StatementPlan.Refuse(classification.refusal(), malformed ? SYNTAX_ERROR : NOT_SUPPORTED);
    }

    private static StatementPlan refuseInTransaction(Classification classification) {
        return new StatementPlan.Refuse(classification.refusal(), IN_TRANSACTION);
    }

    private boolean isInTransaction() {
        return transaction.isOpen() || transaction.modes().isBegun() || transaction.hasReadBeforeBegin();
    }

    private boolean isOnSatellite() {
        return transaction.isOpen() && !transaction.isOnMaster();
    }
}
