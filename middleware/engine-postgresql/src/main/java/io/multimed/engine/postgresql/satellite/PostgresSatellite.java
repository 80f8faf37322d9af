// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.satellite;

import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.pool.OwnConnection;
import io.multimed.engine.postgresql.connection.PostgresConnections;
import io.multimed.engine.postgresql.connection.PostgresSessionDefaults;
import io.multimed.engine.postgresql.connection.PostgresSessions;
import io.multimed.engine.postgresql.connection.Queries;
import io.multimed.engine.postgresql.connection.Relations;
import io.multimed.engine.postgresql.satellite.RelationWriter.Care;
import io.multimed.engine.satellite.MaterializedView;
import io.multimed.engine.satellite.OwnIndex;
import io.multimed.engine.satellite.SatelliteStore;
import io.multimed.engine.writeset.Change;
import io.multimed.engine.writeset.Change.StatementChange;
import io.multimed.engine.writeset.Relation;
import io.multimed.engine.writeset.ReplicatedTables;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.protocol.Scram;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Writes one PostgreSQL satellite over one connection (architecture 4.5). Seeding and each call of {@link #apply} are
 * one transaction, which also updates multimed.applied: each WriteSet is applied exactly once. Belongs to the applier's
 * thread; only {@link #abort} may be called by others.
 */
public final class PostgresSatellite extends OwnConnection implements SatelliteStore {
    /**
     * Settings of the applier's session. No user triggers and foreign keys run ({@code session_replication_role}),
     * because their effects are in the WriteSets. The text of a row is the text that was captured ({@code datestyle}
     * and the like). The planner finds rows of a large table by their key and does not consider reading all of it
     * ({@code enable_*}). The engine soon stops an autovacuum that blocks the applier, and in a deadlock with a reader
     * it is the applier that gives up ({@code deadlock_timeout}). The limit of temporary files is for readers: the
     * satellite must be able to build every index of the master ({@code temp_file_limit}).
     */
    private static final String OPTIONS =
            "-c session_replication_role=replica -c datestyle=ISO -c intervalstyle=postgres"
                    + " -c extra_float_digits=1 -c bytea_output=hex -c lc_monetary=C -c timezone=UTC -c synchronous_commit=off -c enable_seqscan=off -c enable_hashjoin=off"
                    + " -c enable_mergejoin=off -c plan_cache_mode=force_generic_plan -c check_function_bodies=off -c jit=off -c deadlock_timeout=50ms"
                    + " -c temp_file_limit=-1";

    /** The application name that identifies sessions of appliers. */
    private static final String APPLIER = PostgresConnections.APPLICATION + " applier";

    private static final String UNIQUE_VIOLATION = "23505";
    private static final String EXCLUSION_VIOLATION = "23P01";
    private static final String UNSAFE_NEW_ENUM_VALUE = "55P04";

    /**
     * SQLStates of an applier that waits for readers: the wait for a lock has exceeded its limit, or a deadlock with a
     * reader.
     */
    private static final Set<String> IN_THE_WAY = Set.of("55P03", "40P01");

    /**
     * The pause after a failed attempt, as a multiple of the duration of the attempt: readers have most of the time.
     */
    private static final int PAUSE_FACTOR = 2;

    /** Minimum of the pause in milliseconds. */
    private static final long MIN_PAUSE = 100;
    /** Maximum of the pause in milliseconds. */
    private static final long MAX_PAUSE = 5_000;
    /** Moves the applied SCN and commits, in one round trip. */
    static final String APPLIED_AND_COMMIT = "UPDATE multimed.applied SET scn = ?; COMMIT";

    /** Selects the satellite's own indexes, and whether they have the definition that they were created with. */
    private static final String OWN_INDEXES =
            "SELECT relname, oid::regclass, coalesce(obj_description(oid, 'pg_class') = pg_get_indexdef(oid), false)"
                    + " FROM pg_class WHERE relkind = 'i' AND starts_with(relname, '" + OwnIndex.PREFIX + "')";

    /** Returns the statement that stores the definition of an own index as its comment. */
    private static final String DESCRIPTION =
            "SELECT format('COMMENT ON INDEX %%s IS %%L', oid::regclass, pg_get_indexdef(oid)) FROM pg_class WHERE relkind = 'i' AND relname = '%s'";

    private final NodeAccess access;
    private final ReplicatedTables held;
    private final SatelliteCatalog catalog;
    private final MaterializedViews views;

    /** Writes the present transaction, or has written the last one. */
    private @Nullable BatchWriter last;

    /** Opens the connection, which {@link #close} closes. */
    public PostgresSatellite(NodeAccess access, ReplicatedTables held) throws SQLException {
        super(open(access));
        this.access = access;
        this.held = held;
        this.catalog = new SatelliteCatalog(connection, held);
        this.views = new MaterializedViews(connection, held);
    }

    private static Connection open(NodeAccess access) throws SQLException {
        Properties properties = PostgresConnections.properties(access);
        properties.setProperty("options", OPTIONS);
        properties.setProperty("ApplicationName", APPLIER);
        // the driver sends Java's zone, which overrides the options
        return PostgresConnections.open(access, properties, "SET timezone = 'UTC'");
    }

    /**
     * Ends sessions of earlier appliers and readers, creates the schema multimed if necessary, and loads the catalog of
     * relations. Commits.
     */
    @Override
    public Optional<Scn> applied(UUID copyId) throws SQLException {
        endOthers();
        ensureReader();
        try (Statement statement = connection.createStatement()) {
            statement.execute(PostgresConnections.SCRIPTS.script("satellite"));
            ReaderFence.limit(connection);
            catalog.load();
            Optional<Scn> applied = applied(statement, copyId);
            connection.commit();
            return applied;
        }
    }

    /**
     * Ends the sessions of earlier appliers. Such a session may still be about to commit its last transaction, whose
     * WriteSets would then be applied twice. Also ends the sessions of earlier readers: the engine does not learn that
     * a network has cut them off, and their locks would block DDL for hours.
     */
    private void endOthers() throws SQLException {
        PostgresSessions.end(
                connection,
                "(application_name = '%s' OR usename = '%s') AND datname = current_database() AND pid <> pg_backend_pid()"
                        .formatted(APPLIER, SatelliteCatalog.READER));
    }

    private static Optional<Scn> applied(Statement statement, UUID copyId) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT scn, cluster FROM multimed.applied")) {
            return row.next() && copyId.equals(row.getObject(2, UUID.class))
                    ? Optional.of(new Scn(row.getLong(1)))
                    : Optional.empty();
        }
    }

    /** Repeats the transaction if an index of the satellite cannot contain a row, without this index. */
    @Override
    public void apply(List<WriteSet> writeSets, Scn upTo, SpillReader spills) throws SQLException {
        while (true) {
            try {
                applyWithCare(writeSets, upTo, spills);
                return;
            } catch (SQLException e) {
                if (!UnsuitableIndexes.isReason(e)) {
                    throw e;
                }
                connection.rollback();
                views.rolledBack();
                removeIndexes(e);
                catalog.load();
            }
        }
    }

    /**
     * Removes the indexes that cannot contain a row; if readers are in the way, returns after a pause.
     *
     * @throws SQLException the failure, if there are none
     */
    private void removeIndexes(SQLException failure) throws SQLException {
        try {
            if (!UnsuitableIndexes.remove(connection, failure, writing())) {
                throw failure;
            }
        } catch (SQLException e) {
            if (!IN_THE_WAY.contains(e.getSQLState())) {
                throw e;
            }
            connection.rollback();
            pause(MIN_PAUSE);
        }
    }

    private void pause(long millis) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_sleep(" + millis / 1e3 + ")");
        }
        connection.commit();
    }

    private @Nullable String writing() {
        BatchWriter batch = last;
        return batch == null ? null : batch.writing();
    }

    /**
     * Applies the WriteSets. If a unique or exclusion constraint fails, or an enum value is used in the transaction
     * that adds it, repeats the transaction with more care. After any other error the transaction is left to {@link
     * #close}.
     */
    private void applyWithCare(List<WriteSet> writeSets, Scn upTo, SpillReader spills) throws SQLException {
        try {
            applyInTurns(writeSets, upTo, spills, Care.NORMAL);
        } catch (SQLException e) {
            boolean state = UNIQUE_VIOLATION.equals(e.getSQLState()) || EXCLUSION_VIOLATION.equals(e.getSQLState());
            if (!state && !UNSAFE_NEW_ENUM_VALUE.equals(e.getSQLState())) {
                throw e;
            }
            connection.rollback();
            views.rolledBack();
            if (!state) {
                addEnumValues(writeSets);
            }
            catalog.load();
            // The batch omits intermediate states, so that a row may take the key of a row that is written later: all
            // old rows are removed before new ones are inserted.
            applyInTurns(writeSets, upTo, spills, Care.NO_STATE_BETWEEN);
        }
    }

    /**
     * Repeats the transaction until no reader blocks it. DDL waits for transactions that have read the table, and
     * further readers wait behind the DDL. Therefore DDL waits for a short time only; then the whole transaction is
     * rolled back, so that it releases its locks, and is repeated after a pause. New transactions are not routed here,
     * because the satellite is not fresh.
     */
    private void applyInTurns(List<WriteSet> writeSets, Scn upTo, SpillReader spills, Care care) throws SQLException {
        long begin = System.nanoTime();
        while (!tryApply(writeSets, upTo, spills, care)) {
            long pause = PAUSE_FACTOR * TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
            pause(Math.max(MIN_PAUSE, Math.min(MAX_PAUSE, pause)));
            catalog.load();
            begin = System.nanoTime();
        }
    }

    /** Returns false, with no transaction open, if readers are in the way. */
    private boolean tryApply(List<WriteSet> writeSets, Scn upTo, SpillReader spills, Care care) throws SQLException {
        try {
            apply(writeSets, upTo, spills, care);
            return true;
        } catch (SQLException e) {
            if (!IN_THE_WAY.contains(e.getSQLState())) {
                throw e;
            }
            connection.rollback();
            views.rolledBack();
            return false;
        }
    }

    /**
     * Adds the new enum values of the WriteSets in transactions of their own. PostgreSQL permits the use of a value
     * only after the transaction that added it, and on the master these were different transactions. Values that are
     * added early are not in any row yet. If the type does not exist yet, the attempt fails without effect: PostgreSQL
     * permits the use of all values of a type that the same transaction has created.
     */
    private void addEnumValues(List<WriteSet> writeSets) throws SQLException {
        for (WriteSet writeSet : writeSets) {
            for (Change change : writeSet.changes()) {
                if (change instanceof StatementChange statement
                        && statement.sql().startsWith("ALTER TYPE ")
                        && statement.sql().contains(" ADD VALUE ")) {
                    try {
                        catalog.apply(statement);
                        catalog.runPending("");
                        connection.commit();
                    } catch (SQLException e) {
                        connection.rollback();
                    }
                }
            }
        }
    }

    /**
     * Applies all WriteSets and commits. Pieces that remained on the master are read over a connection of the caller.
     */
    private void apply(List<WriteSet> writeSets, Scn upTo, SpillReader spills, Care care) throws SQLException {
        BatchWriter batch = new BatchWriter(connection, catalog, held, care, views);
        last = batch;
        for (WriteSet writeSet : writeSets) {
            if (writeSet.spill() != null) {
                spills.read(writeSet.spill(), batch);
            }
            batch.receive(writeSet.changes());
        }
        batch.finish(upTo);
    }

    /**
     * Replaces all data in one transaction of the satellite. The caller owns the connection {@code snapshot} and ends
     * its transaction. Afterwards ANALYZE collects statistics for readers.
     */
    @Override
    public void seed(Connection snapshot, Scn scn, UUID copyId, SeedProgress progress) throws SQLException {
        ensureReader();
        new PostgresSeeder(snapshot, connection, held, progress).copy();
        try (Statement statement = connection.createStatement()) {
            statement.execute(PostgresConnections.SCRIPTS.script("satellite"));
            catalog.load();
            try (Statement source = snapshot.createStatement()) {
                for (Relation relation : Relations.all(source)) {
                    catalog.put(relation);
                }
            }
            catalog.runPending(ReaderFence.ADDED);
            statement.execute("DELETE FROM multimed.applied");
            statement.execute("INSERT INTO multimed.applied VALUES (" + scn.value() + ", '" + copyId + "')");
        }
        connection.commit();
        analyze();
    }

    private void analyze() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("ANALYZE");
        }
        connection.commit();
    }

    /**
     * Also removes own indexes that are no longer what they were when they were created: the engine lets an index
     * follow its table and its columns when these receive other names.
     */
    @Override
    public Set<String> retainOwnIndexes(List<OwnIndex> wanted) throws SQLException {
        Set<String> present = new HashSet<>();
        List<String> unwanted = new ArrayList<>();
        try (Statement statement = connection.createStatement()) {
            try (ResultSet rows = statement.executeQuery(OWN_INDEXES)) {
                while (rows.next()) {
                    String name = rows.getString(1);
                    if (rows.getBoolean(3)
                            && wanted.stream().anyMatch(each -> each.name().equals(name))) {
                        present.add(name);
                    } else {
                        unwanted.add(rows.getString(2));
                    }
                }
            }
            for (String each : unwanted) {
                statement.execute("DROP INDEX " + each);
            }
        }
        connection.commit();
        return present;
    }

    /** Returns whether the engine has created indexes of partitions, too, whose names the master may use. */
    private static boolean isPartitioned(Statement statement, OwnIndex index) throws SQLException {
        try (ResultSet row = statement.executeQuery(
                "SELECT FROM pg_class WHERE relkind = 'I' AND relname = '" + index.name() + "'")) {
            return row.next();
        }
    }

    @Override
    public Optional<String> createOwnIndex(OwnIndex index) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(index.creation());
            if (isPartitioned(statement, index)) {
                connection.rollback();
                return Optional.of(
                        "a partitioned table has no index of a satellite's own; define one for each partition");
            }
            for (String remark : Queries.texts(statement, DESCRIPTION.formatted(index.name()))) {
                statement.execute(remark);
            }
            connection.commit();
            return Optional.empty();
        } catch (SQLException e) {
            if (String.valueOf(e.getSQLState()).startsWith("08")) {
                throw e;
            }
            connection.rollback();
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
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT 1");
        }
        connection.commit();
    }

    @Override
    public void setSessionDefaults(Map<String, String> sessionDefaults) throws SQLException {
        ensureReader();
        PostgresSessionDefaults.give(connection, SatelliteCatalog.READER, sessionDefaults);
    }

    /** Sets a new random password for the readers' role at each call; sessions that are open already continue. */
    @Override
    public NodeAccess readerAccess() throws SQLException {
        ensureReader();
        String password = NodeAccess.newPassword();
        String verifier = Scram.verifierOfRandom(password.toCharArray()).toText();
        try (Statement statement = connection.createStatement()) {
            statement.execute(
                    "ALTER ROLE %s LOGIN NOSUPERUSER PASSWORD '%s'".formatted(SatelliteCatalog.READER, verifier));
        }
        connection.commit();
        return access.as(SatelliteCatalog.READER, password);
    }

    /**
     * Creates the role of readers if it does not exist. Roles belong to the whole server, so that a new schema does not
     * remove it.
     */
    private void ensureReader() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(
                    "DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '%1$s') THEN CREATE ROLE %1$s; END IF; END $$"
                            .formatted(SatelliteCatalog.READER));
        }
        connection.commit();
    }
}
