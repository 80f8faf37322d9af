// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.master;

import io.multimed.engine.master.BypassStore;
import io.multimed.engine.postgresql.connection.Queries;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.postgresql.PGConnection;

/**
 * Access to the transactions that {@code postgresql/capture.sql} captures ({@code bypass: capture}). Their sealed
 * WriteSets have the session number 0 in the receipt. Stateless; every method except {@link #last} ends its
 * transaction.
 */
public final class PostgresBypassStore implements BypassStore {
    /**
     * Reads within the caller's transaction and leaves it open, so that the result belongs to the snapshot of this
     * transaction.
     */
    @Override
    public Scn last(Connection master) throws SQLException {
        try (Statement statement = master.createStatement();
                ResultSet row = statement.executeQuery("SELECT multimed.last_bypassing()")) {
            row.next();
            return new Scn(row.getLong(1));
        }
    }

    /**
     * A WriteSet that cannot be parsed is returned as {@link io.multimed.engine.writeset.Change.Unreadable}, so that
     * the commit order continues.
     */
    @Override
    public List<WriteSet> sealed(Connection master, Scn after, Scn upTo, int limit) throws SQLException {
        String query = """
                SELECT scn, rows, spill, pieces, xid, ddl FROM multimed.sealed
                WHERE session_id = 0 AND scn > ? AND scn <= ? ORDER BY scn LIMIT ?""";
        List<WriteSet> found = new ArrayList<>();
        try (PreparedStatement statement = master.prepareStatement(query)) {
            statement.setLong(1, after.value());
            statement.setLong(2, upTo.value());
            statement.setInt(3, limit);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(PostgresExtractor.read(rows));
                }
            }
        }
        Queries.end(master);
        return found;
    }

    /**
     * Registers for the notification that multimed.seal_bypassing sends; commits, because LISTEN takes effect at the
     * commit.
     */
    @Override
    public void listen(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("LISTEN multimed_bypass");
        }
        Queries.end(connection);
    }

    /**
     * Waits on the socket of the connection, without a statement. A notification may be lost with its connection; the
     * caller therefore also polls.
     */
    @Override
    public void awaitNext(Connection listening, int millis) throws SQLException {
        listening.unwrap(PGConnection.class).getNotifications(millis);
    }

    /**
     * Reads the view multimed.gate_holder, which joins pg_locks with pg_stat_activity: only a bypassing transaction
     * holds the gate in exclusive mode. The virtual transaction id identifies the transaction.
     */
    @Override
    public Optional<Holder> holder(Connection master) throws SQLException {
        Optional<Holder> found = Optional.empty();
        try (Statement statement = master.createStatement();
                ResultSet row =
                        statement.executeQuery("SELECT pid, virtualtransaction, who FROM multimed.gate_holder")) {
            if (row.next()) {
                found = Optional.of(new Holder(row.getInt(1), row.getString(2), row.getString(3)));
            }
        }
        Queries.end(master);
        return found;
    }

    /**
     * Ends the session only if it still holds the gate in the same transaction: meanwhile the session may run another
     * one.
     */
    @Override
    public void end(Connection master, Holder holder) throws SQLException {
        String query =
                "SELECT pg_terminate_backend(pid) FROM multimed.gate_holder WHERE pid = ? AND virtualtransaction = ?";
        try (PreparedStatement statement = master.prepareStatement(query)) {
            statement.setInt(1, holder.session());
            statement.setString(2, holder.transaction());
            statement.execute();
        }
        Queries.end(master);
    }
}
