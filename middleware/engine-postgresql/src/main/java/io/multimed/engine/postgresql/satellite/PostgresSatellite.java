package io.multimed.engine.postgresql.satellite;

import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.pool.OwnConnection;
import io.multimed.engine.postgresql.connection.PostgresConnections;
import io.multimed.engine.postgresql.connection.PostgresSessions;
import io.multimed.engine.postgresql.connection.Relations;
import io.multimed.engine.postgresql.connection.SessionDefaults;
import io.multimed.engine.postgresql.satellite.RelationWriter.Care;
import io.multimed.engine.satellite.SatelliteStore;
import io.multimed.engine.writeset.Change;
import io.multimed.engine.writeset.Change.StatementChange;
import io.multimed.engine.writeset.Relation;
import io.multimed.engine.writeset.ReplicatedTables;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** Writes one PostgreSQL satellite over one connection. */
public final class PostgresSatellite extends OwnConnection implements SatelliteStore {
    /**
     * User triggers and foreign keys stay silent: their effects are in the WriteSets. The settings make a row's text the one that was captured;
     * the planner finds few rows in a large table by its key and must not think of reading all of it. An autovacuum that is in the way is stopped soon, and of a reader and an applier that wait for
     * each other it is the applier that gives up.
     */
    private static final String OPTIONS =
            "-c session_replication_role=replica -c datestyle=ISO -c intervalstyle=postgres"
                    + " -c extra_float_digits=1 -c bytea_output=hex -c lc_monetary=C -c timezone=UTC -c synchronous_commit=off -c enable_seqscan=off -c enable_hashjoin=off"
                    + " -c enable_mergejoin=off -c plan_cache_mode=force_generic_plan -c check_function_bodies=off -c jit=off -c deadlock_timeout=50ms";

    /** Tells an applier's sessions from others. */
    private static final String APPLIER = PostgresConnections.APPLICATION + " applier";

    private static final String UNIQUE_VIOLATION = "23505";
    private static final String EXCLUSION_VIOLATION = "23P01";
    private static final String UNSAFE_NEW_ENUM_VALUE = "55P04";

    /** Waited for a lock for the time of a turn; a deadlock with a reader. */
    private static final Set<String> IN_THE_WAY = Set.of("55P03", "40P01");

    /** Of the time that the last try took, so that readers have most of it. */
    private static final int PAUSE_FACTOR = 2;

    private static final long SHORTEST_PAUSE = 100;
    private static final long LONGEST_PAUSE = 5_000;
    private static final String APPLIED_AND_COMMIT = "UPDATE multimed.applied SET scn = ?; COMMIT";

    private final NodeAccess access;
    private final ReplicatedTables held;
    private final SatelliteCatalog catalog;

    public PostgresSatellite(NodeAccess access, ReplicatedTables held) throws SQLException {
        super(open(access));
        this.access = access;
        this.held = held;
        this.catalog = new SatelliteCatalog(connection, held);
    }

    private static Connection open(NodeAccess access) throws SQLException {
        Properties properties = PostgresConnections.properties(access);
        properties.setProperty("options", OPTIONS);
        properties.setProperty("ApplicationName", APPLIER);
        Connection opened = DriverManager.getConnection(access.url(), properties);
        try (Statement statement = opened.createStatement()) {
            statement.execute("SET timezone = 'UTC'"); // the driver sets it from the Java machine's, over the options
        }
        opened.setAutoCommit(false);
        return opened;
    }

    @Override
    public Optional<Scn> applied(UUID historyId) throws SQLException {
        endOthers();
        try (Statement statement = connection.createStatement()) {
            statement.execute(PostgresConnections.SCRIPTS.script("satellite"));
            catalog.load();
            Optional<Scn> applied = applied(statement, historyId);
            connection.commit();
            return applied;
        }
    }

    /** A session that an earlier applier left may have its last transaction before it yet: it must not commit what is about to be applied again. */
    private void endOthers() throws SQLException {
        PostgresSessions.end(
                connection,
                "application_name = '" + APPLIER + "' AND datname = current_database() AND pid <> pg_backend_pid()");
    }

    private static Optional<Scn> applied(Statement statement, UUID historyId) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT scn, cluster FROM multimed.applied")) {
            return row.next() && historyId.equals(row.getObject(2, UUID.class))
                    ? Optional.of(new Scn(row.getLong(1)))
                    : Optional.empty();
        }
    }

    @Override
    public void apply(List<WriteSet> writeSets, Scn upTo, SpillReader spills) throws SQLException {
        try {
            applyInTurns(writeSets, upTo, spills, Care.NORMAL);
        } catch (SQLException e) {
            boolean state = UNIQUE_VIOLATION.equals(e.getSQLState()) || EXCLUSION_VIOLATION.equals(e.getSQLState());
            if (!state && !UNSAFE_NEW_ENUM_VALUE.equals(e.getSQLState())) {
                throw e;
            }
            connection.rollback();
            if (!state) {
                addEnumValues(writeSets);
            }
            catalog.load();
            // The master may have gone through states that the batch leaves out; put the final one in without a state
            // between.
            applyInTurns(writeSets, upTo, spills, Care.NO_STATE_BETWEEN);
        }
    }

    /**
     * DDL waits for whoever has read the table and is not over, and others who want to read it wait behind it. So it waits for a moment only; then all that the transaction has done and locked
     * is given up, and done again after a pause in which they read on. New transactions do not come: the satellite is not fresh.
     */
    private void applyInTurns(List<WriteSet> writeSets, Scn upTo, SpillReader spills, Care care) throws SQLException {
        long begin = System.nanoTime();
        while (!tryApply(writeSets, upTo, spills, care)) {
            long pause = PAUSE_FACTOR * TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
            try (Statement statement = connection.createStatement()) {
                statement.execute(
                        "SELECT pg_sleep(" + Math.max(SHORTEST_PAUSE, Math.min(LONGEST_PAUSE, pause)) / 1e3 + ")");
            }
            connection.commit();
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
            return false;
        }
    }

    /**
     * A new enum value can be used only after its transaction, which on the master was another one than its use. Values that come early are
     * in nobody's rows yet; a type that does not exist yet gets them with its rows.
     */
    private void addEnumValues(List<WriteSet> writeSets) throws SQLException {
        for (WriteSet writeSet : writeSets) {
            for (Change change : writeSet.changes()) {
                if (change instanceof StatementChange statement
                        && statement.sql().startsWith("ALTER TYPE ")
                        && statement.sql().contains(" ADD VALUE ")) {
                    try {
                        catalog.run(statement);
                        catalog.runPending("");
                        connection.commit();
                    } catch (SQLException e) {
                        connection.rollback();
                    }
                }
            }
        }
    }

    private void apply(List<WriteSet> writeSets, Scn upTo, SpillReader spills, Care care) throws SQLException {
        BatchWriter batch = new BatchWriter(connection, catalog, held, care);
        for (WriteSet writeSet : writeSets) {
            if (writeSet.spill() != null) {
                spills.read(writeSet.spill(), batch);
            }
            batch.accept(writeSet.changes());
        }
        batch.flush();
        if (catalog.hasPending()) {
            catalog.runPending(APPLIED_AND_COMMIT.replace("?", Long.toString(upTo.value())));
            return;
        }
        try (PreparedStatement applied = connection.prepareStatement(APPLIED_AND_COMMIT)) {
            applied.setLong(1, upTo.value());
            applied.execute();
        }
    }

    @Override
    public void seed(Connection snapshot, Scn scn, UUID historyId, SeedProgress progress) throws SQLException {
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
            catalog.runPending("");
            statement.execute("DELETE FROM multimed.applied");
            statement.execute("INSERT INTO multimed.applied VALUES (" + scn.value() + ", '" + historyId + "')");
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
        SessionDefaults.give(connection, SatelliteCatalog.READER, sessionDefaults);
    }

    @Override
    public NodeAccess readerAccess() throws SQLException {
        ensureReader();
        String password = NodeAccess.newPassword();
        try (Statement statement = connection.createStatement()) {
            statement.execute(
                    "ALTER ROLE %s LOGIN NOSUPERUSER PASSWORD '%s'".formatted(SatelliteCatalog.READER, password));
        }
        connection.commit();
        return access.as(SatelliteCatalog.READER, password);
    }

    private void ensureReader() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(
                    "DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '%1$s') THEN CREATE ROLE %1$s; END IF; END $$"
                            .formatted(SatelliteCatalog.READER));
        }
        connection.commit();
    }
}
