// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.group;

import io.multimed.engine.extraction.JoinedStatements;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.extraction.RowsCommit;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.protocol.response.Executed;
import io.multimed.server.dispatcher.session.SessionTimeZone;
import io.multimed.server.dispatcher.statement.StatementRunner;
import io.multimed.server.node.LimitedWait;
import io.multimed.server.node.group.GroupSession;
import io.multimed.server.node.group.GroupWorkers;
import io.multimed.server.node.task.CallingThread;
import io.multimed.server.propagation.commit.CommitMember;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A single statement that runs, is sealed and commits inside a commit group. */
public final class GroupedCommit
        implements CommitMember, SharedTransaction.Member, OptimisticTransactions.Member, LimitedWait {
    /**
     * If the group has taken longer, the statement runs outside: statements that wait for locks, one after the other,
     * would delay all commits.
     */
    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** The SQLState for a commit whose result is lost, as the driver reports it. */
    private static final String COMMITTED_WITHOUT_RESULT = "MM001";

    private final GroupWorkers workers;
    private final GroupedStatement statement;
    private final SessionTimeZone zone;
    private final Receipt receipt;
    private final Outcome outcome;
    private final boolean shares;
    private final long since = System.nanoTime();

    /** The thread that waits for the outcome within this process; null for the client of a port. */
    private final @Nullable CallingThread caller;

    /** The number of the request that the caller waits for. */
    private final long request;

    /** Set once, by the thread that commits the statement, or by the one that ends its wait. */
    private final AtomicReference<Turn> turn = new AtomicReference<>(Turn.AWAITED);

    private enum Turn {
        /** Other groups commit before. */
        AWAITED,
        /** The group commits the statement. */
        TAKEN,
        /** The client has received an error: the statement must not run. */
        GIVEN_UP
    }

    /** The following fields are written by the committing thread before the publisher reads them. */
    private volatile int engineSession;

    private volatile boolean started;

    /** Whether the group has taken so long that the statement must not begin there. Used by the committing thread. */
    private boolean late;

    private volatile @Nullable SQLException stopped;

    /** Whether the middleware itself has broken the connection off, so that no client need learn of a rollback. */
    private volatile boolean mayRunAgain;

    private volatile @Nullable Executed executed;

    /** Whether the commit has waited for the disk. */
    private volatile boolean durable;

    /** The outcome in a transaction shared with other members; null if there was none. */
    private volatile @Nullable SharedOutcome shared;

    /** Returns the WriteSet, null without any, or throws the failure of the statement or of the shared commit. */
    @FunctionalInterface
    private interface SharedOutcome {
        @Nullable
        WriteSet get() throws SQLException;
    }

    /** The outcome while the shared transaction commits. A constant, so that recording it needs no memory. */
    private static final SharedOutcome UNKNOWN = () -> {
        throw new SQLException("the outcome of the shared transaction is unknown", SharedSeal.OUTCOME_UNKNOWN);
    };

    /**
     * Receives the outcome, on the publisher's thread or on the thread that publishes the group. Must not block.
     */
    public interface Outcome {
        /** The wait for the turn of the statement has ended; called on the committing thread. */
        default void turnTaken(LimitedWait wait) {}

        /** The statement begins to run; called on the committing thread, and again if the statement is repeated. */
        default void begun() {}

        void committed(Executed result, Scn scn);

        /** Receives the WriteSet of the commit, before any client is answered. */
        void changed(WriteSet writeSet);

        /** The statement must run outside of groups; the group has undone it. */
        void mustRunOutside();

        void failed(SQLException cause);
    }

    public GroupedCommit(
            GroupWorkers workers,
            GroupedStatement statement,
            SessionTimeZone zone,
            @Nullable CallingThread caller,
            Receipt receipt,
            Outcome outcome) {
        this.caller = caller;
        this.request = caller == null ? 0 : caller.request();
        this.workers = workers;
        this.statement = statement;
        this.zone = zone;
        this.receipt = receipt;
        this.outcome = outcome;
        this.shares = statement.decidesToShare();
    }

    /**
     * A statement of a role needs a connection of the role, for which only the workers' threads wait. The thread of a
     * client that has its answer may wait for another request, which can take long.
     */
    @Override
    public void submit(Runnable work) {
        CallingThread thread = statement.role() == null && turn.get() != Turn.GIVEN_UP ? caller : null;
        if (thread == null || !thread.offer(work, request)) {
            workers.execute(statement.role(), work);
        }
    }

    @Override
    public @Nullable String role() {
        return statement.role();
    }

    @Override
    public boolean runsOnAnyThread() {
        return false;
    }

    @Override
    public boolean sharesTransaction() {
        return shares;
    }

    @Override
    public boolean sharesWithAll() {
        return shares && statement.sharesOptimistically();
    }

    @Override
    public long since() {
        return since;
    }

    @Override
    public boolean giveUp(SQLException cause) {
        if (!turn.compareAndSet(Turn.AWAITED, Turn.GIVEN_UP)) {
            return false;
        }
        outcome.failed(cause);
        return true;
    }

    /** Returns whether the statement may run; false if its wait was given up. */
    private boolean takeTurn() {
        if (turn.compareAndSet(Turn.AWAITED, Turn.TAKEN)) {
            outcome.turnTaken(this);
        }
        return turn.get() == Turn.TAKEN;
    }

    /** Those members whose wait was given up do not run. This member may be one of them. */
    @Override
    public void commitTogether(List<CommitMember> all) {
        List<CommitMember> members = all.stream()
                .filter(member -> ((GroupedCommit) member).takeTurn())
                .toList();
        if (members.isEmpty()) {
            return;
        }
        if (statement.sharesOptimistically()) {
            new OptimisticTransactions(workers, statement.sharedCommit(), statement.dialect())
                    .executeAll(as(OptimisticTransactions.Member.class, members));
        } else {
            new SharedTransaction(
                            workers,
                            statement.sharedCommit(),
                            statement.dialect(),
                            as(SharedTransaction.Member.class, members))
                    .run();
        }
    }

    private static <T> List<T> as(Class<T> kind, List<CommitMember> members) {
        return members.stream().map(kind::cast).toList();
    }

    @Override
    public void runShared(Connection connection, int session) throws SQLException {
        zone.applyTo(connection);
        engineSession = session;
        begin();
        executed = statement.runShared(connection);
    }

    private void begin() {
        started = true;
        outcome.begun();
    }

    @Override
    public boolean addTo(JoinedStatements message) {
        return zone.present().isEmpty() && statement.addTo(message);
    }

    @Override
    public void answered(JoinedStatements.Answer answer, long nanos) {
        executed = statement.answered(answer, nanos);
    }

    @Override
    public void needsMore() {
        statement.needsMore();
    }

    @Override
    public void commitBegins() {
        shared = UNKNOWN;
    }

    @Override
    public void committed(@Nullable WriteSet writeSet) {
        shared = () -> writeSet;
        if (writeSet != null) {
            outcome.changed(writeSet);
        }
    }

    /** Also forgets the number of rows: the next execution may change others. */
    @Override
    public void undone() {
        started = false;
        executed = null;
        shared = null;
    }

    @Override
    public void failedShared(SQLException cause) {
        shared = () -> {
            throw cause;
        };
        statement.failedInGroup(cause);
    }

    @Override
    public void mayRunAgain() {
        mayRunAgain = true;
    }

    @Override
    public void notRun() {
        started = false;
        failedShared(mustLeave("it must run outside its commit group", null));
    }

    @Override
    public void causedRollback() {
        notRun();
        statement.canceledInGroup();
    }

    @Override
    public void excludeFromGroups() {
        statement.canceledInGroup();
    }

    @Override
    public String sql() {
        return statement.sql();
    }

    @Override
    public Set<String> tables() {
        return statement.tables();
    }

    @Override
    public SessionTimeZone zone() {
        return zone;
    }

    @Override
    public LatencyEstimator latency() {
        return statement.latency();
    }

    @Override
    public void addTo(PreparedStatement batch) throws SQLException {
        statement.addTo(batch);
    }

    @Override
    public void begun(int session) {
        engineSession = session;
        begin();
    }

    @Override
    public void ran(long rows) {
        executed = StatementRunner.counted(rows);
    }

    @Override
    public boolean wasCanceled() {
        return statement.wasCanceled();
    }

    /**
     * In auto-commit mode the engine itself undoes a failed statement. After a defect the engine's driver may have left
     * the connection between two messages, so the connection is discarded.
     */
    @Override
    public Optional<WriteSet> sealAndCommit() throws SQLException {
        if (!takeTurn()) {
            throw mustLeave("the wait for the commit group was given up", null);
        }
        SharedOutcome together = shared;
        if (together == null && shares && !statement.sharesOptimistically()) {
            throw new IllegalStateException("it has not run");
        }
        return together == null ? sealAndCommitAlone(false) : Optional.ofNullable(together.get());
    }

    @Override
    public Optional<WriteSet> sealAndCommitAsOnlyMember() throws SQLException {
        boolean alone = shared == null && (!shares || statement.sharesOptimistically());
        return alone && takeTurn() ? sealAndCommitAlone(true) : sealAndCommit();
    }

    @Override
    public void groupHasTaken(long nanos) {
        late = nanos > LATE_NANOS;
    }

    @Override
    public boolean isDurable() {
        return durable;
    }

    /**
     * If another execution of the statement was canceled in a group meanwhile, leaves the group: if all members of a
     * group waited for a lock, one after the other, their waits would add up, and all commits with them.
     */
    private Optional<WriteSet> sealAndCommitAlone(boolean waitsForDisk) throws SQLException {
        if (late || !statement.isFast()) {
            throw mustLeave("the commit group takes too long, or has canceled an execution of the statement", null);
        }
        Connection connection = connection(waitsForDisk);
        try {
            return run(connection, waitsForDisk);
        } catch (SQLException e) {
            SQLException failure = statement.actualFailure(connection, e);
            statement.failedInGroup(failure);
            workers.reset(connection);
            throw failure;
        } catch (RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
            workers.discard(connection);
            throw e;
        } finally {
            workers.returnConnection(connection);
        }
    }

    private Optional<WriteSet> run(Connection connection, boolean waitsForDisk) throws SQLException {
        zone.applyTo(connection);
        engineSession = workers.session(connection);
        begin();
        StatementRunner.Sealed sealed = waitsForDisk && statement.concernsRowsOnly()
                ? runForClient(connection)
                : statement.runSealed(connection, receipt, waitsForDisk);
        executed = sealed.executed();
        durable = sealed.commit().durable();
        Optional<WriteSet> writeSet = sealed.commit().writeSet();
        writeSet.ifPresent(outcome::changed);
        if (sealed.fate().isHeld()) {
            workers.discard(connection);
        }
        return writeSet;
    }

    /**
     * Runs the statement on a connection whose last statement was often one of the same client: the initial state of
     * the engine's session then need not be restored.
     */
    private StatementRunner.Sealed runForClient(Connection connection) throws SQLException {
        long client = receipt.sessionId();
        GroupSession session = workers.sessionOf(connection);
        RowsCommit commit = session.servedLast(client) ? statement.ofRows(connection) : null;
        if (commit == null) {
            StatementRunner.Sealed sealed = statement.runSealed(connection, receipt, true);
            session.serves(client, false);
            return sealed;
        }
        if (!session.isUnreset()) {
            session.serves(client, true);
            commit.prepare(connection);
        }
        return statement.runSealed(connection, commit, receipt, true);
    }

    private Connection connection(boolean waitsForDisk) throws SQLException {
        try {
            return waitsForDisk && statement.concernsRowsOnly()
                    ? workers.connectionOf(receipt.sessionId())
                    : workers.connection(statement.role());
        } catch (SQLException e) {
            // There was no connection, and therefore no commit is in doubt.
            throw mustLeave(e.getMessage(), e);
        }
    }

    /** Returns the failure of a member that has not started, and must run outside its commit group. */
    private static SQLException mustLeave(@Nullable String why, @Nullable SQLException cause) {
        return new SQLException(why, "57000", cause);
    }

    @Override
    public Receipt receipt() {
        return receipt;
    }

    @Override
    public int engineSession() {
        return engineSession;
    }

    /** The statement has limits of its own: this only begins the time in which it has to end. */
    @Override
    public void stop(SQLException cause) {
        stopped = cause;
    }

    /** If nothing was committed, the statement runs outside of groups. */
    @Override
    public void breakOff(SQLException cause) {
        mayRunAgain = true;
        workers.inUse().abort(engineSession);
    }

    @Override
    public @Nullable SQLException stopped() {
        return stopped;
    }

    @Override
    public void published(Scn scn) {
        Executed result = executed;
        if (result != null) {
            outcome.committed(result, scn);
        } else {
            outcome.failed(new SQLException(
                    "the update was committed (%s), but the connection to the master broke before the number of its rows was known; do not run it again"
                            .formatted(scn),
                    COMMITTED_WITHOUT_RESULT));
        }
    }

    /** Also if the middleware has broken the connection off: a statement that may have committed must not run again. */
    @Override
    public void unknown(SQLException cause) {
        if (turn.get() != Turn.GIVEN_UP) {
            outcome.failed(statement.reportedFailure(cause));
        }
    }

    @Override
    public void failed(SQLException cause) {
        if (turn.get() == Turn.GIVEN_UP) {
            return; // the client has its answer
        }
        if (!started || mayRunAgain || statement.mustRunOutside(cause)) {
            outcome.mustRunOutside();
        } else {
            outcome.failed(statement.reportedFailure(cause));
        }
    }
}
