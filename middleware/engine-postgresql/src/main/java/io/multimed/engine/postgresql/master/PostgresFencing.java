package io.multimed.engine.postgresql.master;

import io.multimed.engine.master.Fencing;
import io.multimed.engine.postgresql.connection.PostgresSessions;
import io.multimed.engine.postgresql.connection.Queries;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Set;

/** Admits sessions by the epoch, and keeps other middlewares out by an advisory lock. */
public final class PostgresFencing implements Fencing {
    private static final long MIDDLEWARE_LOCK = 0x6d756c74696d6564L; // "multimed"

    private static final SecureRandom RANDOM = new SecureRandom();

    @Override
    public void endForeignSessions(Connection master) throws SQLException {
        keepOut(master);
        PostgresSessions.end(master, PostgresSessions.ours(master) + " AND pid <> pg_backend_pid()");
    }

    @Override
    public long takeOver(Connection master) throws SQLException {
        try (Statement statement = master.createStatement()) {
            statement.execute("SET LOCAL lock_timeout = '10s'"); // a connection that is being admitted may hang
        }
        // Random, because a seal must prove that it knows the epoch.
        long epoch = 1 + RANDOM.nextLong(Long.MAX_VALUE);
        return Queries.single(
                master, "UPDATE multimed.base SET epoch = " + epoch + " RETURNING epoch", row -> row.getLong(1));
    }

    @Override
    public long epoch(Connection master) throws SQLException {
        return Queries.single(master, "SELECT epoch FROM multimed.base", row -> row.getLong(1));
    }

    @Override
    public void admit(Connection master, long epoch) throws SQLException {
        try (Statement statement = master.createStatement()) {
            statement.execute(admission(epoch));
        }
        Queries.end(master);
    }

    public static String admission(long epoch) {
        return "SELECT multimed.enter(" + epoch + ")";
    }

    @Override
    public void keepOut(Connection master) throws SQLException {
        try (Statement statement = master.createStatement()) {
            statement.execute("SET lock_timeout = '10s'");
            statement.execute("SELECT pg_advisory_lock(" + MIDDLEWARE_LOCK + ")");
            statement.execute("RESET lock_timeout");
            Queries.end(master);
        } catch (SQLException e) {
            if (!Queries.isLockNotAvailable(e)) {
                throw e;
            }
            throw new SQLException(
                    "another middleware is running on this master; stop it first, or give this one a master of its own",
                    "55006",
                    e);
        }
    }

    @Override
    public void endSessions(Connection master, Set<Integer> sessions) throws SQLException {
        Integer[] pids = sessions.toArray(new Integer[0]);
        PostgresSessions.end(
                master,
                PostgresSessions.ours(master) + " AND pid = ANY ('"
                        + Arrays.toString(pids).replace('[', '{').replace(']', '}') + "')");
    }
}
