// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.log;

import io.multimed.engine.master.BypassStore;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Commits that do not come through the middleware: the log contains them, and standbys replay them. They are published
 * up to a position in the log, all at once.
 */
public final class DirectCommits implements BypassStore {
    /** A number that changes with each transaction with DDL, by the marks of event triggers. */
    private static final String MARKS =
            "(SELECT count(*) + coalesce(max(xid::text::bigint), 0) FROM multimed.ddl_mark)";

    /** Time between two questions about the statistics, which change seldom. */
    private static final long STATISTICS_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final PositionForce force = new PositionForce();
    private final String schema;
    private final long period;

    /** The last number of the schema, and its time by {@link System#nanoTime}. Written by the thread that asks. */
    private volatile SchemaNumber last = new SchemaNumber(0, 0);

    private record SchemaNumber(long number, long nanos) {}

    private DirectCommits(String schema, long period) {
        this.schema = schema;
        this.period = period;
    }

    /** Notices DDL by the marks of event triggers. */
    public static DirectCommits byMarks() {
        return new DirectCommits(MARKS, 0);
    }

    /** Notices DDL by the engine's statistics, after up to 10 s. */
    public static DirectCommits byStatistics() {
        return new DirectCommits(CatalogStatistics.OF_ALL, STATISTICS_NANOS);
    }

    @Override
    public Scn last(Connection master) throws SQLException {
        return latest(master).scn();
    }

    /**
     * Forces the log first: a commit that does not wait for the disk is visible, and acknowledged, before. If the
     * number of the schema changes without a commit, the position of the log is moved, so that the change has one.
     */
    @Override
    public Latest latest(Connection master) throws SQLException {
        if (!master.getAutoCommit()) {
            master.setAutoCommit(true); // one round trip for each question
        }
        SchemaNumber known = last;
        boolean asks = known.nanos == 0 || System.nanoTime() - known.nanos >= period;
        PositionForce.Forced forced = force.force(master, asks ? schema : Long.toString(known.number));
        boolean moves = period > 0 && forced.number() != known.number;
        Latest latest = new Latest(moves ? force.move(master) : forced.scn(), forced.number());
        if (asks) {
            last = new SchemaNumber(forced.number(), System.nanoTime()); // last: a question that fails is repeated
        }
        return latest;
    }

    @Override
    public Optional<WriteSet> writeSet(Scn last, boolean changesSchema) {
        return Optional.of(WriteSet.inLog(changesSchema));
    }

    @Override
    public List<WriteSet> sealed(Connection master, Scn after, Scn upTo, int limit) {
        return List.of();
    }

    @Override
    public void listen(Connection connection) {}

    /** Waits for the whole time: reads ask for the latest commit themselves. */
    @Override
    public void awaitNext(Connection listening, int millis) throws SQLException {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLException("interrupted", "57014", e);
        }
    }

    @Override
    public Optional<Holder> holder(Connection master) {
        return Optional.empty();
    }

    @Override
    public void end(Connection master, Holder holder) {}
}
