// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.log;

import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.pool.OwnConnection;
import io.multimed.engine.satellite.MaterializedView;
import io.multimed.engine.satellite.OwnIndex;
import io.multimed.engine.satellite.SatelliteStore;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A physical standby: the engine itself applies the master's log. {@link #apply} only waits until the standby has
 * replayed a position, after which each of its snapshots contains all commits up to there.
 */
public final class StandbyStore extends OwnConnection implements SatelliteStore {
    /**
     * Limits the time in which a standby replays nothing of a log that goes on: longer than reads may delay the replay
     * by default.
     */
    private static final long MAX_STANDSTILL_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** Limits of the pause between two questions: a standby is usually fresh after less than 0.1 ms. */
    private static final long MIN_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(30);

    private static final long MAX_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final NodeAccess access;

    /** @param connection belongs to this object; its names are the engine's own */
    public StandbyStore(NodeAccess access, Connection connection) {
        super(connection);
        this.access = access;
    }

    /**
     * Returns SCN 0, and not the position that the standby has replayed, which may be later than the last published
     * one: the caller then waits for that one. Fails if the server is not a standby.
     */
    @Override
    public Optional<Scn> applied(UUID copyId) throws SQLException {
        connection.setAutoCommit(true);
        ping();
        return LogSource.follows(connection, copyId) ? Optional.of(Scn.ZERO) : Optional.empty();
    }

    @Override
    public void apply(List<WriteSet> writeSets, Scn upTo, SpillReader spills) throws SQLException {
        try (PreparedStatement question = connection.prepareStatement(ReplayPosition.QUESTION)) {
            Scn last = replayed(question);
            long moved = System.nanoTime();
            long pause = MIN_PAUSE_NANOS;
            while (upTo.isAfter(last)) {
                LockSupport.parkNanos(pause);
                if (Thread.currentThread().isInterrupted()) {
                    throw new SQLException("interrupted while a standby replays the log", "57014");
                }
                pause = Math.min(MAX_PAUSE_NANOS, pause + pause / 2);
                Scn now = replayed(question);
                moved = now.equals(last) ? moved : System.nanoTime();
                last = now;
                requireProgress(moved);
            }
        }
    }

    private void requireProgress(long moved) throws SQLException {
        if (System.nanoTime() - moved > MAX_STANDSTILL_NANOS) {
            throw new SQLException(
                    "%s has replayed nothing for %d s: the master may have removed the log that the standby needs, or the replay is paused; see the log of the standby"
                            .formatted(access.node(), TimeUnit.NANOSECONDS.toSeconds(MAX_STANDSTILL_NANOS)),
                    "55000");
        }
    }

    private static Scn replayed(PreparedStatement question) throws SQLException {
        try (ResultSet answer = question.executeQuery()) {
            return ReplayPosition.read(answer);
        }
    }

    @Override
    public void seed(Connection snapshot, Scn scn, UUID copyId, SeedProgress progress) throws SQLException {
        throw new SQLException(
                "%s is a standby of another master: make it again from this one".formatted(access.node()), "55000");
    }

    @Override
    public Set<String> retainOwnIndexes(List<OwnIndex> wanted) {
        return Set.of();
    }

    @Override
    public Optional<String> createOwnIndex(OwnIndex index) {
        return Optional.of("a standby has the indexes of its master only");
    }

    @Override
    public List<String> materialize(List<MaterializedView> views) {
        return views.stream()
                .map(view -> "a standby stores the rows of no other views than its master")
                .toList();
    }

    @Override
    public List<MaterializedView.Maintenance> materialized() {
        return List.of();
    }

    /** Fails also if the server is no standby any more. */
    @Override
    public void ping() throws SQLException {
        try (PreparedStatement question = connection.prepareStatement(ReplayPosition.QUESTION)) {
            replayed(question);
        }
    }

    /** Returns the access of the master's user: a standby has the roles of its master, with their settings. */
    @Override
    public NodeAccess readerAccess() {
        return access;
    }
}
