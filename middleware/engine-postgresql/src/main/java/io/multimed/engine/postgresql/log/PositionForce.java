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
import java.sql.Statement;
import java.util.Optional;

/**
 * Forces the log, and returns the position up to which the log is on disk. The position of the insertion is later, but
 * standbys receive what is on disk only: they would wait for the next flush.
 */
public final class PositionForce implements LogForcing {
    private static final String POSITION = Positions.number("pg_catalog.pg_current_wal_flush_lsn()");

    private final LogForce force = new LogForce();

    /** Whether the last force had something to do that needs a commit: the next one is expected to have, too. */
    private volatile boolean advances;

    @Override
    public Scn forceLog(Connection master) throws SQLException {
        return advances ? advance(master) : force(master, "0").scn();
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

    /** Forces the log by a transaction if that is necessary, and reads the position: one round trip. */
    private Scn advance(Connection master) throws SQLException {
        boolean begins = master.getAutoCommit();
        String text = LogForce.statement(master) + "; COMMIT; SELECT " + POSITION + " AS position";
        try (PreparedStatement message = master.prepareStatement(begins ? "BEGIN; " + text : text)) {
            executeOrRollBack(message, begins);
            LogForce.requireStandbys(message);
            try (ResultSet forced = CommitRecord.result(message, LogForce.FORCED)) {
                advances = forced.next();
            }
            try (ResultSet row = CommitRecord.row(message, "position")) {
                Scn position = new Scn(row.getLong("position"));
                Queries.end(master);
                return position;
            }
        }
    }

    /** In auto-commit, the driver would not end a transaction that the message has begun and that has failed. */
    private static void executeOrRollBack(PreparedStatement message, boolean begins) throws SQLException {
        try {
            message.execute();
        } catch (SQLException e) {
            if (begins) {
                try (Statement end = message.getConnection().createStatement()) {
                    end.execute("ROLLBACK");
                } catch (SQLException broken) {
                    e.addSuppressed(broken);
                }
            }
            throw e;
        }
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
