// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.read;

import io.multimed.engine.memory.ResultMeter;
import io.multimed.engine.writeset.Scn;
import io.multimed.protocol.response.Response;
import io.multimed.server.dispatcher.session.SessionTimeZone;
import io.multimed.server.node.Lease;
import io.multimed.server.node.ReadLanes;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A read that waits for a lane, or runs on it. Used by one thread at a time, except for {@link #cancelTogether}. */
public final class LaneRead implements ReadLanes.Read {
    private final ShortRead read;
    private final SessionTimeZone zone;
    private final Outcome outcome;
    private final Object group;

    /** The message in which this read is the first of several; null if there is none. */
    private volatile @Nullable ReadTogether together;

    /**
     * Receives the outcome. Exactly one method is called, once, on the lane's thread, apart from {@link #begun} and
     * {@link #isFresh}; none may throw.
     */
    public interface Outcome {
        /** The read begins to run together with others. */
        default void begun() {}

        /**
         * Returns the position up to which the lane must show all commits to the read.
         *
         * @param deadline until which the call may block, by {@link System#nanoTime}
         * @throws SQLException if the position is not known in time; {@link #behind} is then called
         */
        Scn needed(long deadline) throws SQLException;

        /**
         * Runs the read by itself on the lane's connection.
         *
         * @return as for {@link ReadLanes.Read#readTogether}
         */
        boolean runAlone(Lease lane);

        /** Receives the result of the read, which has run together with others. */
        void answered(Lease lane, Response response);

        /** Receives the error of a read that its client has canceled while it ran together with others. */
        void canceled(Lease lane, SQLException cause);

        /** The read must run again on a connection of its own: reads that ran together have failed. */
        void mustRunOutside();

        /** As {@link ReadLanes.Read#refused}. */
        void refused(SQLException cause);

        /** The read has not run: it is not known in time that the lane shows what the read needs. */
        void behind();

        /** As {@link ReadLanes.Read#timedOut}. */
        void timedOut(SQLException cause);

        /** Returns whether the node has been up to date until now. */
        boolean isFresh();
    }

    /** Reads of one text run together if their sessions have the same time zone. */
    private record Group(ReadText text, String zone) {}

    /** @param onStandby whether the lane is one of a standby */
    public LaneRead(ShortRead read, SessionTimeZone zone, Outcome outcome, boolean onStandby) {
        this.read = read;
        this.zone = zone;
        this.outcome = outcome;
        this.group = read.decidesToRunTogether(onStandby) ? new Group(read.text(), zone.present()) : this;
    }

    @Override
    public Object group() {
        return group;
    }

    @Override
    public boolean readTogether(Lease lane, List<ReadLanes.Read> reads) {
        ResultMeter.beginPortion();
        boolean showsItsPosition = lane.node().engine().hasStandbys();
        if (reads.size() == 1 && (group == this || !showsItsPosition)) {
            return outcome.runAlone(lane);
        }
        ReadTogether message =
                new ReadTogether(lane, reads.stream().map(LaneRead.class::cast).toList());
        together = message;
        return message.read();
    }

    @Override
    public void cancelTogether() {
        ReadTogether message = together;
        if (message != null) {
            message.cancelLate();
        }
    }

    @Override
    public void refused(SQLException cause) {
        outcome.refused(cause);
    }

    @Override
    public void timedOut(SQLException cause) {
        outcome.timedOut(cause);
    }

    ShortRead read() {
        return read;
    }

    SessionTimeZone zone() {
        return zone;
    }

    Outcome outcome() {
        return outcome;
    }
}
