// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.log;

import io.multimed.engine.master.LogForcing;
import io.multimed.engine.postgresql.connection.Queries;
import io.multimed.engine.postgresql.master.LogForce;
import io.multimed.engine.writeset.Scn;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Forces the log, and returns the position up to which the log is on disk. The position of the insertion is later, but
 * standbys receive what is on disk only: they would wait for the next flush.
 */
public final class PositionForce implements LogForcing {
    private static final String POSITION = Positions.number("pg_catalog.pg_current_wal_flush_lsn()");

    private final LogForce force = new LogForce();

    @Override
    public Scn forceLog(Connection master) throws SQLException {
        Forced forced = force(master, "0");
        return forced.scn();
    }

    /**
     * The position up to which the log is on disk.
     *
     * @param number of the expression that was read with the position
     */
    record Forced(Scn scn, long number) {}

    /**
     * Forces the log. One round trip, unless commits wait for standbys, or only a commit of the engine flushes the log.
     *
     * @param number an expression that is read with the position
     */
    Forced force(Connection master, String number) throws SQLException {
        String sql = "SELECT %s, %s, %s".formatted(LogForce.expression(master), POSITION, number);
        try (PreparedStatement question = master.prepareStatement(sql);
                ResultSet row = question.executeQuery()) {
            row.next();
            long read = row.getLong(3);
            return row.getBoolean(1) ? new Forced(advance(master), read) : new Forced(new Scn(row.getLong(2)), read);
        }
    }

    /** Forces the log by a statement of its own, and commits. */
    private Scn advance(Connection master) throws SQLException {
        force.forceLog(master);
        Queries.end(master);
        return position(master);
    }

    /** Writes something into the log, so that the position changes; forces the log, and returns the position. */
    Scn move(Connection master) throws SQLException {
        Queries.single(master, "SELECT pg_logical_emit_message(true, 'multimed', '')", row -> row.getString(1));
        Queries.end(master);
        return forceLog(master);
    }

    /** Returns the position up to which the log is on disk. */
    static Scn position(Connection master) throws SQLException {
        return Queries.single(master, "SELECT " + POSITION, row -> new Scn(row.getLong(1)));
    }

    @Override
    public Optional<String> describeWait(Connection master) throws SQLException {
        return force.describeWait(master);
    }
}
