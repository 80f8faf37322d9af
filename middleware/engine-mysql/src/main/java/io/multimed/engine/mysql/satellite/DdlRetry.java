// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.satellite;

import io.multimed.engine.mysql.connection.Queries;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * Runs DDL on tables that clients of a satellite may be reading. DDL waits for transactions that have read the table,
 * and new readers of the table queue behind the DDL. Each attempt therefore waits only briefly, and is repeated after
 * a pause in which readers continue. New transactions do not arrive meanwhile, because the satellite is not fresh.
 * Every statement commits, so that no lock is held during the pauses.
 */
final class DdlRetry {
    /** The wait of one attempt in seconds: MariaDB supports 0, the minimum of MySQL is 1. */
    private static final String TURN = "IF(VERSION() LIKE '%MariaDB%', 0, 1)";

    private static final int PAUSE_SECONDS = 1;

    /** The wait for all other locks of an applier. */
    static final String PATIENCE = "lock_wait_timeout = 60";

    /** Error number of an expired {@code lock_wait_timeout}. */
    private static final int WAITED_TOO_LONG = 1205;

    private DdlRetry() {}

    /**
     * Runs one statement, and repeats it as long as readers block it. Ends otherwise only with an error, for example
     * because another thread closes the connection.
     */
    static void execute(Connection satellite, String ddl) throws SQLException {
        while (!tryRun(satellite, ddl)) {
            Queries.number(satellite, "SELECT SLEEP(" + PAUSE_SECONDS + ")");
        }
    }

    /** Makes one attempt; returns whether it succeeded. */
    private static boolean tryRun(Connection satellite, String ddl) throws SQLException {
        Queries.execute(satellite, "SET lock_wait_timeout = " + TURN);
        try {
            Queries.execute(satellite, ddl);
            return true;
        } catch (SQLException e) {
            if (e.getErrorCode() != WAITED_TOO_LONG) {
                throw e;
            }
            return false;
        } finally {
            Queries.execute(satellite, "SET " + PATIENCE);
        }
    }
}
