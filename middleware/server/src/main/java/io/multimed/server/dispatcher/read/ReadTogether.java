// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.read;

import io.multimed.engine.dialect.JoinedReads;
import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.writeset.Scn;
import io.multimed.server.dispatcher.statement.Cancellation;
import io.multimed.server.dispatcher.statement.StatementRunner;
import io.multimed.server.node.Lease;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executions of one read for several clients, in one message to the engine.
 *
 * <p>All executions begin after the last client's request has arrived, so that the snapshot of each is fresh enough. If
 * one fails, no result is used, and each read runs again on a connection of its own: reads have no effect, so that they
 * can be repeated, and each client receives its own error. Used once, by one thread, except for {@link #cancelLate}.
 */
final class ReadTogether {
    private static final Logger LOG = LoggerFactory.getLogger(ReadTogether.class);

    private final Lease lane;
    private final List<LaneRead> reads;
    private final ReadText text;
    private final SqlDialect dialect;

    private final MessageCancellation cancellation;

    ReadTogether(Lease lane, List<LaneRead> reads) {
        this.lane = lane;
        this.reads = reads;
        this.text = reads.get(0).read().text();
        this.dialect = lane.node().engine().dialect();
        this.cancellation = new MessageCancellation(
                reads.stream().map(each -> each.read().cancellation()).toList());
    }

    /** Returns as {@link io.multimed.server.node.ReadLanes.Read#readTogether}. Never throws. */
    boolean read() {
        List<StatementRunner.Encoded> results;
        try {
            results = cancellable();
        } catch (ShownCommits.BehindException e) {
            return behind(e);
        } catch (SQLException e) {
            return failed(e, isUsableAfter(e) && !cancellation.wasRequested());
        } catch (RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
            return failed(new SQLException(e.toString(), "XX000", e), false);
        }
        lane.node().reads().add(reads.size());
        if (reads.size() > 1) {
            lane.node().sharedReads().add(reads.size());
        }
        for (int i = 0; i < reads.size(); i++) {
            LaneRead read = reads.get(i);
            StatementRunner.Encoded result = results.get(i);
            if (read.read().cancellation().wasRequested()) {
                tell(() -> read.outcome().canceled(lane, canceled(null))); // before the message was sent
            } else {
                tell(() -> read.outcome().answered(lane, read.read().answer(result)));
            }
        }
        return true;
    }

    /** A failure to tell one client the outcome does not concern the others. */
    private static void tell(Runnable outcome) {
        try {
            outcome.run();
        } catch (RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
            LOG.error("the outcome of a read was lost", e);
        }
    }

    private boolean isUsableAfter(SQLException failure) {
        return !dialect.errors().isConnectionFailure(failure)
                && !dialect.errors().isDueToStatement(failure)
                && !dialect.errors().isOutdatedConnection(failure)
                && !lane.isBroken();
    }

    /** Lets all reads run elsewhere, but those that their clients have canceled. */
    private boolean behind(SQLException cause) {
        boolean usable = !cancellation.wasRequested();
        if (!usable) {
            lane.discard();
        }
        for (LaneRead read : reads) {
            if (read.read().cancellation().wasRequested()) {
                tell(() -> read.outcome().canceled(lane, canceled(cause)));
            } else {
                tell(read.outcome()::behind);
            }
        }
        return usable;
    }

    /** Lets all reads run again, but those that their clients have canceled. */
    private boolean failed(SQLException cause, boolean usable) {
        LOG.debug("reads that ran together failed, and run again one by one", cause);
        if (reads.size() > 1) {
            text.failedTogether();
        }
        if (!usable) {
            lane.discard();
        }
        for (LaneRead read : reads) {
            if (read.read().cancellation().wasRequested()) {
                SQLException why = dialect.errors().hasTimedOut(cause) ? cause : canceled(cause);
                tell(() -> read.outcome().canceled(lane, why));
            } else {
                tell(read.outcome()::mustRunOutside);
            }
        }
        return usable;
    }

    /** Another read's error has ended the message before the client's request to cancel took effect. */
    private static SQLException canceled(@Nullable SQLException cause) {
        return new SQLException(Cancellation.REASON, Cancellation.CANCELED, cause);
    }

    /**
     * Runs the message so that each client, and the lane's watch, can cancel it. An engine may report a canceled read
     * as one that finds no row, or apply a late request to the next statement: after a request, no result is used, and
     * the lane is closed.
     */
    private List<StatementRunner.Encoded> cancellable() throws SQLException {
        Connection connection = lane.connection();
        cancellation.begin(() -> dialect.streaming().cancel(connection));
        List<StatementRunner.Encoded> results;
        try {
            results = execute(connection);
        } finally {
            if (lane.isBroken()) {
                cancellation.abandon();
            } else {
                cancellation.end();
            }
        }
        if (cancellation.wasRequested()) {
            throw new SQLException("a cancel request may have met any of the reads", Cancellation.CANCELED);
        }
        return results;
    }

    private List<StatementRunner.Encoded> execute(Connection connection) throws SQLException {
        reads.forEach(each -> each.outcome().begun());
        reads.get(0).zone().applyTo(connection);
        Answer answer = send(connection);
        Scn needed = needed();
        if (needed.isAfter(answer.shown)) {
            ShownCommits.await(lane, needed);
            answer = send(connection);
        }
        if (needed.isAfter(answer.shown)) {
            throw ShownCommits.behind(lane, needed);
        }
        if (!reads.get(0).outcome().isFresh()) {
            throw new SQLException("the node may be outdated", "57P03");
        }
        return answer.results;
    }

    /** Returns the position up to which the lane must show all commits: the last one that a read needs. */
    private Scn needed() throws SQLException {
        Scn needed = Scn.ZERO;
        long deadline = ShownCommits.deadline();
        for (LaneRead read : reads) {
            Scn own = read.outcome().needed(deadline);
            needed = own.isAfter(needed) ? own : needed;
        }
        return needed;
    }

    /** @param shown the lane has shown all commits up to this position to the reads, or more */
    private record Answer(List<StatementRunner.Encoded> results, Scn shown) {}

    private Answer send(Connection connection) throws SQLException {
        long begin = System.nanoTime();
        List<StatementRunner.Encoded> results = new ArrayList<>(reads.size());
        int bytes = 0;
        Scn shown;
        String sql = text.repeated(reads.size()).orElseThrow();
        try (JoinedReads message = dialect.streaming().joinReads(connection, sql, text.parameters())) {
            for (LaneRead read : reads) {
                message.add(read.read()::bind);
            }
            message.send();
            shown = message.shown();
            for (LaneRead read : reads) {
                try (ResultSet result = message.next()) {
                    StatementRunner.Encoded encoded = read.read().encode(result);
                    results.add(encoded);
                    bytes += encoded.bytes();
                }
            }
            message.finish();
        }
        text.ranOnLane(System.nanoTime() - begin, reads.size(), bytes);
        return new Answer(results, shown);
    }

    /** Cancels the reads, which take so long that they run faster one by one. Blocks. */
    void cancelLate() {
        try {
            cancellation.cancel();
        } catch (SQLException e) {
            LOG.debug("reads that run together could not be canceled", e);
        }
    }
}
