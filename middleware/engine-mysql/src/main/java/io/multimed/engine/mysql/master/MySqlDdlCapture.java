package io.multimed.engine.mysql.master;

import io.multimed.engine.master.DdlCapture;
import io.multimed.engine.master.Fencing;
import io.multimed.engine.master.UnrecordedDdl;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.sql.SchemaChange;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Announces and records DDL by {@link DdlPropagation}: the engine reports no changes of the schema by itself. */
public final class MySqlDdlCapture implements DdlCapture {
    private static final Fencing FENCING = new MySqlFencing();

    /** The longest wait for a lock when pending DDL is recorded; others wait behind it. */
    private static final int PENDING_SECONDS = 2;

    /**
     * The longest wait for a lock before a schema change is sent to the satellites later; the client waits meanwhile.
     */
    private static final int RECORD_SECONDS = 10;

    @Override
    public void shareStatement(Connection openTransaction, String statement) throws SQLException {
        throw new SQLException("a statement that every node runs for itself is not supported on this engine", "0A000");
    }

    @Override
    public boolean announceDdl(Connection openTransaction, SchemaChange change, long statement) throws SQLException {
        return DdlPropagation.announce(openTransaction, change, statement);
    }

    /** The engine tells nothing by itself. */
    @Override
    public void deferDdl(Connection master, boolean later, long epoch) {}

    @Override
    public void recordDdl(Connection openTransaction, @Nullable SchemaChange change, long statement)
            throws SQLException {
        DdlPropagation.tell(openTransaction, change, Set.of(statement), RECORD_SECONDS);
    }

    @Override
    public boolean announcePendingDdl(Connection openTransaction, UnrecordedDdl untold) throws SQLException {
        FENCING.endSessions(openTransaction, untold.lost());
        return DdlPropagation.announce(openTransaction, untold.change(), untold.statements());
    }

    @Override
    public void recordPendingDdl(Connection openTransaction, UnrecordedDdl untold) throws SQLException {
        DdlPropagation.tell(openTransaction, untold.change(), untold.statements(), PENDING_SECONDS);
        String sessions =
                "(0" + untold.sessions().stream().map(session -> "," + session).collect(Collectors.joining()) + ")";
        Queries.run(openTransaction, "DELETE FROM multimed.intent WHERE connection IN " + sessions);
    }
}
