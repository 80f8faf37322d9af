// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.log;

import io.multimed.engine.postgresql.connection.PostgresErrors;
import java.sql.SQLException;
import java.util.Set;

/** Classifies errors as {@link PostgresErrors}, and those that only standbys raise: the master runs the read again. */
public final class StandbyErrors extends PostgresErrors {
    /**
     * Conflicts of a read with the log that the standby replays (40001, 40P01): transactions that only read have no
     * others. And functions that a standby refuses (55000).
     */
    private static final Set<String> STANDBYS_ONLY = Set.of("40001", "40P01", "55000");

    @Override
    public boolean mayBeMissingOnSatellite(SQLException failure) {
        return super.mayBeMissingOnSatellite(failure)
                || isDamage(failure)
                || STANDBYS_ONLY.contains(String.valueOf(failure.getSQLState()));
    }
}
