package io.multimed.engine.postgresql;

import com.zaxxer.hikari.HikariConfig;
import io.multimed.engine.Engine;
import io.multimed.engine.dialect.ComposedDialect;
import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.extraction.WriteSetExtractor;
import io.multimed.engine.master.ComposedMasterStore;
import io.multimed.engine.master.MasterStore;
import io.multimed.engine.pool.ConnectionPool;
import io.multimed.engine.pool.HikariConnectionPool;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.pool.Pools;
import io.multimed.engine.postgresql.connection.PostgresConnections;
import io.multimed.engine.postgresql.connection.PostgresErrorFields;
import io.multimed.engine.postgresql.connection.PostgresErrors;
import io.multimed.engine.postgresql.connection.PostgresSessionSettings;
import io.multimed.engine.postgresql.connection.PostgresTransactions;
import io.multimed.engine.postgresql.connection.SessionDefaults;
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
import io.multimed.engine.postgresql.satellite.PostgresSatellite;
import io.multimed.engine.postgresql.satellite.PostgresSnapshot;
import io.multimed.engine.postgresql.sql.PostgresReader;
import io.multimed.engine.satellite.CopySnapshot;
import io.multimed.engine.satellite.SatelliteStore;
import io.multimed.engine.writeset.ReplicatedTables;
import io.multimed.protocol.value.ErrorFields;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/** PostgreSQL through pgjdbc. */
public final class PostgresEngine implements Engine {
    public static final String ID = "postgresql";

    /** How long a statement inside a commit group may wait for a lock: more than others in the group hold it, little for those that wait for the group. */
    private static final int LOCK_MILLIS = 20;

    /** How long it may run: beyond what a busy machine makes of a short one. */
    private static final int STATEMENT_MILLIS = 100;

    private static final SqlDialect DIALECT = new ComposedDialect(
            new PostgresErrors(),
            new PostgresSessionSettings(),
            new PostgresTransactions(),
            new PostgresStreaming(),
            new PostgresCatalog(),
            new PostgresReader(),
            new PostgresValues());

    private static final MasterStore MASTER_STORE = new ComposedMasterStore(
            new PostgresCaptureInstaller(),
            new PostgresFencing(),
            new PostgresSealedLog(),
            new PostgresDdlCapture(),
            new PostgresSeedSource(),
            new LogForce(),
            Optional.of(new PostgresBypassStore()));

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
        config.setConnectionInitSql("BEGIN READ WRITE; %s; COMMIT".formatted(PostgresFencing.admission(epoch)));
        config.setMinimumIdle(0);
        config.addDataSourceProperty("options", "-c multimed.writeset= -c default_transaction_read_only=on");
        return new HikariConnectionPool(config);
    }

    @Override
    public ConnectionPool groupPool(NodeAccess access, int size, long epoch) {
        HikariConfig config = Pools.shortTimeouts(admitted(access, size, "group", epoch));
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
        HikariConfig config = PostgresConnections.pool(access, size, "reader");
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
        Properties properties = PostgresConnections.properties(access);
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

    private static HikariConfig admitted(NodeAccess access, int size, String kind, long epoch) {
        return Pools.admitted(PostgresConnections.pool(access, size, kind), PostgresFencing.admission(epoch));
    }
}
