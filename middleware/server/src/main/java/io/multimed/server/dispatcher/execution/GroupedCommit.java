package io.multimed.server.dispatcher.execution;

import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.protocol.Executed;
import io.multimed.server.dispatcher.session.SessionTimeZone;
import io.multimed.server.dispatcher.statement.StatementRunner;
import io.multimed.server.node.GroupLane;
import io.multimed.server.propagation.commit.CommitMember;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A single statement on its way through the commit order, where it runs, too. */
final class GroupedCommit implements CommitMember {
    /** The driver's SQLState for the same on its own side. */
    private static final String COMMITTED_WITHOUT_RESULT = "MM001";

    private final GroupLane lane;
    private final GroupedStatement statement;
    private final SessionTimeZone zone;
    private final Receipt receipt;
    private final Outcome outcome;

    /** These are written before the publisher asks. */
    private volatile int engineSession;

    private volatile boolean started;
    private volatile @Nullable Executed executed;

    /** The outcome in a transaction shared with others; null if there was none. */
    private volatile @Nullable SharedOutcome shared;

    /** Returns the WriteSet, or throws the failure. */
    @FunctionalInterface
    private interface SharedOutcome {
        WriteSet get() throws SQLException;
    }

    /** How it ended; called on the publisher's thread, must not block. */
    interface Outcome {
        void committed(Executed result, Scn scn);

        /** As {@link TransactionCommit.Outcome#changed}. */
        void changed(WriteSet writeSet);

        /** It must run outside a group; nothing of it has happened. */
        void unsuited();

        void failed(SQLException cause);
    }

    GroupedCommit(GroupLane lane, GroupedStatement statement, SessionTimeZone zone, Receipt receipt, Outcome outcome) {
        this.lane = lane;
        this.statement = statement;
        this.zone = zone;
        this.receipt = receipt;
        this.outcome = outcome;
    }

    @Override
    public void run(Runnable work) {
        lane.execute(work);
    }

    @Override
    public boolean runsAnywhere() {
        return false;
    }

    @Override
    public boolean isShared() {
        return statement.isShared();
    }

    @Override
    public void commitTogether(List<CommitMember> members) {
        List<GroupedCommit> all =
                members.stream().map(GroupedCommit.class::cast).toList();
        new SharedTransaction(lane, statement.sharedCommit(), statement.dialect(), all).run();
    }

    /** Runs its statement in a transaction that is not its own. */
    void runShared(Connection connection, int session) throws SQLException {
        zone.giveTo(connection);
        engineSession = session;
        started = true;
        executed = statement.runShared(connection);
    }

    /** The transaction is committed. */
    void committedShared(WriteSet writeSet) {
        shared = () -> writeSet;
        outcome.changed(writeSet);
    }

    /** Its statement has failed, or the commit of all. */
    void failedShared(SQLException cause) {
        shared = () -> {
            throw cause;
        };
    }

    /** A defect has ended the transaction, maybe after the engine had committed. */
    void failedShared(RuntimeException cause) {
        shared = () -> {
            throw cause;
        };
    }

    /** Nothing of it has happened, and it is not to blame. */
    void notRun() {
        started = false;
        failedShared(new SQLException("it must run outside its commit group", "57000"));
    }

    /** Nothing of it has happened, nor of those that flew with it, because of its statement. */
    void brokenOff() {
        notRun();
        statement.wasBrokenOff();
    }

    /** Makes later executions of the statement run outside of groups. */
    void unfit() {
        statement.wasBrokenOff();
    }

    boolean wasCancelled() {
        return statement.wasCancelled();
    }

    /** In auto-commit the engine itself undoes what fails. An engine's driver that failed by itself may have left its connection between two messages. */
    @Override
    public Optional<WriteSet> sealAndCommit() throws SQLException {
        return isShared()
                ? Optional.of(Objects.requireNonNull(shared, "it has not run").get())
                : sealAndCommitAlone();
    }

    private Optional<WriteSet> sealAndCommitAlone() throws SQLException {
        Connection connection = connection();
        try {
            return run(connection);
        } catch (SQLException e) {
            SQLException failure = statement.whatFailed(connection, e);
            lane.reset(connection);
            throw failure;
        } catch (RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
            lane.discard(connection);
            throw e;
        } finally {
            lane.giveBack(connection);
        }
    }

    private Optional<WriteSet> run(Connection connection) throws SQLException {
        zone.giveTo(connection);
        engineSession = lane.session(connection);
        started = true;
        StatementRunner.Sealed sealed = statement.runSealed(connection, receipt);
        executed = sealed.executed();
        sealed.writeSet().ifPresent(outcome::changed);
        if (sealed.fate().isHeld()) {
            lane.discard(connection);
        }
        return sealed.writeSet();
    }

    private Connection connection() throws SQLException {
        try {
            return lane.connection();
        } catch (SQLException e) {
            // Not a failure of the commit's connection: there was none, so nothing is in doubt.
            throw new SQLException(e.getMessage(), "57000", e);
        }
    }

    @Override
    public Receipt receipt() {
        return receipt;
    }

    @Override
    public int engineSession() {
        return engineSession;
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

    @Override
    public void failed(SQLException cause) {
        if (!started || statement.mustRunOutside(cause)) {
            outcome.unsuited();
        } else {
            outcome.failed(cause);
        }
    }
}
