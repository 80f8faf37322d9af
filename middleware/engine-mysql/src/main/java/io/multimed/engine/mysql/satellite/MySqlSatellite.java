package io.multimed.engine.mysql.satellite;

import io.multimed.engine.mysql.connection.Connections;
import io.multimed.engine.mysql.connection.MySqlServer;
import io.multimed.engine.mysql.connection.Names;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.mysql.master.ForeignSessions;
import io.multimed.engine.mysql.satellite.RowWriter.Care;
import io.multimed.engine.mysql.schema.AnswerSettings;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.pool.OwnConnection;
import io.multimed.engine.satellite.SatelliteStore;
import io.multimed.engine.writeset.ReplicatedTables;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Writes one satellite of the family over one connection. */
public final class MySqlSatellite extends OwnConnection implements SatelliteStore {
    private static final String READER = "multimed_reader";
    private static final List<String> HOSTS = List.of("%", "localhost", "127.0.0.1");

    /** Foreign keys are the master's business. Nobody else writes, so nothing but the rows themselves is locked. */
    private static final String SETTINGS = ",foreign_key_checks=0," + DdlRetry.PATIENCE;

    /** A row as SQL is twice as long as its bytes. */
    private static final long PACKET = 1L << 30;

    private static final int DUPLICATE = 1062;
    private static final String APPLIER = "'multimed_applier'";
    private static final int LOCK_SECONDS = 10;

    private final NodeAccess access;
    private final ReplicatedTables held;
    private final SatelliteCatalog catalog;

    /** As it stands in multimed.applied. */
    private Scn place = Scn.ZERO;

    public MySqlSatellite(NodeAccess access, ReplicatedTables held) throws SQLException {
        super(open(access));
        this.access = access;
        this.held = held;
        this.catalog = new SatelliteCatalog(connection);
    }

    private static Connection open(NodeAccess access) throws SQLException {
        widen(access);
        Connection opened = Connections.ofCopy(access, SETTINGS);
        opened.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        opened.setAutoCommit(false);
        return opened;
    }

    /** The bound counts for connections that are opened later. */
    private static void widen(NodeAccess access) throws SQLException {
        try (Connection first = Connections.ofCopy(access, "")) {
            Queries.run(first, "SET GLOBAL max_allowed_packet = " + PACKET);
        }
    }

    @Override
    public Optional<Scn> applied(UUID historyId) throws SQLException {
        endOthers();
        Queries.run(connection, MySqlServer.SCRIPTS.script("satellite"));
        catalog.load();
        List<Scn> applied = Queries.list(
                connection,
                "SELECT scn FROM multimed.applied WHERE cluster = ?",
                row -> new Scn(row.getLong(1)),
                historyId.toString());
        connection.commit();
        applied.forEach(scn -> place = scn);
        return applied.stream().findFirst();
    }

    /** A session that an earlier applier left may have its last transaction before it yet: it must not commit what is about to be applied again. */
    private void endOthers() throws SQLException {
        ForeignSessions.end(connection, "ID = IS_USED_LOCK(" + APPLIER + ")");
        if (Queries.number(connection, "SELECT COALESCE(GET_LOCK(%s, %d), 0)".formatted(APPLIER, LOCK_SECONDS)) != 1) {
            throw new SQLException("another applier writes to " + access, "55006");
        }
    }

    @Override
    public void apply(List<WriteSet> writeSets, Scn upTo, SpillReader spills) throws SQLException {
        try {
            apply(writeSets, upTo, spills, Care.NORMAL);
        } catch (SQLException e) {
            if (e.getErrorCode() != DUPLICATE) {
                throw e;
            }
            connection.rollback();
            catalog.load();
            place = new Scn(Queries.number(connection, "SELECT scn FROM multimed.applied"));
            // The master may have gone through states that the batch leaves out; put the final one in without a state
            // between.
            apply(writeSets, upTo, spills, Care.NO_STATE_BETWEEN);
        }
    }

    private void apply(List<WriteSet> writeSets, Scn upTo, SpillReader spills, Care care) throws SQLException {
        ChangeBatch batch = new ChangeBatch(connection, catalog, held, place, care);
        for (WriteSet writeSet : writeSets) {
            if (writeSet.scn().isAfter(place)) { // else the first try has committed it: see Arrivals
                if (writeSet.spill() != null) {
                    spills.read(writeSet.spill(), batch);
                }
                batch.accept(writeSet.changes());
                batch.end(writeSet.scn());
            }
        }
        batch.finish(upTo);
        place = upTo;
    }

    @Override
    public void seed(Connection snapshot, Scn scn, UUID historyId, SeedProgress progress) throws SQLException {
        ForeignSessions.end(connection, "USER = '" + READER + "'");
        new MySqlSeeder(snapshot, connection, held, progress).copy();
        catalog.load();
        Queries.run(connection, "INSERT INTO multimed.applied VALUES (1, %d, '%s')".formatted(scn.value(), historyId));
        connection.commit();
        place = scn;
    }

    @Override
    public void ping() throws SQLException {
        Queries.run(connection, "SELECT 1");
        connection.commit();
    }

    @Override
    public NodeAccess readerAccess() throws SQLException {
        AnswerSettings.apply(connection);
        String password = NodeAccess.newPassword();
        String everything =
                Names.identifier(connection.getCatalog().replace("_", "\\_").replace("%", "\\%")) + ".*";
        for (String host : HOSTS) {
            String user = "'%s'@'%s'".formatted(READER, host);
            Queries.run(connection, "CREATE USER IF NOT EXISTS " + user);
            Queries.run(connection, "ALTER USER %s IDENTIFIED BY '%s'".formatted(user, password));
            Queries.run(connection, "GRANT SELECT ON " + everything + " TO " + user);
        }
        return access.as(READER, password);
    }
}
