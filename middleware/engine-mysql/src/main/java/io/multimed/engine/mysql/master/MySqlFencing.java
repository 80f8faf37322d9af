// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.master;

import io.multimed.engine.master.Fencing;
import io.multimed.engine.master.SessionWait;
import io.multimed.engine.mysql.connection.Queries;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Admits sessions by rows of {@code multimed.session}, and keeps other middlewares out by a named lock (architecture
 * 4.7). Clients can change neither: the engine releases a named lock with its session, and clients cannot name
 * Multimed's schema.
 */
public final class MySqlFencing implements Fencing {
    private static final int LOCK_SECONDS = 10;

    /**
     * A condition on PROCESSLIST for connections of clients' transactions. The second part finds those of earlier
     * versions.
     */
    private static final String ADMITTED =
            "ID IN (SELECT connection FROM multimed.session) OR IS_USED_LOCK(CONCAT('multimed:', ID)) = ID";

    /** Asks whether the table of clients' sessions exists. */
    private static final String CLIENTS_KNOWN =
            "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'multimed' AND TABLE_NAME = 'session'";

    /** Asks whether the table of sessions of roles exists. */
    private static final String ROLES_KNOWN =
            "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'multimed' AND TABLE_NAME = 'role_session'";

    /**
     * A condition for sessions of roles that hold the named lock, or wait for any, if a role holds it. An entry may be
     * older than the engine's last start, so that its number is that of another middleware's session by now.
     */
    private static final String LOCKING_ROLES =
            "ID IN (SELECT connection FROM multimed.role_session) AND IS_USED_LOCK('multimed') IN (SELECT connection FROM multimed.role_session) AND (IS_USED_LOCK('multimed') = ID OR STATE = 'User lock') AND USER <> (SELECT me.USER FROM information_schema.PROCESSLIST me WHERE me.ID = CONNECTION_ID())";

    /** A condition for all connections of a middleware, including the one that holds the named lock. */
    private static final String OURS = "(" + ADMITTED + " OR IS_USED_LOCK('multimed') = ID)";

    /**
     * Takes the lock first, so that no other middleware can start meanwhile. The engine releases the lock when {@code
     * master} is closed.
     */
    @Override
    public void endForeignSessions(Connection master) throws SQLException {
        keepOut(master);
        if (Queries.number(master, CLIENTS_KNOWN) > 0) { // otherwise nothing is installed
            ForeignSessions.end(master, ADMITTED);
            ForeignSessions.forgetEnded(master, "multimed.session");
        }
        if (Queries.number(master, ROLES_KNOWN) > 0) {
            Queries.execute(master, "DELETE FROM multimed.role_session"); // all of them have ended
        }
        Queries.end(master);
    }

    @Override
    public long takeOver(Connection master) throws SQLException {
        Queries.execute(master, "UPDATE multimed.base SET epoch = epoch + 1");
        return epoch(master);
    }

    @Override
    public long epoch(Connection master) throws SQLException {
        return number(master, "SELECT epoch FROM multimed.base");
    }

    @Override
    public void admit(Connection master, long epoch) throws SQLException {
        Queries.execute(master, admission(epoch));
        Queries.end(master);
    }

    /** Returns the statement that admits a connection on which the engine refuses changes. */
    public static String readersAdmission(long epoch) {
        return "CALL multimed.admit_reader(" + epoch + ")";
    }

    /** Returns the statement that admits a connection, or fails with MM002 if the epoch is over. */
    public static String admission(long epoch) {
        return "CALL multimed.admit(" + epoch + ")";
    }

    /**
     * Takes the named lock. Clients of roles, and other accounts of the engine, can take it, too, while the middleware
     * has no connection: then ends their sessions that hold the lock, or wait for one.
     *
     * @throws SQLException 55006 if another session holds the lock for {@value #LOCK_SECONDS} seconds
     */
    @Override
    public void keepOut(Connection master) throws SQLException {
        if (takesLock(master, 0)) {
            return;
        }
        if (Queries.number(master, ROLES_KNOWN) > 0) {
            ForeignSessions.end(master, LOCKING_ROLES);
        }
        LockIntruders.end(master);
        if (!takesLock(master, LOCK_SECONDS)) {
            throw new SQLException(
                    "another middleware is running on this master; stop it first, or give this one a master of its own",
                    "55006");
        }
    }

    private static boolean takesLock(Connection master, int seconds) throws SQLException {
        List<Boolean> taken =
                Queries.list(master, "SELECT GET_LOCK('multimed', " + seconds + ")", row -> row.getBoolean(1));
        Queries.end(master);
        return taken.get(0);
    }

    /** Ends only sessions that belong to a middleware, see {@link #OURS}. */
    @Override
    public void endSessions(Connection master, Set<Integer> sessions) throws SQLException {
        if (!sessions.isEmpty()) {
            String ids = sessions.stream().map(String::valueOf).collect(Collectors.joining(","));
            ForeignSessions.end(master, OURS + " AND ID IN (" + ids + ")");
        }
    }

    @Override
    public Map<Integer, SessionWait> waits(Connection master, Set<Integer> sessions) throws SQLException {
        return MySqlSessionWaits.of(master, sessions);
    }

    private static long number(Connection master, String query) throws SQLException {
        long number = Queries.number(master, query);
        Queries.end(master);
        return number;
    }
}
