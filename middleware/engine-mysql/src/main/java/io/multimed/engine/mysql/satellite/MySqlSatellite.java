// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
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
import io.multimed.engine.satellite.MaterializedView;
import io.multimed.engine.satellite.OwnIndex;
import io.multimed.engine.satellite.SatelliteStore;
import io.multimed.engine.writeset.ReplicatedTables;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Writes one satellite over one connection, which belongs to this object. Used by the applier's thread, except for
 * {@link #abort}.
 */
public final class MySqlSatellite extends OwnConnection implements SatelliteStore {
    /** The user of readers' connections, who has the privilege SELECT on the replicated database only. */
    private static final String READER = "multimed_reader";

    /** Hosts of the reader's accounts: entries for a name take precedence over a wildcard. */
    private static final List<String> HOSTS = List.of("%", "localhost", "127.0.0.1");

    /** Foreign keys are not checked, because the master has checked them. */
    private static final String SETTINGS = ",foreign_key_checks=0," + DdlRetry.PATIENCE;

    /**
     * Checks are not repeated: the master has checked, or a client did not want it. The limit of temporary tables is
     * for readers.
     */
    private static final String MARIADB_SETTINGS =
            "SET check_constraint_checks = OFF, tmp_disk_table_size = 18446744073709551615";

    /** Maximum size of a statement: a row as SQL is twice as long as its bytes. */
    private static final long PACKET = 1L << 30;

    /** Error number of a violated unique index. */
    private static final int DUPLICATE = 1062;

    /** The named lock that identifies the session of the applier. */
    private static final String APPLIER = "'multimed_applier'";

    private static final int LOCK_SECONDS = 10;

    private final NodeAccess access;
    private final ReplicatedTables held;
    private final SatelliteCatalog catalog;
    private final MaterializedViews views;

    /** The applied SCN, as stored in {@code multimed.applied}. */
    private Scn place = Scn.ZERO;

    /**
     * Opens the connection. READ COMMITTED keeps the applier from locking gaps: no other session writes.
     *
     * @param held the tables that the satellite holds
     */
    public MySqlSatellite(NodeAccess access, ReplicatedTables held) throws SQLException {
        super(open(access));
        this.access = access;
        this.held = held;
        this.catalog = new SatelliteCatalog(connection);
        this.views = new MaterializedViews(connection, held);
    }

    private static Connection open(NodeAccess access) throws SQLException {
        widen(access);
        Connection opened = Connections.ofCopy(access, SETTINGS);
        opened.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        opened.setAutoCommit(false);
        if (MySqlServer.isMariaDb(opened)) {
            Queries.execute(opened, MARIADB_SETTINGS);
        }
        Connections.endOpening(opened);
        return opened;
    }

    /** Raises the maximum size of statements, which takes effect for connections that are opened later. */
    private static void widen(NodeAccess access) throws SQLException {
        try (Connection first = Connections.ofCopy(access, "")) {
            Queries.execute(first, "SET GLOBAL max_allowed_packet = " + PACKET);
        }
    }

    /**
     * Takes the applier's lock, ends sessions of earlier readers, and creates Multimed's tables on the satellite.
     *
     * @throws SQLException 55006 if another applier writes to the satellite
     */
    @Override
    public Optional<Scn> applied(UUID copyId) throws SQLException {
        endOthers();
        Queries.execute(connection, MySqlServer.SCRIPTS.script("satellite"));
        catalog.load();
        List<Scn> applied = Queries.list(
                connection,
                "SELECT scn FROM multimed.applied WHERE cluster = ?",
                row -> new Scn(row.getLong(1)),
                copyId.toString());
        connection.commit();
        applied.forEach(scn -> place = scn);
        return applied.stream().findFirst();
    }

    /**
     * Ends the session of an earlier applier, whose last transaction may not be over: it must not commit changes that
     * are about to be applied again. Also ends the sessions of earlier readers and comparisons: the engine does not
     * learn that a network has cut them off, and their locks would block DDL for hours.
     */
    private void endOthers() throws SQLException {
        ForeignSessions.end(
                connection,
                "ID = IS_USED_LOCK(%s) OR ID = IS_USED_LOCK(%s) OR USER = '%s'"
                        .formatted(APPLIER, MySqlSnapshot.LOCK, READER));
        if (Queries.number(connection, "SELECT COALESCE(GET_LOCK(%s, %d), 0)".formatted(APPLIER, LOCK_SECONDS)) != 1) {
            throw new SQLException("another applier writes to " + access, "55006");
        }
    }

    /** Applies the changes. If a materialized view cannot be computed, repeats this without materialized views. */
    @Override
    public void apply(List<WriteSet> writeSets, Scn upTo, SpillReader spills) throws SQLException {
        try {
            applyInTwoWays(writeSets, upTo, spills);
        } catch (MaterializedViews.ComputationException e) {
            beginAgain();
            views.restore();
            applyInTwoWays(writeSets, upTo, spills);
        }
    }

    /**
     * Applies the changes by updates. If a unique index refuses an intermediate state, repeats the WriteSets that are
     * not committed yet by deletes and inserts.
     */
    private void applyInTwoWays(List<WriteSet> writeSets, Scn upTo, SpillReader spills) throws SQLException {
        try {
            apply(writeSets, upTo, spills, Care.NORMAL);
        } catch (SQLException e) {
            if (e.getErrorCode() != DUPLICATE || e instanceof MaterializedViews.ComputationException) {
                throw e;
            }
            beginAgain();
            // The batch omits states through which the master has gone. Delete all old rows before inserting new ones.
            apply(writeSets, upTo, spills, Care.NO_STATE_BETWEEN);
        }
    }

    /** Discards what is not committed, and finds the place of the satellite again. */
    private void beginAgain() throws SQLException {
        connection.rollback();
        catalog.load();
        place = new Scn(Queries.number(connection, "SELECT scn FROM multimed.applied"));
    }

    private void apply(List<WriteSet> writeSets, Scn upTo, SpillReader spills, Care care) throws SQLException {
        ChangeBatch batch = new ChangeBatch(connection, catalog, held, place, care, views);
        for (WriteSet writeSet : writeSets) {
            // Otherwise the first attempt has committed this WriteSet: a WriteSet with DDL commits, see ChangeBatch.
            if (writeSet.scn().isAfter(place)) {
                if (writeSet.spill() != null) {
                    spills.read(writeSet.spill(), batch);
                }
                batch.receive(writeSet.changes());
                batch.end(writeSet.scn());
            }
        }
        batch.finish(upTo);
        place = upTo;
    }

    /** Copies the master. The applied SCN is written last. */
    @Override
    public void seed(Connection snapshot, Scn scn, UUID copyId, SeedProgress progress) throws SQLException {
        new MySqlSeeder(snapshot, connection, held, progress).copy();
        catalog.load();
        Queries.execute(connection, "INSERT INTO multimed.applied VALUES (1, %d, '%s')".formatted(scn.value(), copyId));
        connection.commit();
        place = scn;
    }

    /** An index with its table. */
    private record Place(String index, String table) {}

    @Override
    public Set<String> retainOwnIndexes(List<OwnIndex> wanted) throws SQLException {
        Set<String> present = new HashSet<>();
        List<Place> places = Queries.list(
                connection,
                "SELECT DISTINCT INDEX_NAME, TABLE_NAME FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() AND LEFT(INDEX_NAME, %d) = '%s'"
                        .formatted(OwnIndex.PREFIX.length(), OwnIndex.PREFIX),
                row -> new Place(row.getString(1), row.getString(2)));
        for (Place each : places) {
            if (wanted.stream().anyMatch(index -> index.name().equals(each.index))) {
                present.add(each.index);
            } else {
                DdlRetry.execute(
                        connection,
                        "DROP INDEX %s ON %s".formatted(Names.identifier(each.index), Names.identifier(each.table)));
            }
        }
        connection.commit();
        return present;
    }

    @Override
    public Optional<String> createOwnIndex(OwnIndex index) throws SQLException {
        try {
            DdlRetry.execute(connection, index.creation());
            return Optional.empty();
        } catch (SQLException e) {
            if (String.valueOf(e.getSQLState()).startsWith("08")) {
                throw e;
            }
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    @Override
    public List<String> materialize(List<MaterializedView> wanted) throws SQLException {
        return views.materialize(wanted);
    }

    @Override
    public List<MaterializedView.Maintenance> materialized() {
        return views.maintained();
    }

    @Override
    public void ping() throws SQLException {
        Queries.execute(connection, "SELECT 1");
        connection.commit();
    }

    /** Sets the server's settings, with which sessions begin. */
    @Override
    public void setSessionDefaults(Map<String, String> sessionDefaults) throws SQLException {
        AnswerSettings.replace(connection, sessionDefaults);
        AnswerSettings.apply(connection);
    }

    /**
     * Applies the master's settings to the server, and creates the reader's accounts with a new password: logins of an
     * earlier middleware become invalid.
     */
    @Override
    public NodeAccess readerAccess() throws SQLException {
        AnswerSettings.apply(connection);
        String password = NodeAccess.newPassword();
        String everything =
                Names.identifier(connection.getCatalog().replace("_", "\\_").replace("%", "\\%")) + ".*";
        for (String host : HOSTS) {
            String user = "'%s'@'%s'".formatted(READER, host);
            Queries.execute(connection, "CREATE USER IF NOT EXISTS " + user);
            Queries.execute(connection, "ALTER USER %s IDENTIFIED BY '%s'".formatted(user, password));
            Queries.execute(connection, "GRANT SELECT ON " + everything + " TO " + user);
        }
        return access.as(READER, password);
    }
}
