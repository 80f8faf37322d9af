// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.master;

import io.multimed.engine.writeset.Scn;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/** Makes the master's commits durable. Stateless. */
public interface LogForcing {
    /**
     * Returns when all earlier commits on the master are on disk and, on a connection of {@link
     * io.multimed.engine.Engine#connectLog}, on the standbys for which the master's commits wait. The connection is in
     * auto-commit.
     *
     * @return the position up to which the log is on disk, if SCNs are positions in the log; otherwise SCN 0
     * @throws SQLException also if the wait for the standbys was canceled
     */
    Scn forceLog(Connection master) throws SQLException;

    /**
     * Describes, for display, the reason why {@link #forceLog} takes long; empty if the engine cannot tell. No
     * transaction is open afterwards.
     */
    default Optional<String> describeWait(Connection master) throws SQLException {
        return Optional.empty();
    }
}
