// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.log;

import io.multimed.engine.master.LogForcing;
import io.multimed.engine.postgresql.connection.Queries;
import io.multimed.engine.postgresql.master.LogForce;
import io.multimed.engine.writeset.Scn;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Forces the log, and returns the position up to which the log is on disk. The position of the insertion is later, but
 * standbys receive what is on disk only: they would wait for the next flush.
 */
public final class PositionForce implements LogForcing {
    private static final String POSITION = "SELECT " + Positions.number("pg_catalog.pg_current_wal_flush_lsn()");

    private final LogForce force = new LogForce();

    @Override
    public Scn forceLog(Connection master) throws SQLException {
        force.forceLog(master);
        return position(master);
    }

    /** Returns the position up to which the log is on disk. */
    static Scn position(Connection master) throws SQLException {
        return Queries.single(master, POSITION, row -> new Scn(row.getLong(1)));
    }

    @Override
    public Optional<String> describeWait(Connection master) throws SQLException {
        return force.describeWait(master);
    }
}
