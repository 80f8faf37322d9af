package io.multimed.engine.postgresql;

import com.zaxxer.hikari.HikariConfig;
import io.multimed.engine.ConnectionPool;
import io.multimed.engine.CopySnapshot;
import io.multimed.engine.Engine;
import io.multimed.engine.HeldTables;
import io.multimed.engine.HikariConnectionPool;
import io.multimed.engine.MasterStore;
import io.multimed.engine.NodeAccess;
import io.multimed.engine.Pools;
import io.multimed.engine.SatelliteStore;
import io.multimed.engine.SqlDialect;
import io.multimed.engine.extraction.WriteSetExtractor;
import io.multimed.protocol.value.ErrorFields;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/** PostgreSQL through pgjdbc. */
public final class PostgresEngine implements Engine {
    public static final String ID = "postgresql";

    /**
     * The name by which a new middleware finds the internal connections of an earlier one; clients can change the name
     * of their connections.
     */
    static final String APPLICATION = "multimed";

    /** Of the heap, for one result, or what is fetched of it at a time. */
    static final int RESULT_PERCENT = 45;

    /** How long a statement inside a commit group may wait for a lock: more than others in the group hold it, little for those that wait for the group. */
    private static final int LOCK_MILLIS = 20;

    /** How long it may run: beyond what a busy machine makes of a short one. */
    private static final int STATEMENT_MILLIS = 100;

    private static final Pattern QUERY_MODE = Pattern.compile("preferQueryMode=[^&]*");

    @Override
    public String id() {
        return ID;
    }

    @Override
    public WriteSetExtractor extractor(boolean durableCommits, long epoch) {
        return new PostgresExtractor(durableCommits, epoch);
    }

    @Override
    public ConnectionPool masterPool(NodeAccess access, int size, boolean durableCommits, long epoch) {
        HikariConfig config = admitted(access, size, "master", epoch);
        config.setAutoCommit(false);
        // An empty writeset marks a connection as the middleware's: the triggers refuse all others.
        config.addDataSourceProperty(
                "options", "-c multimed.writeset= -c synchronous_commit=" + (durableCommits ? "on" : "off"));
        return new HikariConnectionPool(config);
    }

    @Override
    public ConnectionPool masterReaderPool(NodeAccess access, int size, long epoch) {
        HikariConfig config = admitted(access, size, "master-reader", epoch);
        config.setConnectionInitSql("BEGIN READ WRITE; %s; COMMIT".formatted(PostgresMasterStore.admission(epoch)));
        config.setMinimumIdle(0);
        config.addDataSourceProperty("options", "-c multimed.writeset= -c default_transaction_read_only=on");
        return new HikariConnectionPool(config);
    }

    @Override
    public ConnectionPool impatientPool(NodeAccess access, int size, long epoch) {
        HikariConfig config = Pools.impatient(admitted(access, size, "impatient", epoch));
        config.addDataSourceProperty(
                "options",
                "-c multimed.writeset= -c synchronous_commit=off -c lock_timeout=%d -c statement_timeout=%d"
                        .formatted(LOCK_MILLIS, STATEMENT_MILLIS));
        return new HikariConnectionPool(config);
    }

    @Override
    public Map<String, String> sessionDefaults(NodeAccess master) throws SQLException {
        return SessionDefaults.of(master);
    }

    @Override
    public ConnectionPool readerPool(NodeAccess access, int size) {
        HikariConfig config = pool(access, size, "reader");
        // DDL may arrive in the middle of a read-only transaction: a prepared statement whose result has another form
        // now is prepared anew.
        config.addDataSourceProperty("autosave", "conservative");
        // A single read takes its snapshot after it has waited for a table's lock: at REPEATABLE READ it would see no
        // rows
        // of a table that was rewritten while it waited. Transactions request REPEATABLE READ when they begin.
        config.addDataSourceProperty("options", "-c default_transaction_read_only=on");
        return new HikariConnectionPool(config);
    }

    /** Internal connections do not wait for standbys. */
    @Override
    public Connection connect(NodeAccess access) throws SQLException {
        return connect(access, "-c multimed.writeset= -c synchronous_commit=local");
    }

    @Override
    public Connection connectLog(NodeAccess master) throws SQLException {
        return connect(master, "-c multimed.writeset= -c client_min_messages=warning");
    }

    private static Connection connect(NodeAccess access, String options) throws SQLException {
        Properties properties = properties(access);
        properties.setProperty("options", options);
        Connection connection = DriverManager.getConnection(access.url(), properties);
        connection.setAutoCommit(false);
        return connection;
    }

    @Override
    public int session(Connection connection) {
        try {
            return connection.unwrap(PGConnection.class).getBackendPID();
        } catch (SQLException e) {
            return 0;
        }
    }

    @Override
    public MasterStore masterStore() {
        return new PostgresMasterStore();
    }

    @Override
    public SatelliteStore openSatellite(NodeAccess access, HeldTables held) throws SQLException {
        return new PostgresSatellite(access, held);
    }

    @Override
    public CopySnapshot openSnapshot(NodeAccess access) throws SQLException {
        return new PostgresSnapshot(access);
    }

    @Override
    public @Nullable SQLException clearer(SQLException failure) {
        return PostgresErrors.clearer(failure);
    }

    @Override
    public ErrorFields errorFields(SQLException failure) {
        return PostgresErrors.fields(failure);
    }

    @Override
    public SqlDialect dialect() {
        return new PostgresDialect();
    }

    static Properties properties(NodeAccess access) {
        Properties properties = access.credentials();
        properties.setProperty("ApplicationName", APPLICATION);
        // The driver sends these settings at the start of the session, not by SET, so that RESET ALL preserves them.
        properties.setProperty("assumeMinServerVersion", "9.0");
        properties.setProperty("connectTimeout", "5");
        properties.setProperty("loginTimeout", "10"); // an engine that hangs takes connections and answers nothing
        properties.setProperty("tcpKeepAlive", "true");
        // Clients send the same statements over and over: keep them prepared in the engine from the second time on.
        properties.setProperty("prepareThreshold", "2");
        // Of these types the driver cannot restore the engine's text, or uses its own time zone rules for it.
        properties.setProperty("binaryTransferDisable", "POINT,BOX,TIMETZ,TIMESTAMPTZ");
        // Protects the middleware from results that are read completely: the engine's driver refuses results above this
        // share of the heap.
        properties.setProperty("socketFactory", MeteredSockets.class.getName());
        properties.setProperty("maxResultBuffer", RESULT_PERCENT + "p");
        return properties;
    }

    private static HikariConfig admitted(NodeAccess access, int size, String kind, long epoch) {
        return Pools.admitted(pool(access, size, kind), PostgresMasterStore.admission(epoch));
    }

    private static HikariConfig pool(NodeAccess access, int size, String kind) {
        HikariConfig config = Pools.of(access, size, kind, properties(access), new PostgresDialect());
        config.setJdbcUrl(oneByOne(access.url()));
        return config;
    }

    /**
     * Each message contains one statement, so that the engine refuses statements that are hidden from the driver,
     * regardless of the parameters in the URL of the engine.
     */
    static String oneByOne(String url) {
        return QUERY_MODE.matcher(url).replaceAll("preferQueryMode=extended");
    }
}
