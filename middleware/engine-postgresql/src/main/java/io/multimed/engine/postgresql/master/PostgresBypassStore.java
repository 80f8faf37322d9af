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

/** Works with {@code postgresql/capture.sql}. */
public final class PostgresBypassStore implements BypassStore {
    @Override
    public Scn last(Connection master) throws SQLException {
        try (Statement statement = master.createStatement();
                ResultSet row = statement.executeQuery("SELECT multimed.last_bypassing()")) {
            row.next();
            return new Scn(row.getLong(1));
        }
    }

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

    @Override
    public void listen(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("LISTEN multimed_bypass");
        }
        Queries.end(connection);
    }

    @Override
    public void awaitNext(Connection listening, int millis) throws SQLException {
        listening.unwrap(PGConnection.class).getNotifications(millis);
    }

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

    /** Asks again whether it still is the same transaction: the session may have another one meanwhile. */
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
