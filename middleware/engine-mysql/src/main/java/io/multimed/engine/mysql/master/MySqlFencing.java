package io.multimed.engine.mysql.master;

import io.multimed.engine.master.Fencing;
import io.multimed.engine.mysql.connection.Queries;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
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
            ForeignSessions.forgetEnded(master);
        }
        Queries.end(master);
    }

    @Override
    public long takeOver(Connection master) throws SQLException {
        Queries.run(master, "UPDATE multimed.base SET epoch = epoch + 1");
        return epoch(master);
    }

    @Override
    public long epoch(Connection master) throws SQLException {
        return number(master, "SELECT epoch FROM multimed.base");
    }

    @Override
    public void admit(Connection master, long epoch) throws SQLException {
        Queries.run(master, admission(epoch));
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
     * Takes the named lock.
     *
     * @throws SQLException 55006 if another session holds the lock for {@value #LOCK_SECONDS} seconds
     */
    @Override
    public void keepOut(Connection master) throws SQLException {
        List<Boolean> taken =
                Queries.list(master, "SELECT GET_LOCK('multimed', " + LOCK_SECONDS + ")", row -> row.getBoolean(1));
        Queries.end(master);
        if (!taken.get(0)) {
            throw new SQLException(
                    "another middleware is running on this master; stop it first, or give this one a master of its own",
                    "55006");
        }
    }

    /** Ends only sessions that belong to a middleware, see {@link #OURS}. */
    @Override
    public void endSessions(Connection master, Set<Integer> sessions) throws SQLException {
        if (!sessions.isEmpty()) {
            String ids = sessions.stream().map(String::valueOf).collect(Collectors.joining(","));
            ForeignSessions.end(master, OURS + " AND ID IN (" + ids + ")");
        }
    }

    private static long number(Connection master, String query) throws SQLException {
        long number = Queries.number(master, query);
        Queries.end(master);
        return number;
    }
}
