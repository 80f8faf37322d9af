// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.execution;

import io.multimed.engine.dialect.ErrorClassifier;
import io.multimed.engine.writeset.Scn;
import io.multimed.protocol.response.Response;
import io.multimed.protocol.session.Route;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.server.dispatcher.read.LaneRead;
import io.multimed.server.dispatcher.read.ShortRead;
import io.multimed.server.dispatcher.read.ShownCommits;
import io.multimed.server.dispatcher.request.ErrorReports;
import io.multimed.server.dispatcher.request.Reply;
import io.multimed.server.dispatcher.request.StatementTask;
import io.multimed.server.dispatcher.routing.ReadTarget;
import io.multimed.server.dispatcher.routing.SatelliteRequest;
import io.multimed.server.dispatcher.session.ClientContext;
import io.multimed.server.dispatcher.session.SessionTimeZone;
import io.multimed.server.dispatcher.session.TransactionState;
import io.multimed.server.dispatcher.statement.CancellableWaits;
import io.multimed.server.dispatcher.statement.OpenCursors;
import io.multimed.server.dispatcher.statement.StatementSlots;
import io.multimed.server.node.ComputationalNode;
import io.multimed.server.node.ConnectionFailures;
import io.multimed.server.node.Lease;
import io.multimed.server.node.LeaseRequest;
import io.multimed.server.node.task.CallingThread;
import io.multimed.server.observation.Phase;
import io.multimed.server.observation.PhaseClock;
import io.multimed.server.propagation.commit.LostCommits;
import io.multimed.server.propagation.freshness.Dependencies;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one client's read-only transactions (architecture 4.1).
 *
 * <p>A statement that fails before the client has received a result of the transaction is repeated transparently: on
 * another satellite if the first one has failed, on the master if the satellite may lack an object.
 */
public final class SatelliteExecutor {
    private static final Logger LOG = LoggerFactory.getLogger(SatelliteExecutor.class);

    /** Begins the SQLStates of statements that name something which does not exist. */
    private static final String MISSING = "42";

    private final ServerContext server;
    private final TransactionState transaction;
    private final SessionTimeZone zone;
    private final OpenCursors cursors;
    private final StatementSlots slots;
    private final MasterExecutor master;
    private final ReadFailures failures;
    private final CancellableWaits waits;
    private final PhaseClock clock;
    private final @Nullable CallingThread caller;

    SatelliteExecutor(ClientContext client, ServerContext server, MasterExecutor master, ReadFailures failures) {
        this.server = server;
        this.transaction = client.transaction();
        this.zone = client.zone();
        this.cursors = client.cursors();
        this.slots = client.statements().slots();
        this.master = master;
        this.clock = client.clock();
        this.caller = client.caller();
        this.waits = new CancellableWaits(client.statements().cancellation());
        this.failures = failures;
    }

    /**
     * Runs the first statement of a read-only transaction, or a read that stands alone, on a satellite that has applied
     * what the position requires; on the master if there is none.
     */
    void readOnSatellite(StatementTask task, ReadPosition position) {
        route(task, position, null, (node, actual) -> lease(node, task, actual));
    }

    private void route(
            StatementTask task,
            ReadPosition position,
            @Nullable ComputationalNode except,
            BiConsumer<ComputationalNode, ReadPosition> run) {
        String node = task.classification().hints().node();
        if (node != null && !server.selector().knows(node)) {
            failures.refuse(task, unknownNode(node));
            return;
        }
        if (server.master().node().name().equals(node)) {
            transaction.setRoute(Route.HINT);
            master.executeOnMaster(task);
            return;
        }
        clock.enter(Phase.FRESHNESS);
        SatelliteRequest request =
                new SatelliteRequest(position.needed(), position.acceptable(), ReadTarget.of(task), except) {
                    @Override
                    protected void bind(ComputationalNode node, Route why) {
                        transaction.setRoute(why);
                        if (node == server.master().node()) {
                            master.executeOnMaster(task);
                        } else {
                            ReadPosition actual = why.equals(Route.ACCEPTED_LAG) ? position.behind() : position;
                            run.accept(node, actual);
                        }
                    }

                    @Override
                    protected boolean needsSatellite() {
                        return !task.isDescription();
                    }

                    @Override
                    protected void fail(SQLException cause) {
                        failures.report(task, cause, ErrorReports.MIDDLEWARE, SessionStatus.NO_NODE);
                    }
                };
        waits.begin(
                () -> server.selector().route(request),
                () -> server.selector().withdraw(request),
                () -> failures.canceled(task));
    }

    /** Returns the error of a hint that names no node. */
    static SQLException unknownNode(String name) {
        return new SQLException(
                "the hint node=%s names no node of the System Model: SHOW MULTIMED STATUS lists the nodes"
                        .formatted(name),
                "22023");
    }

    private void lease(ComputationalNode node, StatementTask task, ReadPosition position) {
        ShortRead read = task.work().shortRead();
        boolean hasThread = caller != null && caller.isHere(); // a lane would cost hand-overs
        if (!hasThread && task.standsAlone() && read != null && read.decidesForLane()) {
            submit(new LaneOutcome(node, read, task, position));
        } else {
            leaseAlone(node, task, position, false);
        }
    }

    private void submit(LaneOutcome outcome) {
        clock.enter(Phase.QUEUE);
        LaneRead onLane =
                new LaneRead(outcome.read, zone, outcome, outcome.node.engine().hasStandbys());
        waits.begin(
                () -> outcome.node.lanes().submit(onLane),
                () -> outcome.node.lanes().withdraw(onLane),
                () -> failures.canceled(outcome.task));
    }

    /** Begins with the read while the master is asked, if the node has nothing else to do. */
    private void leaseAlone(ComputationalNode node, StatementTask task, ReadPosition position, boolean again) {
        if (position.latest() == null || again || node.active() == 0) {
            leaseNow(node, task, position, again);
            return;
        }
        whenKnown(task, position, known -> {
            if (known.needed().isAfter(server.selector().applied(node))) {
                readOnSatellite(task, known); // waits without a thread
            } else {
                leaseNow(node, task, known, false);
            }
        });
    }

    private void leaseNow(ComputationalNode node, StatementTask task, ReadPosition position, boolean again) {
        clock.enter(Phase.QUEUE);
        LeaseRequest request = new LeaseRequest() {
            @Override
            public @Nullable CallingThread caller() {
                return caller;
            }

            @Override
            public boolean readsOnly() {
                return task.standsAlone();
            }

            @Override
            public void leased(Lease lease) {
                runFirst(lease, task, position, again);
            }

            @Override
            public void refused(SQLException cause) {
                runElsewhere(node, task, position, again);
            }

            @Override
            public void timedOut(SQLException cause) {
                failures.refuse(task, cause);
            }
        };
        waits.begin(() -> node.lease(request), () -> node.withdraw(request), () -> failures.canceled(task));
    }

    /** The outcome of a read on a lane. Used by one thread at a time. */
    private final class LaneOutcome implements LaneRead.Outcome {
        private final ComputationalNode node;
        private final ShortRead read;
        private final StatementTask task;
        private final ReadPosition position;

        LaneOutcome(ComputationalNode node, ShortRead read, StatementTask task, ReadPosition position) {
            this.node = node;
            this.read = read;
            this.task = task;
            this.position = position;
        }

        @Override
        public void begun() {
            clock.enter(Phase.ENGINE);
        }

        @Override
        public Scn needed(long deadline) throws SQLException {
            return position.known(deadline).needed();
        }

        @Override
        public boolean runAlone(Lease lane) {
            return SatelliteExecutor.this.runAlone(lane, read, task.withAction(read::runOnLane), position);
        }

        @Override
        public void answered(Lease lane, Response response) {
            ReadPosition actual = position.present();
            read.keep(actual.includes());
            answer(lane, task, response.withStatus(status(task, lane, actual)));
        }

        @Override
        public void canceled(Lease lane, SQLException cause) {
            fail(lane, task, cause, lane.node().ordinal());
        }

        @Override
        public void mustRunOutside() {
            leaseAlone(node, task, position, false);
        }

        @Override
        public void refused(SQLException cause) {
            runElsewhere(node, task, position, false);
        }

        @Override
        public void behind() {
            SatelliteExecutor.this.behind(node, task, position, false);
        }

        @Override
        public void timedOut(SQLException cause) {
            failures.refuse(task, cause);
        }

        @Override
        public boolean isFresh() {
            return server.selector().isFresh();
        }
    }

    private void runElsewhere(ComputationalNode lost, StatementTask task, ReadPosition position, boolean again) {
        if (again) {
            transaction.setRoute(Route.LOST);
            master.executeOnMaster(task);
        } else {
            whenKnown(
                    task,
                    position,
                    known -> route(task, known, lost, (node, actual) -> leaseAlone(node, task, actual, true)));
        }
    }

    /**
     * Runs a read again that a satellite could not run soon enough: with the position that the master has told
     * meanwhile, so that the read waits without a thread; elsewhere, if the position was known before.
     */
    private void behind(ComputationalNode node, StatementTask task, ReadPosition position, boolean again) {
        if (position.latest() == null) {
            runElsewhere(node, task, position, again);
        } else {
            whenKnown(task, position, known -> readOnSatellite(task, known));
        }
    }

    /** The client can end the wait; what the master answers later is not used then. */
    private void whenKnown(StatementTask task, ReadPosition position, Consumer<ReadPosition> known) {
        AtomicBoolean ended = new AtomicBoolean();
        waits.begin(
                () -> position.whenKnown(
                        found -> {
                            if (ended.compareAndSet(false, true)) {
                                known.accept(found);
                            }
                        },
                        failure -> {
                            if (ended.compareAndSet(false, true)) {
                                failures.report(task, failure, ErrorReports.MIDDLEWARE, SessionStatus.NO_NODE);
                            }
                        }),
                () -> ended.compareAndSet(false, true),
                () -> failures.canceled(task));
    }

    /** Runs a read on a lane, as for {@link LaneRead.Outcome#runAlone}. */
    private boolean runAlone(Lease lane, ShortRead read, StatementTask task, ReadPosition position) {
        int opened = cursors.opened();
        Response response =
                attempt(lane, task, position, false, lane.node().engine().hasStandbys());
        if (response == null) {
            return false;
        }
        ReadPosition actual = position.present();
        read.keep(actual.includes());
        boolean adopted = cursors.adopt(lane, opened);
        answer(lane, task, response.withStatus(status(task, lane, actual)));
        return !adopted;
    }

    /** Returns the status after the first statement of a transaction, or after a read that stands alone. */
    private SessionStatus status(StatementTask task, Lease lease, ReadPosition position) {
        int node = lease.node().ordinal();
        long scn = position.includes().value();
        return task.beforeBegin() ? transaction.statusBeforeBegin(node, scn) : transaction.status(node, scn);
    }

    private void runFirst(Lease lease, StatementTask task, ReadPosition position, boolean again) {
        int opened = cursors.opened();
        task.markSession(lease);
        Response response = attempt(lease, task, position, again, false);
        if (response == null) {
            return;
        }
        ReadPosition actual = position.present();
        keep(task, actual.includes());
        if (!task.standsAlone()) {
            lease.allowRevocation();
            transaction.begin(lease, false);
            transaction.beginSnapshot(actual.includes().value());
            transaction.ran(task.classification());
            track(task);
        } else if (!cursors.adopt(lease, opened)) {
            lease.release();
        }
        answer(lease, task, response.withStatus(status(task, lease, actual)));
    }

    private void answer(Lease lease, StatementTask task, Response response) {
        whenPublished(lease, task, () -> task.reply().send(response));
    }

    /** Reports the engine's error, which, too, may tell of rows. */
    private void fail(Lease lease, StatementTask task, SQLException failure, int node) {
        whenPublished(
                lease, task, () -> failures.report(task, failure, lease.node().name(), node));
    }

    /**
     * Answers a read: on a node that shows commits before they are published, when these are published. If each later
     * read asks the master first, it sees them without: a standby shows nothing that is not on the disk of the master.
     */
    private void whenPublished(Lease lease, StatementTask task, Runnable answer) {
        if (lease.node().engine().hasStandbys() && !server.master().mustAskBeforeReads()) {
            server.master()
                    .visibilityBarrier()
                    .whenPublished(
                            answer,
                            () -> failures.report(
                                    task, LostCommits.error(), ErrorReports.MIDDLEWARE, SessionStatus.NO_NODE));
        } else {
            answer.run();
        }
    }

    /** Keeps the result of a read that has run, if it may be kept. */
    private static void keep(StatementTask task, Scn asOf) {
        ShortRead read = task.work().shortRead();
        if (read != null) {
            read.keep(asOf);
        }
    }

    private void track(StatementTask task) {
        Dependencies dependencies = task.tracked();
        if (dependencies != null) {
            transaction.track(dependencies);
        }
    }

    /** Runs the statement, and returns the response; null if the statement has failed and the failure was handled. */
    private @Nullable Response attempt(
            Lease lease, StatementTask task, ReadPosition position, boolean again, boolean asks) {
        boolean alone = task.standsAlone();
        Response response;
        clock.enter(Phase.ENGINE);
        try {
            awaitPosition(lease, position, asks);
            zone.applyTo(lease.connection());
            if (!alone) {
                lease.connection().setAutoCommit(false);
            }
            response =
                    alone ? task.execute(lease.connection(), !cursors.mayKeep(lease)) : beginTransaction(lease, task);
            if (!server.selector().isFresh()) { // the machine may have been suspended in between
                slots.forgetColumns();
                throw new SQLException("the master could not be reached while the satellite answered", "08006");
            }
        } catch (ShownCommits.BehindException e) {
            lease.release();
            behind(lease.node(), task, position, again);
            return null;
        } catch (SQLException e) {
            recover(lease, task, position, again, e);
            return null;
        } catch (RuntimeException e) {
            lease.discard();
            failures.report(task, e, lease.node().name(), SessionStatus.NO_NODE);
            return null;
        }
        lease.node().reads().increment();
        return response;
    }

    /**
     * Returns when the connection shows what a read needs: usually what the applier has seen already. Blocks for a
     * short time.
     *
     * @param asks whether the satellite is asked in any case
     */
    private void awaitPosition(Lease lease, ReadPosition position, boolean asks) throws SQLException {
        Scn shown = server.selector().applied(lease.node());
        if (asks || !lease.isVerified()) {
            Scn published = server.published(); // after the opening of the connection
            shown = lease.node().engine().dialect().streaming().shown(lease.connection());
            if (!published.isAfter(shown)) {
                lease.markVerified();
            }
        }
        Scn needed = position.known(ShownCommits.deadline()).needed();
        if (needed.isAfter(shown)) {
            ShownCommits.await(lease, needed);
        }
    }

    private Response beginTransaction(Lease lease, StatementTask task) throws SQLException {
        Connection connection = lease.connection();
        return FirstStatement.run(server.dialect().errors(), connection, () -> {
            if (server.keepsResults() && !server.dialect().transactions().takesSnapshotAtFirstStatement()) {
                server.dialect()
                        .transactions()
                        .beginSnapshot(connection); // kept results of now must not precede a later snapshot
            }
            return task.execute(connection, false);
        });
    }

    private void recover(Lease lease, StatementTask task, ReadPosition position, boolean again, SQLException failure) {
        if (server.dialect().errors().isDueToStatement(failure)) {
            lease.discard();
            fail(lease, task, failure, SessionStatus.NO_NODE);
        } else if (server.dialect().errors().isConnectionFailure(failure)
                || server.dialect().errors().isOutdatedConnection(failure)) {
            lease.discard();
            runElsewhere(lease.node(), task, position, again);
        } else if (server.dialect().errors().mayBeMissingOnSatellite(failure)) {
            noteLacking(lease.node(), failure);
            lease.release();
            transaction.setRoute(new Route(Route.Reason.SATELLITE_LACKS, String.valueOf(failure.getSQLState())));
            master.executeOnMaster(task);
        } else {
            lease.release();
            fail(lease, task, failure, lease.node().ordinal());
        }
    }

    private void noteLacking(ComputationalNode node, SQLException failure) {
        LOG.debug("{} may lack what a read needs; the master runs it", node.name(), failure);
        if (server.dialect().errors().isDamage(failure)) {
            node.reportDamage(String.valueOf(failure.getMessage()));
        }
    }

    /**
     * Runs a later statement of the transaction, which can run only on the satellite that holds the transaction's
     * snapshot.
     */
    void continueTransaction(Lease lease, StatementTask task) {
        clock.enter(Phase.QUEUE);
        lease.submit(() -> runInTransaction(lease, task));
    }

    private void runInTransaction(Lease lease, StatementTask task) {
        Response response;
        clock.enter(Phase.ENGINE);
        try {
            if (lease.isRevoked()) {
                throw new SQLException("revoked", "25P03");
            }
            task.markSession(lease);
            transaction.ran(task.classification());
            cursors.makeRoom();
            lease.discardStalePlans();
            track(task); // an error, too, may tell of rows
            Response result = task.execute(lease.connection(), false);
            if (!task.isDescription()) { // which the driver may have answered without the engine
                transaction.succeeded(false);
            }
            if (!transaction.mayHaveSettings()) {
                keep(task, transaction.seen());
            }
            response = result.withStatus(transaction.status(lease.node().ordinal(), 0));
        } catch (SQLException | RuntimeException e) {
            if (mayRunOnMaster(lease, task, e)) {
                leave();
                transaction.setRoute(new Route(Route.Reason.SATELLITE_LACKS, ((SQLException) e).getSQLState()));
                master.executeOnMaster(task);
                return;
            }
            response = failed(lease, e);
        }
        task.reply().send(response);
    }

    /**
     * Returns whether a statement has failed because the satellite lacks an object, and the transaction may continue on
     * the master.
     */
    private boolean mayRunOnMaster(Lease lease, StatementTask task, Exception failure) {
        if (failure instanceof SQLException sql && server.dialect().errors().isDamage(sql)) {
            noteLacking(lease.node(), sql);
        }
        return failure instanceof SQLException sql
                && server.dialect().errors().mayBeMissingOnSatellite(sql)
                && !lease.isRevoked()
                && !transaction.isTracked()
                && !transaction.hasFailed()
                && !task.isDescription() // whose mode is not that of the transaction
                && transaction.mayContinueElsewhere(
                        task.mode(), server.masterIsolation(), cursors.dependOnTransaction());
    }

    /**
     * Handles a failure in the open transaction and returns the response for the client. After a defect the engine's
     * driver may have left its connection between two messages, so the transaction is lost.
     */
    public Response failed(Lease lease, Exception error) {
        Exception failure = ConnectionFailures.actualFailure(lease, error);
        if (failure instanceof SQLException sql
                && !lease.isRevoked()
                && !server.dialect().errors().isConnectionFailure(sql)) {
            if (server.dialect().errors().isOutdatedConnection(sql)) {
                lease.closeOnRelease();
            }
            if (server.dialect().errors().afterError(sql) == ErrorClassifier.AfterError.FAILED) {
                transaction.failed();
            }
            return ErrorReports.report(
                    isDueToSchemaChange(sql) ? schemaChanged(sql) : sql,
                    lease.node().name(),
                    transaction.status(lease.node().ordinal(), 0));
        }
        lease.discard();
        cursors.transactionEnded();
        transaction.connectionLost();
        return ErrorReports.report(
                whyLost(lease, failure),
                lease.node().name(),
                transaction.status(lease.node().ordinal(), 0));
    }

    /**
     * Returns whether a statement of a transaction may have failed because another client has changed the schema: a
     * plan became stale, or the satellite does not have yet what the text names.
     */
    private boolean isDueToSchemaChange(SQLException failure) {
        return server.dialect().errors().isStalePlan(failure)
                || (String.valueOf(failure.getSQLState()).startsWith(MISSING)
                        && server.schema().hasChangedSince(transaction.seen()));
    }

    private static SQLException schemaChanged(SQLException failure) {
        return new SQLException(
                "the schema has changed in the middle of a read-only transaction; run it again: "
                        + failure.getMessage(),
                "40001",
                failure);
    }

    private SQLException whyLost(Lease lease, Exception failure) {
        if (lease.isRevoked()) {
            return new SQLException(
                    "the read-only transaction has ended: its client was idle for a long time, and other clients needed the connection; begin a new transaction",
                    "25P03",
                    failure);
        }
        return failure instanceof SQLException sql && server.dialect().errors().isDueToStatement(sql)
                ? sql
                : new SQLException(
                        "node %s was lost in the middle of a read-only transaction; run it again: %s"
                                .formatted(lease.node().name(), failure.getMessage()),
                        "40001",
                        failure);
    }

    /** Ends the snapshot on the satellite; the transaction continues on another node. */
    public void leave() {
        Lease lease = transaction.detach();
        lease.submit(lease::release);
    }

    /** Ends the transaction. The end cannot fail, so the client is answered first. */
    public void end(Reply reply, Function<SessionStatus, Response> answer) {
        Lease lease = transaction.lease();
        cursors.transactionEnded();
        transaction.end();
        lease.submit(lease::release);
        reply.send(answer.apply(transaction.status(lease.node().ordinal(), 0)));
    }
}
