// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.log;

import io.multimed.engine.master.CaptureInstaller;
import io.multimed.engine.postgresql.master.PostgresCaptureInstaller;
import io.multimed.engine.writeset.ReplicatedTables;
import java.sql.Connection;
import java.sql.SQLException;

/** Creates the schema {@code multimed} without triggers on tables: the engine's log contains all changes. */
public final class ReceiptInstaller implements CaptureInstaller {
    @Override
    public void install(Connection master, ReplicatedTables replicated, boolean captureBypassing) throws SQLException {
        PostgresCaptureInstaller.installForLog(master);
    }

    @Override
    public void captureTables(Connection master, ReplicatedTables replicated) {}
}
