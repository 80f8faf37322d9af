// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.log;

import io.multimed.engine.master.BypassStore;
import io.multimed.engine.postgresql.master.LogForce;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Commits that do not come through the middleware: the log contains them, and standbys replay them. They are published
 * up to a position in the log, all at once.
 */
public final class DirectCommits implements BypassStore {
    private static final String LATEST = "SELECT " + Positions.number("pg_catalog.pg_current_wal_flush_lsn()")
            + ", (SELECT count(*) FROM multimed.ddl_mark)";

    private final LogForce force = new LogForce();

    @Override
    public Scn last(Connection master) throws SQLException {
        return latest(master).scn();
    }

    /** Forces the log first: a commit that does not wait for the disk is visible, and acknowledged, before. */
    @Override
    public Latest latest(Connection master) throws SQLException {
        force.forceLog(master);
        try (Statement statement = master.createStatement();
                ResultSet row = statement.executeQuery(LATEST)) {
            return new Latest(Positions.read(row), row.getLong(2));
        }
    }

    @Override
    public Optional<WriteSet> writeSet(Scn last, boolean changesSchema) {
        return Optional.of(WriteSet.inLog(changesSchema).at(last));
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
