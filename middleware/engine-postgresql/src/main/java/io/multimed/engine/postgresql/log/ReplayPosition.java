// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.log;

import io.multimed.engine.writeset.Scn;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The position up to which a standby has replayed the log: later snapshots contain all commits before it. */
final class ReplayPosition {
    static final String QUESTION =
            "SELECT " + Positions.number("pg_catalog.pg_last_wal_replay_lsn()") + ", pg_catalog.pg_is_in_recovery()";

    private ReplayPosition() {}

    /** Reads the answer. Fails as a lost connection if the server is no standby: it may have been promoted. */
    static Scn read(ResultSet answer) throws SQLException {
        Scn position = Positions.read(answer);
        if (!answer.getBoolean(2)) {
            throw new SQLException("the server is not a standby: it does not follow the master", "08006");
        }
        return position;
    }
}
