package io.multimed.engine.mysql.satellite;

import io.multimed.engine.mysql.connection.Queries;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * DDL on what clients of a satellite may be reading. It waits for whoever has read the table and is not over, and others who want to read it wait behind it: so it waits for a moment only, and
 * tries again after a pause in which they read on. New transactions do not come meanwhile: the satellite is not fresh. Each statement commits, so nothing is locked in the pauses.
 */
final class DdlRetry {
    /** In seconds. MariaDB can do without waiting; one is the shortest that MySQL knows. */
    private static final String TURN = "IF(VERSION() LIKE '%MariaDB%', 0, 1)";

    private static final int PAUSE_SECONDS = 1;

    /** For all else that an applier does. */
    static final String PATIENCE = "lock_wait_timeout = 60";

    private static final int WAITED_TOO_LONG = 1205;

    private DdlRetry() {}

    /** Runs one statement, however long readers are in its way. */
    static void run(Connection satellite, String ddl) throws SQLException {
        while (!tryRun(satellite, ddl)) {
            Queries.number(satellite, "SELECT SLEEP(" + PAUSE_SECONDS + ")");
        }
    }

    private static boolean tryRun(Connection satellite, String ddl) throws SQLException {
        Queries.run(satellite, "SET lock_wait_timeout = " + TURN);
        try {
            Queries.run(satellite, ddl);
            return true;
        } catch (SQLException e) {
            if (e.getErrorCode() != WAITED_TOO_LONG) {
                throw e;
            }
            return false;
        } finally {
            Queries.run(satellite, "SET " + PATIENCE);
        }
    }
}
