// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.log;

import io.multimed.engine.postgresql.connection.Queries;
import io.multimed.engine.postgresql.master.PostgresSeedSource;
import io.multimed.engine.writeset.Relation;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

/** The master as the source of standbys, which are made by copies of files. */
public final class LogSource extends PostgresSeedSource {
    private static final String HISTORY = """
            SELECT ('x' || pg_catalog.substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int8, system_identifier
            FROM pg_catalog.pg_control_system()""";

    private static final String STANDBY = """
            SELECT greatest(timeline_id, min_recovery_end_timeline)::int8, system_identifier
            FROM pg_catalog.pg_control_system(), pg_catalog.pg_control_checkpoint(), pg_catalog.pg_control_recovery()""";

    /** Returns the timeline of the log, and the system identifier, which a server and its standbys have in common. */
    @Override
    public UUID historyId(Connection master) throws SQLException {
        return Queries.single(master, HISTORY, row -> new UUID(row.getLong(1), row.getLong(2)));
    }

    /**
     * Returns whether a standby may follow a history. A standby of a later timeline was promoted: its log contains what
     * the master's does not, so that equal positions mean nothing.
     */
    static boolean follows(Connection standby, UUID history) throws SQLException {
        UUID own = Queries.single(standby, STANDBY, row -> new UUID(row.getLong(1), row.getLong(2)));
        return own.getLeastSignificantBits() == history.getLeastSignificantBits()
                && own.getMostSignificantBits() <= history.getMostSignificantBits();
    }

    /** Returns none: nothing is copied by rows. */
    @Override
    public List<Relation> relations(Connection master) {
        return List.of();
    }

    @Override
    public void beginSnapshot(Connection master) throws SQLException {
        throw new SQLException("a standby is made by a copy of the master's files", "0A000");
    }
}
