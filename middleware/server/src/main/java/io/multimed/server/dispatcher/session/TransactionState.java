package io.multimed.server.dispatcher.session;

import io.multimed.engine.dialect.SessionState;
import io.multimed.engine.dialect.SessionWatch;
import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.TransactionModes;
import io.multimed.engine.writeset.Scn;
import io.multimed.protocol.SavepointRequest;
import io.multimed.protocol.session.Route;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.protocol.statement.TransactionMode;
import io.multimed.server.node.Lease;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a session is bound to.
 *
 * <p>States: <i>free</i> (no connection) - {@link #begin} - <i>open</i> (a transaction on the lease's node) - {@link #end} - free, or <i>pinned</i> (the
 * connection stays because the engine's session holds state of the client's) - begin - open. Used by one thread at a time: a session handles one request after the other.
 */
public final class TransactionState {
    private final Map<String, Savepoint> savepoints = new HashMap<>();
    private @Nullable Lease lease;
    private boolean open;
    private boolean onMaster;
    private boolean failed;
    private boolean changed;

    /** Number of statements in the transaction since {@link #seen} was set; a call counts as two. */
    private int statements;

    private Scn seen = Scn.ZERO;
    private boolean pinned;

    /** The engine's session is looked at when the transaction has ended. */
    private boolean reviewDue;

    /** Why the request that is handled, or was last, runs where it does. */
    private Route route = Route.NONE;

    /** The same for all that a pinned session runs. */
    private Route pinnedFor = Route.NONE;

    /** Knows how the engine's session was before; null while no statement has run that may change it. */
    private @Nullable SessionWatch watch;

    /** What the session may have set that the engine does not list by itself. */
    private final Set<String> settings = new HashSet<>();

    /** The application opened it by an SQL BEGIN: auto-commit is off until its COMMIT. */
    private boolean begunBySql;

    /** What SQL said of the transaction that it opened. */
    private TransactionModes ofThis = TransactionModes.NONE;

    /** What SQL said of the next transaction; it counts until that one ends. */
    private TransactionModes ofNext = TransactionModes.NONE;

    /** What SQL said of all transactions. */
    private TransactionModes ofAll = TransactionModes.NONE;

    /** What SQL said of the last statement that was a transaction by itself: that it may change nothing. */
    private boolean readOnlyAlone;

    /** SQL has switched auto-commit off. */
    private boolean manualBySql;

    public void begin(Lease bound, boolean master) {
        lease = bound;
        open = true;
        onMaster = master;
        failed = false;
        changed = false;
    }

    /**
     * A transaction of one or more statements begins on the master; its snapshot includes all commits published up to
     * this SCN.
     */
    public void sees(long scn) {
        seen = new Scn(scn);
        statements = 0;
    }

    /** Returns an SCN up to which all commits are in the snapshot of the transaction on the master. */
    public Scn seen() {
        return seen;
    }

    /** Counts a statement of the transaction; a call may consist of several. */
    public void runs(Classification classification) {
        statements += classification.review() == Classification.Review.ALWAYS ? 2 : 1;
    }

    /** Whether a statement may have read data before another one changed it. */
    public boolean mayHaveReadBefore() {
        return statements > 1;
    }

    /** The transaction ended; the lease stays with a pinned session and is otherwise no longer ours. */
    public void end() {
        open = false;
        failed = false;
        begunBySql = false;
        ofThis = TransactionModes.NONE;
        ofNext = TransactionModes.NONE;
        savepoints.clear();
        if (!pinned) {
            lease = null;
        }
    }

    /** The transaction goes on elsewhere, by a new lease; the one it had is the caller's. */
    public Lease leave() {
        Lease left = lease();
        lease = null;
        open = false;
        return left;
    }

    public boolean hasSavepoints() {
        return !savepoints.isEmpty();
    }

    /** The connection is lost with all that hung on it. */
    public void lost() {
        pinned = false;
        reviewDue = false;
        settings.clear();
        watch = null;
        end();
    }

    /** @param held what the engine's session holds, for people */
    public void pin(Lease bound, List<String> held) {
        pinnedFor = new Route(Route.Reason.PINNED, String.join(", ", held));
        lease = bound;
        onMaster = true;
        pinned = true;
    }

    /** A statement is about to run that may leave or take away state of the engine's session. */
    public void expect(Classification classification) {
        if (classification.review() == Classification.Review.ALWAYS
                || (pinned && classification.review() == Classification.Review.IF_PINNED)) {
            reviewDue = true;
        }
        if (!classification.setting().isEmpty()) {
            settings.add(classification.setting());
        }
    }

    public boolean isReviewDue() {
        return reviewDue;
    }

    public void reviewed() {
        reviewDue = false;
    }

    /** Watches the engine's session from now on, unless it is watched already. */
    public void watch(SqlDialect dialect, Connection connection) throws SQLException {
        if (watch == null) {
            watch = dialect.watch(connection);
        }
    }

    /** What the client has left in the engine's session; empty if no statement has run that could have left something there. */
    public Optional<SessionState> left(Connection connection) throws SQLException {
        return watch == null ? Optional.empty() : Optional.of(watch.inspect(connection, settings));
    }

    public Set<String> settings() {
        return settings;
    }

    public void beginBySql(TransactionModes said) {
        begunBySql = true;
        ofThis = said;
    }

    /** SQL said something of the transactions that follow: the next one, or all. */
    public void say(TransactionModes said, boolean all) {
        if (all) {
            ofAll = said.over(ofAll);
        } else {
            ofNext = said.over(ofNext);
        }
    }

    /** A statement that is a transaction by itself is the next one. */
    public void nextIsOver() {
        readOnlyAlone = isReadOnlyBySql();
        ofNext = TransactionModes.NONE;
    }

    /** Whether SQL said that the statement which is a transaction by itself, the last one of those, may change nothing. */
    public boolean isReadOnlyAlone() {
        return readOnlyAlone;
    }

    /** Whether SQL said that the transaction that is open, or begins now, may change nothing. What JDBC said is another matter. */
    public boolean isReadOnlyBySql() {
        return Boolean.TRUE.equals(said().readOnly());
    }

    /** Whether SQL said that the transaction that is open, or begins now, may change what it likes. */
    public boolean isReadWriteBySql() {
        return Boolean.FALSE.equals(said().readOnly());
    }

    public void manualBySql(boolean manual) {
        manualBySql = manual;
    }

    public boolean isManualBySql() {
        return manualBySql;
    }

    /** What counts for the transaction that is open, or begins with the statement: what SQL said, else what the application asked for by JDBC. */
    public TransactionMode mode(TransactionMode asked) {
        TransactionModes said = said();
        return new TransactionMode(
                asked.autoCommit() && !begunBySql && !manualBySql,
                said.readOnly() == null ? asked.readOnly() : said.readOnly(),
                said.isolation() == 0 ? asked.isolation() : said.isolation());
    }

    private TransactionModes said() {
        return ofThis.over(ofNext).over(ofAll);
    }

    /** Whether its isolation is SQL's word for it, and therefore of no other transaction. */
    public boolean isIsolatedBySql() {
        return said().isolation() != 0;
    }

    public boolean isBegunBySql() {
        return begunBySql;
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

    /** Whether the transaction may have changed something. */
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

    /** It was decided where the request runs. */
    public void because(Route why) {
        route = why;
    }

    /** The request runs where the session is bound. */
    public void becauseBound() {
        route = pinned ? pinnedFor : Route.SAME_TRANSACTION;
    }

    /** For the client. */
    public SessionStatus status(int node, long scn) {
        return new SessionStatus(
                open || begunBySql, failed, pinned, ofAll.isolation(), ofAll.readOnly(), node, route, scn);
    }
}
