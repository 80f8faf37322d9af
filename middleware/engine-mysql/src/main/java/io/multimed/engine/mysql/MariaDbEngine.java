// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql;

import io.multimed.engine.mysql.connection.MySqlServer;

/**
 * MariaDB. The code is that of {@link MySqlEngine}; only the name in the System Model and the certification of commits
 * differ, because MariaDB detects overwritten snapshots itself ({@code innodb_snapshot_isolation}). Where else the
 * servers differ, the code asks the server ({@link MySqlServer#isMariaDb}).
 */
public final class MariaDbEngine extends MySqlEngine {
    /** Called by {@link java.util.ServiceLoader}. */
    public MariaDbEngine() {
        super(MySqlServer.MARIADB);
    }
}
