package io.multimed.server.dispatcher;

import io.multimed.engine.SqlDialect;
import io.multimed.engine.writeset.Scn;
import io.multimed.protocol.Response;
import io.multimed.protocol.session.Route;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.server.node.ComputationalNode;
import io.multimed.server.node.Lease;
import io.multimed.server.node.LeaseRequest;
import java.sql.SQLException;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Read-only transactions of one session (design 4.1). A statement that fails before the client has received any result
 * of the transaction is repeated transparently: on another satellite if the first one died, on the master if the
 * satellite may lack an object.
 */
final class SatelliteReads {
    private static final Logger LOG = LoggerFactory.getLogger(SatelliteReads.class);

    private final Dispatcher dispatcher;
    private final TransactionState transaction;
    private final SessionZone zone;
    private final OpenCursors cursors;
    private final MasterWork master;

    SatelliteReads(
            Dispatcher dispatcher,
            TransactionState transaction,
            SessionZone zone,
            OpenCursors cursors,
            MasterWork master) {
        this.zone = zone;
        this.dispatcher = dispatcher;
        this.transaction = transaction;
        this.cursors = cursors;
        this.master = master;
    }

    /** The first statement of a read-only transaction, or one that stands alone: everything published by now must be seen. */
    void run(Work work) {
        route(work, dispatcher.published(), null);
    }

    private void route(Work work, Scn needed, @Nullable ComputationalNode except) {
        dispatcher.router().route(new ReadRequest(needed, tables(work), except) {
            @Override
            void bind(ComputationalNode node, Route why) {
                transaction.because(why);
                if (node == dispatcher.master().node()) {
                    master.run(work);
                } else {
                    lease(node, work, needed, except != null);
                }
            }

            @Override
            void fail(SQLException cause) {
                work.reply()
                        .send(Errors.report(cause, Errors.MIDDLEWARE, transaction.status(SessionStatus.NO_NODE, 0)));
            }
        });
    }

    /** A transaction of several statements may read any table. */
    private static @Nullable Set<String> tables(Work work) {
        return work.standsAlone() ? work.classification().tables() : null;
    }

    private void lease(ComputationalNode node, Work work, Scn needed, boolean again) {
        node.lease(new LeaseRequest() {
            @Override
            public void leased(Lease lease) {
                runFirst(lease, work, needed, again);
            }

            @Override
            public void refused(SQLException cause) {
                elsewhere(node, work, needed, again);
            }
        });
    }

    private void elsewhere(ComputationalNode lost, Work work, Scn needed, boolean again) {
        if (again) {
            transaction.because(Route.LOST);
            master.run(work);
        } else {
            route(work, needed, lost);
        }
    }

    private void runFirst(Lease lease, Work work, Scn needed, boolean again) {
        boolean alone = work.standsAlone();
        int opened = cursors.opened();
        Response response;
        try {
            work.markSession(lease);
            zone.giveTo(lease.connection());
            if (!alone) {
                lease.connection().setAutoCommit(false);
                dispatcher.dialect().keepSnapshot(lease.connection());
            }
            response = work.run(lease.connection(), alone && !cursors.mayKeep(lease));
            if (!dispatcher.router().isFresh()) { // the machine may have been suspended in between
                throw new SQLException("the master could not be reached while the satellite answered", "08006");
            }
        } catch (SQLException e) {
            recover(lease, work, needed, again, e);
            return;
        } catch (RuntimeException e) {
            lease.discard();
            work.reply().send(Errors.report(e, lease.node().name(), transaction.status(SessionStatus.NO_NODE, 0)));
            return;
        }
        lease.node().reads().increment();
        if (!alone) {
            lease.mayBeRevoked();
            transaction.begin(lease, false);
        } else if (!cursors.adopt(lease, opened)) {
            lease.release();
        }
        work.reply().send(Work.with(response, transaction.status(lease.node().ordinal(), needed.value())));
    }

    private void recover(Lease lease, Work work, Scn needed, boolean again, SQLException failure) {
        if (dispatcher.dialect().isTooLarge(failure)) {
            lease.discard();
            work.reply()
                    .send(Errors.report(failure, lease.node().name(), transaction.status(SessionStatus.NO_NODE, 0)));
        } else if (dispatcher.dialect().isConnectionFailure(failure)
                || dispatcher.dialect().isOutdatedConnection(failure)) {
            lease.discard();
            elsewhere(lease.node(), work, needed, again);
        } else if (dispatcher.dialect().mayBeMissingOnSatellite(failure)) {
            LOG.debug(
                    "{} may lack what a read needs; the master runs it",
                    lease.node().name(),
                    failure);
            lease.release();
            transaction.because(new Route(Route.Reason.SATELLITE_LACKS, String.valueOf(failure.getSQLState())));
            master.run(work);
        } else {
            lease.release();
            work.reply()
                    .send(Errors.report(
                            failure,
                            lease.node().name(),
                            transaction.status(lease.node().ordinal(), 0)));
        }
    }

    /** A later statement of the transaction: it has its snapshot, so it can only run here. */
    void runInTransaction(Lease lease, Work work) {
        Response response;
        try {
            if (lease.isRevoked()) {
                throw new SQLException("revoked", "25P03");
            }
            work.markSession(lease);
            cursors.makeRoom();
            Response result = work.run(lease.connection(), false);
            transaction.succeeded(false);
            response = Work.with(result, transaction.status(lease.node().ordinal(), 0));
        } catch (SQLException | RuntimeException e) {
            response = failed(lease, e);
        }
        work.reply().send(response);
    }

    /** An engine's driver that failed by itself may have left its connection between two messages: it is lost, too. */
    Response failed(Lease lease, Exception failure) {
        if (failure instanceof SQLException sql
                && !lease.isRevoked()
                && !dispatcher.dialect().isConnectionFailure(sql)) {
            if (dispatcher.dialect().isOutdatedConnection(sql)) {
                lease.distrust();
            }
            if (dispatcher.dialect().afterError(sql) == SqlDialect.AfterError.FAILED) {
                transaction.failed();
            }
            return Errors.report(
                    failure,
                    lease.node().name(),
                    transaction.status(lease.node().ordinal(), 0));
        }
        lease.discard();
        cursors.transactionEnded();
        transaction.lost();
        return Errors.report(
                whyLost(lease, failure),
                lease.node().name(),
                transaction.status(lease.node().ordinal(), 0));
    }

    private SQLException whyLost(Lease lease, Exception failure) {
        if (lease.isRevoked()) {
            return new SQLException(
                    "the read-only transaction is over: nothing was asked in it for so long that others needed its connection",
                    "25P03",
                    failure);
        }
        return failure instanceof SQLException sql && dispatcher.dialect().isTooLarge(sql)
                ? sql
                : new SQLException(
                        "node %s was lost in the middle of a read-only transaction; run it again: %s"
                                .formatted(lease.node().name(), failure.getMessage()),
                        "40001",
                        failure);
    }

    /** The transaction goes on elsewhere. */
    void leave() {
        Lease lease = transaction.leave();
        lease.run(lease::release);
    }

    /** Nothing can fail any more: the client is answered first, the engine's transaction ends after. */
    void end(Reply reply, Function<SessionStatus, Response> answer) {
        Lease lease = transaction.lease();
        cursors.transactionEnded();
        transaction.end();
        lease.run(lease::release);
        reply.send(answer.apply(transaction.status(lease.node().ordinal(), 0)));
    }
}
