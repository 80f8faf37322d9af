package io.multimed.engine.postgresql.master;

import io.multimed.engine.master.DdlCapture;
import io.multimed.engine.master.Fencing;
import io.multimed.engine.master.UnrecordedDdl;
import io.multimed.engine.sql.SchemaChange;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** Event triggers record DDL in the transaction that runs it; here is what they cannot do. */
public final class PostgresDdlCapture implements DdlCapture {
    private static final Fencing FENCING = new PostgresFencing();

    /**
     * The longest wait for transactions that change the schema, before a change is sent to the satellites later; the
     * client waits meanwhile.
     */
    private static final int RECORD_SECONDS = 10;

    private static final int PENDING_SECONDS = 2;

    @Override
    public void shareStatement(Connection openTransaction, String sql) throws SQLException {
        try (PreparedStatement share = openTransaction.prepareStatement("SELECT multimed.append_statement(?)")) {
            share.setString(1, sql);
            share.execute();
        }
    }

    /** The engine tells of each change in the transaction that makes it. */
    @Override
    public boolean announceDdl(Connection openTransaction, SchemaChange change, long number) {
        return false;
    }

    @Override
    public void deferDdl(Connection master, boolean later, long epoch) throws SQLException {
        try (Statement statement = master.createStatement()) {
            statement.execute(later ? "SELECT multimed.begin_later(" + epoch + ")" : "SET multimed.later = ''");
        }
    }

    @Override
    public void recordDdl(Connection openTransaction, @Nullable SchemaChange change, long number) throws SQLException {
        recordAll(openTransaction, RECORD_SECONDS);
    }

    @Override
    public boolean announcePendingDdl(Connection openTransaction, UnrecordedDdl untold) throws SQLException {
        FENCING.endSessions(openTransaction, untold.lost());
        return false;
    }

    @Override
    public void recordPendingDdl(Connection openTransaction, UnrecordedDdl untold) throws SQLException {
        recordAll(openTransaction, PENDING_SECONDS);
    }

    /**
     * Waits for the transactions that have changed the schema, and lets others wait until the end of this one: what it
     * tells must not be older than what they tell.
     */
    private static void recordAll(Connection openTransaction, int seconds) throws SQLException {
        try (Statement statement = openTransaction.createStatement()) {
            statement.execute("SET LOCAL lock_timeout = '%ds'".formatted(seconds));
            statement.execute("LOCK TABLE multimed.told IN SHARE ROW EXCLUSIVE MODE");
            // Less than deadlock_timeout: a client's statement that waits for this one does not fail.
            statement.execute("SET LOCAL lock_timeout = '300ms'");
            statement.execute("SELECT multimed.tell_all()");
        }
    }
}
