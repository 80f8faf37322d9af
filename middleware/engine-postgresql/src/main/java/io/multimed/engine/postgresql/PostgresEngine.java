// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql;

import com.zaxxer.hikari.HikariConfig;
import io.multimed.engine.Engine;
import io.multimed.engine.SessionDefaults;
import io.multimed.engine.dialect.CatalogReader;
import io.multimed.engine.dialect.ErrorClassifier;
import io.multimed.engine.dialect.ResultStreaming;
import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.extraction.WriteSetExtractor;
import io.multimed.engine.master.MasterStore;
import io.multimed.engine.pool.ConnectionPool;
import io.multimed.engine.pool.HikariConnectionPool;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.pool.Pools;
import io.multimed.engine.postgresql.connection.PostgresConnections;
import io.multimed.engine.postgresql.connection.PostgresErrorFields;
import io.multimed.engine.postgresql.connection.PostgresErrors;
import io.multimed.engine.postgresql.connection.PostgresSessionDefaults;
import io.multimed.engine.postgresql.connection.PostgresSessionSettings;
import io.multimed.engine.postgresql.connection.PostgresTransactions;
import io.multimed.engine.postgresql.connection.PostgresWireProtocol;
import io.multimed.engine.postgresql.master.LogForce;
import io.multimed.engine.postgresql.master.PostgresBypassStore;
import io.multimed.engine.postgresql.master.PostgresCaptureInstaller;
import io.multimed.engine.postgresql.master.PostgresDdlCapture;
import io.multimed.engine.postgresql.master.PostgresExtractor;
import io.multimed.engine.postgresql.master.PostgresFencing;
import io.multimed.engine.postgresql.master.PostgresSealedLog;
import io.multimed.engine.postgresql.master.PostgresSeedSource;
import io.multimed.engine.postgresql.result.PostgresCatalog;
import io.multimed.engine.postgresql.result.PostgresStreaming;
import io.multimed.engine.postgresql.result.PostgresValues;
import io.multimed.engine.postgresql.roles.PasswordLogin;
import io.multimed.engine.postgresql.roles.RoleConnections;
import io.multimed.engine.postgresql.roles.RoleLogins;
import io.multimed.engine.postgresql.roles.RolePrivileges;
import io.multimed.engine.postgresql.satellite.PostgresSatellite;
import io.multimed.engine.postgresql.satellite.PostgresSnapshot;
import io.multimed.engine.postgresql.sql.PostgresReader;
import io.multimed.engine.postgresql.sql.PostgresTransactionStatements;
import io.multimed.engine.satellite.CopySnapshot;
import io.multimed.engine.satellite.SatelliteStore;
import io.multimed.engine.sql.ReadRights;
import io.multimed.engine.sql.SqlReader;
import io.multimed.engine.wire.WireProtocol;
import io.multimed.engine.writeset.ReplicatedTables;
import io.multimed.protocol.value.ErrorFields;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * PostgreSQL, reached through pgjdbc. {@code META-INF/services} names this class, so that the middleware finds it by
 * {@code ServiceLoader} (architecture 3).
 *
 * <p>Each kind of connection is distinguished by the settings with which its session starts ({@code options}). The
 * driver sends these settings in the startup packet, so that they are the session's defaults: {@code RESET ALL}
 * restores them.
 */
public class PostgresEngine implements Engine {
    public static final String ID = "postgresql";

    /** Settings of the user or the database that would end idle connections, or statements, of internal work. */
    private static final String NO_TIMEOUTS =
            " -c statement_timeout=0 -c idle_session_timeout=0 -c idle_in_transaction_session_timeout=0";

    /** The settings of connections for internal work, which may write whatever the database's default is. */
    private static final String OWN_SETTINGS =
            "-c multimed.writeset= -c synchronous_commit=local -c default_transaction_read_only=off" + NO_TIMEOUTS;

    /** A standby refuses the level SERIALIZABLE, which may be the default of the database. */
    private static final String OWN_LEVEL = " -c default_transaction_isolation=read\\ committed";

    /** The settings of connections for single reads on the master. */
    private static final String READER_OPTIONS = "-c multimed.writeset= -c default_transaction_read_only=on";

    /**
     * Limits the time that a statement inside a commit group waits for a lock: longer than other members of the group
     * hold their locks, and short for the members that wait for the group.
     */
    private static final int LOCK_MILLIS = 20;

    /**
     * Limits the run time of a statement inside a commit group: longer than a short statement needs on a busy machine.
     */
    private static final int STATEMENT_MILLIS = 100;

    private static final SqlDialect DIALECT =
            dialect(new PostgresErrors(), new PostgresStreaming(), new PostgresCatalog(), new PostgresReader());

    private static final MasterStore MASTER_STORE = new MasterStore(
            new PostgresCaptureInstaller(),
            new PostgresFencing(),
            new PostgresSealedLog(),
            new PostgresDdlCapture(),
            new PostgresSeedSource(),
            new LogForce(),
            Optional.of(new PostgresBypassStore()));

    /** Returns the facts about PostgreSQL's SQL, with readers that depend on the kind of satellites. */
    protected static SqlDialect dialect(
            ErrorClassifier errors, ResultStreaming streaming, CatalogReader catalog, SqlReader reader) {
        return new SqlDialect(
                errors,
                new PostgresSessionSettings(),
                new PostgresTransactions(),
                streaming,
                catalog,
                reader,
                new PostgresValues());
    }

    @Override
    public String id() {
        return ID;
    }

    @Override
    public WireProtocol wireProtocol() {
        return new PostgresWireProtocol();
    }

    /**
     * Returns an extractor whose seals the engine accepts as long as {@code epoch} is the current one (SQLState MM002
     * afterwards).
     */
    @Override
    public WriteSetExtractor extractor(boolean durableCommits, long epoch) {
        return new PostgresExtractor(durableCommits, epoch);
    }

    /**
     * Creates the pool for updates. With {@code durableCommits} each COMMIT waits for the disk; without it the
     * publisher forces the log once per commit group (architecture 4.2).
     */
    @Override
    public ConnectionPool masterPool(NodeAccess access, int size, boolean durableCommits, int isolation, long epoch) {
        HikariConfig config = admitted(access, size, "master", epoch);
        config.setAutoCommit(false);
        String level = PostgresTransactionStatements.words(isolation)
                .toLowerCase(Locale.ROOT)
                .replace(" ", "\\ ");
        config.addDataSourceProperty(
                "options", masterOptions(durableCommits) + " -c default_transaction_isolation=" + level);
        return new HikariConnectionPool(config);
    }

    /**
     * The empty setting multimed.writeset identifies a connection of the middleware. Writes on connections without the
     * setting bypass the middleware (triggers-sql/README.md).
     */
    private static String masterOptions(boolean durableCommits) {
        return "-c multimed.writeset= -c synchronous_commit=" + (durableCommits ? "on" : "off");
    }

    /**
     * Creates the pool for single reads on the master. All transactions are read-only by default: a statement that was
     * wrongly classified as a read fails with SQLState 25006 (architecture 4.7).
     */
    @Override
    public ConnectionPool masterReaderPool(NodeAccess access, int size, long epoch) {
        HikariConfig config = admitted(access, size, "master-reader", epoch);
        config.setMinimumIdle(0);
        config.addDataSourceProperty("options", READER_OPTIONS);
        return new HikariConnectionPool(config);
    }

    /**
     * Creates the pool for grouped statements (architecture 4.6). The connections are in auto-commit and do not wait
     * for the disk. At READ COMMITTED, the check of shared tables sees all schema changes that were committed before
     * the transaction locked the tables. Each insert of a batch is sent by itself, whatever the URL says, because each
     * is another client's. The engine itself cancels a statement that exceeds one of the limits (55P03, 57014), and the
     * statement runs again outside of its group.
     */
    @Override
    public ConnectionPool groupPool(NodeAccess access, int size, long epoch) {
        HikariConfig config = Pools.shortTimeouts(admitted(access, size, "group", epoch));
        config.setJdbcUrl(PostgresConnections.separateInserts(config.getJdbcUrl()));
        config.addDataSourceProperty("options", groupOptions());
        return new HikariConnectionPool(config);
    }

    private static String groupOptions() {
        return "-c multimed.writeset= -c synchronous_commit=off -c default_transaction_isolation=read\\ committed -c lock_timeout=%d -c statement_timeout=%d"
                .formatted(LOCK_MILLIS, STATEMENT_MILLIS);
    }

    @Override
    public boolean supportsRoles() {
        return true;
    }

    @Override
    public NodeAccess enableRole(Connection own, NodeAccess master, String role) throws SQLException {
        return RoleLogins.enable(own, master, role);
    }

    @Override
    public void checkLogin(NodeAccess master, NodeAccess access) throws SQLException {
        PasswordLogin.check(access);
    }

    @Override
    public ConnectionPool rolePool(
            NodeAccess master, NodeAccess access, int size, boolean reads, boolean durableCommits, long epoch) {
        return reads
                ? RoleConnections.pool(access, size, "role-reader", READER_OPTIONS, true, epoch)
                : RoleConnections.pool(access, size, "role", masterOptions(durableCommits), false, epoch);
    }

    @Override
    public boolean groupsRoles() {
        return true;
    }

    /** Checks the settings after the login: later ones do not apply to the session. */
    @Override
    public Connection connectGroup(Connection own, NodeAccess access, String role, long epoch) throws SQLException {
        Connection opened = RoleConnections.open(access, groupOptions(), epoch);
        try {
            RoleLogins.requireNoSettings(own, role);
            return opened;
        } catch (SQLException e) {
            opened.close();
            throw e;
        }
    }

    /** Also removes prepared statements, which SQL may have put in the place of those of the driver. */
    @Override
    public void clearSession(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("DISCARD ALL");
        }
    }

    @Override
    public ReadRights readRights(Connection own, String role, RoleLogin login) throws SQLException {
        return RolePrivileges.of(own, role);
    }

    @Override
    public RoleState roleState(Connection own) throws SQLException {
        return RolePrivileges.state(own);
    }

    @Override
    public int groupIsolation() {
        return Connection.TRANSACTION_READ_COMMITTED;
    }

    @Override
    public SessionDefaults sessionDefaults(NodeAccess master) throws SQLException {
        return PostgresSessionDefaults.of(master);
    }

    @Override
    public String sessionDefaultsState(Connection own) throws SQLException {
        return PostgresSessionDefaults.state(own);
    }

    /**
     * Creates the pool for single reads. A single read takes its snapshot after it has waited for the lock of a table:
     * at REPEATABLE READ it would see no rows of a table that was rewritten meanwhile.
     */
    @Override
    public ConnectionPool readerPool(NodeAccess access, int size) {
        HikariConfig config = satellitePool(access, size, "reader", "read committed");
        // A result that is streamed needs a transaction, in which the driver then repeats a statement whose plan is
        // outdated. All other reads run outside of transactions, where the driver does so anyway.
        config.addDataSourceProperty("autosave", "conservative");
        return new HikariConnectionPool(config);
    }

    /**
     * Creates the pool for read-only transactions. REPEATABLE READ takes one snapshot, at the first query, for the
     * whole transaction. A pool of its own saves a round trip for each transaction, which would set its level.
     */
    @Override
    public Optional<ConnectionPool> snapshotPool(NodeAccess access, int size) {
        return Optional.of(new HikariConnectionPool(satellitePool(access, size, "snapshot", "repeatable read")));
    }

    private static HikariConfig satellitePool(NodeAccess access, int size, String kind, String isolation) {
        HikariConfig config = PostgresConnections.pool(access, size, kind);
        config.addDataSourceProperty(
                "options",
                "-c default_transaction_read_only=on -c default_transaction_isolation="
                        + isolation.replace(" ", "\\ "));
        return config;
    }

    /**
     * Opens a connection for internal work. Its commits wait for the local disk, but not for standbys ({@code
     * synchronous_commit=local}). The caller closes the connection.
     */
    @Override
    public Connection connect(NodeAccess access) throws SQLException {
        return connect(access, OWN_SETTINGS);
    }

    @Override
    public Connection connectOwn(NodeAccess access) throws SQLException {
        return connect(access, OWN_SETTINGS + OWN_LEVEL + " -c search_path=pg_catalog,pg_temp");
    }

    /**
     * Opens the connection that forces the log. Unlike {@link #connect} it keeps the {@code synchronous_commit} of the
     * server, the database and the user, which decides whether commits wait for standbys, see {@link LogForce}.
     */
    @Override
    public Connection connectLog(NodeAccess master) throws SQLException {
        return connect(
                master,
                "-c multimed.writeset= -c client_min_messages=warning -c default_transaction_read_only=off"
                        + NO_TIMEOUTS);
    }

    private static Connection connect(NodeAccess access, String options) throws SQLException {
        Properties properties = PostgresConnections.properties(access);
        properties.setProperty("options", options);
        return PostgresConnections.open(access, properties, "");
    }

    /**
     * Returns the process id of the server process, which the driver knows from the start of the session: no round
     * trip.
     */
    @Override
    public int session(Connection connection) {
        try {
            return connection.unwrap(PGConnection.class).getBackendPID();
        } catch (SQLException e) {
            return 0;
        }
    }

    @Override
    public Engine byLog(boolean receipts) {
        return new LogEngine(receipts);
    }

    @Override
    public MasterStore masterStore() {
        return MASTER_STORE;
    }

    @Override
    public SatelliteStore openSatellite(NodeAccess access, ReplicatedTables held) throws SQLException {
        return new PostgresSatellite(access, held);
    }

    @Override
    public CopySnapshot openSnapshot(NodeAccess access) throws SQLException {
        return new PostgresSnapshot(access);
    }

    @Override
    public @Nullable SQLException clarify(SQLException failure) {
        return PostgresErrorFields.clarify(failure);
    }

    @Override
    public ErrorFields errorFields(SQLException failure) {
        return PostgresErrorFields.fields(failure);
    }

    @Override
    public SqlDialect dialect() {
        return DIALECT;
    }

    /**
     * Configures a pool whose connections call multimed.enter before any client uses them: the epoch is checked, and
     * the session is recorded as one of this middleware. The row is inserted in a read-write transaction, whatever the
     * default of the session is.
     */
    HikariConfig admitted(NodeAccess access, int size, String kind, long epoch) {
        return Pools.admitted(
                PostgresConnections.pool(access, size, kind),
                "BEGIN READ WRITE; %s; COMMIT".formatted(PostgresFencing.admission(epoch)));
    }
}
