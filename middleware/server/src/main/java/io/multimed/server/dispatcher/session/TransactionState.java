// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.session;

import io.multimed.engine.dialect.SessionState;
import io.multimed.engine.dialect.SessionWatch;
import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.TransactionModes;
import io.multimed.engine.writeset.Scn;
import io.multimed.protocol.request.SavepointRequest;
import io.multimed.protocol.response.BatchExecuted;
import io.multimed.protocol.response.Executed;
import io.multimed.protocol.response.Outcome;
import io.multimed.protocol.response.Response;
import io.multimed.protocol.session.Route;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.protocol.statement.TransactionMode;
import io.multimed.server.node.Lease;
import io.multimed.server.propagation.freshness.Dependencies;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The transaction and the connection of one session.
 *
 * <p>States: <i>free</i> (no connection) - {@link #begin} - <i>open</i> (a transaction on the node of the lease) -
 * {@link #end} - free, or <i>pinned</i> (the session keeps the connection, because the engine's session holds state of
 * the client) - begin - open. Used by one thread at a time: a session handles one request after the other.
 */
public final class TransactionState {
    /** Maximum number of results that a read-write transaction returns from a satellite. */
    private static final int MAX_TRACKED = 100;

    private final Map<String, Savepoint> savepoints = new HashMap<>();
    private @Nullable Lease lease;
    private boolean open;
    private boolean onMaster;
    private boolean failed;
    private boolean changed;
    private boolean definedTriggers;

    /** As {@link #hasReadBeforeBegin}. */
    private boolean readBeforeBegin;

    /** As {@link #hasReadElsewhere}. */
    private boolean readElsewhere;

    /** Number of rows that the statements of the transaction have changed, as far as it is known. */
    private long changedRows;

    /** As {@link #hasChangedData}. */
    private boolean changedData;

    /** Whether a statement since the last commit may have left work that the engine does at the commit. */
    private boolean deferring;

    /** Whether the engine's driver may have remembered names of types that hold in this transaction only. */
    private boolean namesTypes;

    /** Whether a statement of the transaction on the master may have done more than reading or changing rows. */
    private boolean didMore;

    /** Whether a statement of the transaction on the master may have taken values of sequences. */
    private boolean tookValues;

    /** Whether the transaction may have settings of its own, by SET LOCAL or in code that it has run. */
    private boolean mayHaveSettings;

    /** Whether the transaction runs on a satellite, and has settings there by SET LOCAL. */
    private boolean localSettings;

    /**
     * Number of statements in the transaction since {@link #seen} was set; a call counts as two, because it can consist
     * of several statements.
     */
    private int statements;

    private Scn seen = Scn.ZERO;

    /**
     * On what the results depend that a read-write transaction on a satellite has returned; null for all other
     * transactions. Bounded by {@link #MAX_TRACKED}.
     */
    private @Nullable List<Dependencies> tracked;

    /** The text of the first statement, by which the course of the transaction is predicted; null if it is not. */
    private @Nullable String predicted;

    /** Whether the transaction began on a satellite and continued on the master. */
    private boolean moved;

    private boolean pinned;

    /** Whether the state of the engine's session must be reviewed when the transaction has ended. */
    private boolean reviewDue;

    /** Whether a statement may have changed the settings of sessions that begin, since {@link #takeDefaultsChange}. */
    private boolean changesDefaults;

    /** The reason for the node of the current, or else the last, request. */
    private Route route = Route.NONE;

    /** The reason for the node of all requests of a pinned session. */
    private Route pinnedFor = Route.NONE;

    /** Knows the initial state of the engine's session; null as long as no statement could have changed the state. */
    private @Nullable SessionWatch watch;

    /**
     * Settings that the session may have changed and that the engine does not list, in the order of the last statements
     * that may have changed them. The watch removes those that are gone.
     */
    private final Set<String> settings = new LinkedHashSet<>();

    /**
     * The settings that code may change which the transaction has defined, perhaps in place of code that leaves no
     * state; null if the transaction has changed no definition.
     */
    private @Nullable Set<String> defined;

    private final SqlTransactionModes modes = new SqlTransactionModes();

    public void begin(Lease bound, boolean master) {
        lease = bound;
        open = true;
        readElsewhere |= readBeforeBegin;
        readBeforeBegin = false;
        onMaster = master;
        tracked = null;
        moved = false;
        failed = false;
        changed = false;
        mayHaveSettings = false;
        localSettings = false;
        modes.setBegunInEngine(null);
    }

    /** Records a statement of a transaction on a satellite. */
    public void ran(Classification classification) {
        mayHaveSettings |= !classification.isPureRead();
        localSettings |= classification.has(Classification.Trait.SETS_LOCALLY);
    }

    /**
     * Returns whether the transaction, which has only read, may continue on another node: each of its statements may
     * have a snapshot of its own, and it would leave nothing behind. An isolation level that the application did not
     * request is the engine's default.
     *
     * @param masterIsolation that of a transaction on the master which requests none
     * @param hasResults whether results are open that end with the transaction
     */
    public boolean mayContinueElsewhere(TransactionMode mode, int masterIsolation, boolean hasResults) {
        return mode.isolation() == 0
                && masterIsolation == Connection.TRANSACTION_READ_COMMITTED
                && !localSettings
                && !hasResults
                && !hasSavepoints();
    }

    /** Returns whether the transaction has settings on a satellite that no other node has. */
    public boolean hasLocalSettings() {
        return localSettings;
    }

    /** Returns whether statements may have other results than in other transactions. */
    public boolean mayHaveSettings() {
        return mayHaveSettings;
    }

    /**
     * Records that a transaction of one or more statements begins.
     *
     * @param scn all commits up to this SCN are in its snapshot
     */
    public void beginSnapshot(long scn) {
        seen = new Scn(scn);
        statements = 0;
        changedRows = 0;
        changedData = false;
    }

    /** Records a result that a read-write transaction has returned from a satellite. */
    public void track(Dependencies dependencies) {
        if (tracked == null) {
            tracked = new ArrayList<>();
        }
        tracked.add(dependencies);
    }

    /** Returns whether the transaction is read-write, and runs on a satellite until its first write. */
    public boolean isTracked() {
        return open && !onMaster && tracked != null;
    }

    /** Returns whether a further result can be recorded. */
    public boolean canTrack() {
        return tracked == null || tracked.size() < MAX_TRACKED;
    }

    /** Returns on what the recorded results depend. */
    public List<Dependencies> tracked() {
        return tracked == null ? List.of() : List.copyOf(tracked);
    }

    /** Records the text of the first statement, until {@link #end}; null to forget it. */
    public void predict(@Nullable String first) {
        predicted = first;
    }

    public @Nullable String predicted() {
        return predicted;
    }

    /**
     * Records that the transaction, which has read on a satellite, continues on the master with a new snapshot. Its
     * reads count as one statement.
     */
    public void moved() {
        moved = true;
        statements++;
    }

    /**
     * Returns whether the transaction has only read: a satellite alone was sufficient, or would have been if the
     * transaction had begun there.
     */
    public boolean onlyRead() {
        return open && !moved && !changed;
    }

    /** Returns an SCN up to which the snapshot of the transaction includes all commits. */
    public Scn seen() {
        return seen;
    }

    /** Counts the rows that a statement has changed; a call may have changed any number. */
    public void countChanges(Classification classification, Response response) {
        changedData |= mayChangeData(classification, response);
        if (classification.review() == Classification.Review.ALWAYS) {
            changedRows = Integer.MAX_VALUE;
        } else if (response instanceof Executed executed) {
            executed.outcomes()
                    .forEach(outcome -> changedRows += outcome instanceof Outcome.Count count ? count.rows() : 0);
        } else if (response instanceof BatchExecuted batch) {
            changedRows += batch.counts().length + Arrays.stream(batch.counts()).sum();
        }
    }

    private static boolean mayChangeData(Classification classification, Response response) {
        boolean runsCode = classification.has(Classification.Trait.MAY_CHANGE_SCHEMA)
                || classification.kind() == Classification.Kind.EFFECT
                || classification.kind() == Classification.Kind.EVERYWHERE;
        return runsCode
                || response instanceof BatchExecuted
                || (response instanceof Executed executed
                        && executed.outcomes().stream()
                                .anyMatch(outcome -> outcome instanceof Outcome.Count count && count.rows() > 0));
    }

    /**
     * Returns whether a statement of the transaction has changed rows, or may have changed other data. All of these
     * statements are queries for the engine, unlike those that set modes.
     */
    public boolean hasChangedData() {
        return changedData;
    }

    /** Returns the number of rows that the statements of the transaction have changed, as far as it is known. */
    public long changedRows() {
        return changedRows;
    }

    /** Counts a statement of the transaction. */
    public void countStatement(Classification classification) {
        statements += classification.review() == Classification.Review.ALWAYS ? 2 : 1;
        didMore |= !classification.concernsRowsOnly();
        tookValues |= classification.has(Classification.Trait.TAKES_SEQUENCE_VALUES);
    }

    /**
     * Records that the engine's session has another isolation level than sessions usually have, also after the
     * transaction.
     */
    public void changeIsolation() {
        didMore = true;
    }

    /** Returns whether the engine's session may remember values of sequences from this transaction. */
    public boolean tookSequenceValues() {
        return tookValues;
    }

    /** Returns whether all statements of the transaction on the master have only read or changed rows. */
    public boolean concernsRowsOnly() {
        return !didMore;
    }

    /** Returns whether a statement may have read data before another one changed the data. */
    public boolean mayHaveReadBefore() {
        return statements > 1;
    }

    /** Records that a statement of the transaction may have defined triggers. */
    public void defineTriggers() {
        definedTriggers = true;
    }

    public boolean hasDefinedTriggers() {
        return definedTriggers;
    }

    /** Ends the transaction. A pinned session keeps the lease; otherwise the lease belongs to the caller. */
    public void end() {
        open = false;
        failed = false;
        definedTriggers = false;
        defined = null;
        readBeforeBegin = false;
        readElsewhere = false;
        predicted = null;
        deferring = false;
        didMore = false;
        tookValues = false;
        modes.end();
        savepoints.clear();
        if (namesTypes && lease != null) {
            lease.closeOnRelease();
        }
        namesTypes = false;
        if (!pinned) {
            lease = null;
        }
    }

    /**
     * Detaches the transaction from its node and returns the lease, which then belongs to the caller. The transaction
     * continues with another lease.
     */
    public Lease detach() {
        Lease left = lease();
        lease = null;
        open = false;
        readElsewhere = true;
        return left;
    }

    public boolean hasSavepoints() {
        return !savepoints.isEmpty();
    }

    /** Records that the connection is lost, together with the transaction and the session state. */
    public void connectionLost() {
        pinned = false;
        reviewDue = false;
        settings.clear();
        watch = null;
        end();
    }

    /**
     * Keeps the lease for the session.
     *
     * @param held the state that the engine's session holds, for display
     */
    public void pin(Lease bound, List<String> held) {
        pinnedFor = new Route(Route.Reason.PINNED, String.join(", ", held));
        lease = bound;
        onMaster = true;
        pinned = true;
    }

    /** Returns whether the transaction may have left work to the engine that is done at the commit. */
    public boolean mayDefer() {
        return deferring;
    }

    /**
     * Records, before a statement runs, that the statement may add or remove state of the engine's session, or leave
     * work for the commit.
     */
    public void noteSessionEffects(Classification classification) {
        deferring |= classification.has(Classification.Trait.MAY_DEFER);
        namesTypes |= classification.has(Classification.Trait.NAMES_TYPES);
        if (classification.review() == Classification.Review.ALWAYS
                || (pinned && classification.review() == Classification.Review.IF_PINNED)) {
            reviewDue = true;
        }
        if (classification.review() != Classification.Review.NEVER) {
            noteSettings(classification.settings());
        }
        noteDefinitions(classification);
        changesDefaults |= classification.has(Classification.Trait.CHANGES_DEFAULTS);
    }

    private void noteSettings(Set<String> changed) {
        settings.removeAll(changed);
        settings.addAll(changed);
    }

    /**
     * Records what a statement defines, or that it may run what earlier ones of the transaction have defined: the
     * classification of the statement does not know of that. Which text code executes counts only for statements that
     * call code which is not known.
     */
    private void noteDefinitions(Classification classification) {
        if (!open) {
            defined = null; // of a statement that has failed
        }
        boolean runs = !classification.kind().isDispatchers() && classification.kind() != Classification.Kind.REFUSED;
        if (defined != null && runs && !classification.has(Classification.Trait.MAY_CHANGE_SCHEMA)) {
            reviewDue = true;
            noteSettings(classification.settingsAfter(defined));
        }
        if (classification.has(Classification.Trait.MAY_CHANGE_SCHEMA)) {
            defined = defined == null ? new HashSet<>() : defined;
            defined.addAll(classification.settings());
        }
    }

    /** Returns whether a statement since the last call may have changed the settings with which sessions begin. */
    public boolean takeDefaultsChange() {
        boolean changes = changesDefaults;
        changesDefaults = false;
        return changes;
    }

    public boolean isReviewDue() {
        return reviewDue;
    }

    public void reviewed() {
        reviewDue = false;
    }

    /** Starts to watch the state of the engine's session, unless it is watched already. */
    public void watch(SqlDialect dialect, Connection connection) throws SQLException {
        if (watch == null) {
            watch = dialect.sessions().watch(connection);
        }
    }

    /**
     * Returns the state that the client has left in the engine's session; empty if no statement could have left any.
     */
    public Optional<SessionState> sessionState(Connection connection) throws SQLException {
        return watch == null ? Optional.empty() : Optional.of(watch.inspect(connection, settings));
    }

    public Set<String> settings() {
        return settings;
    }

    public SqlTransactionModes modes() {
        return modes;
    }

    /** Records transaction modes that SQL has set; the mode of the open transaction remains. */
    public void declareModes(TransactionModes declared, boolean all) {
        modes.declare(declared, all, open || modes.isBegun());
    }

    /**
     * Returns whether a transaction is open here, but perhaps not in the engine, because none of its statements has
     * begun it there. Modes of all transactions would then apply to this one.
     */
    public boolean mayNotHaveBegun() {
        return open && onMaster && !modes.isBegun() && !Boolean.TRUE.equals(modes.begunInEngine());
    }

    public boolean isOpen() {
        return open;
    }

    public boolean isPinned() {
        return pinned;
    }

    public boolean isOnMaster() {
        return onMaster;
    }

    public boolean hasFailed() {
        return failed;
    }

    /** Returns whether the transaction may have changed data. */
    public boolean hasChanged() {
        return changed;
    }

    public void succeeded(boolean mayHaveChanged) {
        failed = false;
        changed |= mayHaveChanged;
    }

    public void failed() {
        failed = true;
    }

    /**
     * Returns whether the transaction has failed before a node has begun the transaction. The client can only end such
     * a transaction.
     */
    public boolean hasFailedBeforeBegin() {
        return failed && !open;
    }

    @Nullable
    public Lease leaseOrNull() {
        return lease;
    }

    public Lease lease() {
        return Objects.requireNonNull(lease);
    }

    public void savepoint(Connection connection, SavepointRequest request) throws SQLException {
        switch (request.action()) {
            case SET -> savepoints.put(request.name(), connection.setSavepoint(request.name()));
            case ROLLBACK_TO -> connection.rollback(savepoint(request.name()));
            case RELEASE -> connection.releaseSavepoint(savepoint(request.name()));
        }
    }

    private Savepoint savepoint(String name) throws SQLException {
        Savepoint savepoint = savepoints.get(name);
        if (savepoint == null) {
            throw new SQLException("savepoint \"%s\" does not exist".formatted(name), "3B001");
        }
        return savepoint;
    }

    /** Records the reason for the node of the current request. */
    public void setRoute(Route why) {
        route = why;
    }

    /** Records that the current request runs on the node to which the session is bound. */
    public void setRouteOfBound() {
        route = pinned ? pinnedFor : Route.SAME_TRANSACTION;
    }

    /**
     * Returns the status for the client.
     *
     * @param node ordinal of the node that answers
     * @param scn of the client's commit or read; 0 if unknown
     */
    public SessionStatus status(int node, long scn) {
        return status(open || modes.isBegun() || failed, true, node, scn);
    }

    /**
     * Returns the status after an answer in a transaction that no node has begun: the client need not send the end of
     * the transaction, unless SQL has begun the transaction, or has set modes that end with the transaction.
     *
     * @param node ordinal of the node that answers; {@link SessionStatus#NO_NODE} for the result cache
     * @param scn as in {@link #status(int, long)}
     */
    public SessionStatus statusBeforeBegin(int node, long scn) {
        readBeforeBegin = modes.endWithTransaction();
        return status(true, modes.endWithTransaction(), node, scn);
    }

    /**
     * Returns whether no node has begun the transaction that SQL has begun, or for which SQL has set modes, and
     * statements of it have run.
     */
    public boolean hasReadBeforeBegin() {
        return readBeforeBegin;
    }

    /** Records that statements of the transaction that SQL now begins have run although no node has begun it. */
    public void readBeforeBegin() {
        readBeforeBegin = true;
    }

    /** Records that statements of the transaction that a node has begun have run before. */
    public void readElsewhere() {
        readElsewhere = true;
    }

    /** Returns whether statements of the open transaction have run before its node has begun it. */
    public boolean hasReadElsewhere() {
        return readElsewhere;
    }

    private SessionStatus status(boolean inTransaction, boolean begunOnNode, int node, long scn) {
        return new SessionStatus(
                inTransaction,
                begunOnNode,
                failed,
                pinned,
                modes.hasNext(),
                modes.isAutoCommitOff(),
                modes.ofAll().isolation(),
                modes.ofAll().readOnly(),
                node,
                route,
                scn);
    }
}
