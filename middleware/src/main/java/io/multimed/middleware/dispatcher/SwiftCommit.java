package io.multimed.middleware.dispatcher;

import io.multimed.middleware.extraction.Receipt;
import io.multimed.middleware.node.SwiftLane;
import io.multimed.middleware.propagation.CommitMember;
import io.multimed.middleware.writeset.Scn;
import io.multimed.middleware.writeset.WriteSet;
import io.multimed.protocol.Executed;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A single statement on its way through the commit order, where it runs, too. */
final class SwiftCommit implements CommitMember {
    /** The driver's SQLState for the same on its own side. */
    private static final String COMMITTED_WITHOUT_RESULT = "MM001";

    private final SwiftLane lane;
    private final SwiftUpdate update;
    private final SessionZone zone;
    private final Receipt receipt;
    private final Outcome outcome;

    /** These are written before the publisher asks. */
    private volatile int engineSession;

    private volatile boolean started;
    private volatile @Nullable Executed executed;

    /** How it ended; called on the publisher's thread, must not block. */
    interface Outcome {
        void committed(Executed result, Scn scn);

        /** As {@link MasterCommit.Outcome#changed}. */
        void changed(WriteSet writeSet);

        /** It must run outside a group; nothing of it has happened. */
        void unsuited();

        void failed(SQLException cause);
    }

    SwiftCommit(SwiftLane lane, SwiftUpdate update, SessionZone zone, Receipt receipt, Outcome outcome) {
        this.lane = lane;
        this.update = update;
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

    /** In auto-commit the engine itself undoes what fails. An engine's driver that failed by itself may have left its connection between two messages. */
    @Override
    public Optional<WriteSet> sealAndCommit() throws SQLException {
        Connection connection = connection();
        try {
            return run(connection);
        } catch (RuntimeException e) {
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
        StatementRunner.Sealed sealed = update.runSealed(connection, receipt);
        executed = sealed.executed();
        sealed.writeSet().ifPresent(outcome::changed);
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
        if (!started || update.mustRunOutside(cause)) {
            outcome.unsuited();
        } else {
            outcome.failed(cause);
        }
    }
}
