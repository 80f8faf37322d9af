package io.multimed.engine.mysql.master;

import io.multimed.engine.master.Fencing;
import io.multimed.engine.mysql.connection.Queries;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Admits sessions by rows of {@code multimed.session}, and keeps other middlewares out by a named lock. */
public final class MySqlFencing implements Fencing {
    private static final int LOCK_SECONDS = 10;

    /** The second part finds the connections for clients' transactions of earlier versions. */
    private static final String ADMITTED =
            "ID IN (SELECT connection FROM multimed.session) OR IS_USED_LOCK(CONCAT('multimed:', ID)) = ID";

    private static final String CLIENTS_KNOWN =
            "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'multimed' AND TABLE_NAME = 'session'";

    /** And the one that keeps other middlewares out: at first it is not among those for clients. */
    private static final String OURS = "(" + ADMITTED + " OR IS_USED_LOCK('multimed') = ID)";

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

    /** The same for connections on which the engine refuses changes. */
    public static String readersAdmission(long epoch) {
        return "CALL multimed.admit_reader(" + epoch + ")";
    }

    public static String admission(long epoch) {
        return "CALL multimed.admit(" + epoch + ")";
    }

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
