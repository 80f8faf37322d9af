package io.multimed.engine.mysql;

import com.mysql.cj.jdbc.JdbcConnection;
import com.zaxxer.hikari.HikariConfig;
import io.multimed.engine.Engine;
import io.multimed.engine.dialect.ComposedDialect;
import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.extraction.WriteSetExtractor;
import io.multimed.engine.master.ComposedMasterStore;
import io.multimed.engine.master.MasterStore;
import io.multimed.engine.mysql.connection.BoundedSockets;
import io.multimed.engine.mysql.connection.Connections;
import io.multimed.engine.mysql.connection.MySqlErrors;
import io.multimed.engine.mysql.connection.MySqlTransactions;
import io.multimed.engine.mysql.connection.SessionChanges;
import io.multimed.engine.mysql.master.MasterSettings;
import io.multimed.engine.mysql.master.MySqlCaptureInstaller;
import io.multimed.engine.mysql.master.MySqlDdlCapture;
import io.multimed.engine.mysql.master.MySqlExtractor;
import io.multimed.engine.mysql.master.MySqlFencing;
import io.multimed.engine.mysql.master.MySqlSealedLog;
import io.multimed.engine.mysql.master.MySqlSeedSource;
import io.multimed.engine.mysql.result.MySqlCatalog;
import io.multimed.engine.mysql.result.MySqlStreaming;
import io.multimed.engine.mysql.result.MySqlValues;
import io.multimed.engine.mysql.satellite.MySqlSatellite;
import io.multimed.engine.mysql.satellite.MySqlSnapshot;
import io.multimed.engine.mysql.sql.MySqlReader;
import io.multimed.engine.pool.ConnectionPool;
import io.multimed.engine.pool.HikariConnectionPool;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.pool.Pools;
import io.multimed.engine.satellite.CopySnapshot;
import io.multimed.engine.satellite.SatelliteStore;
import io.multimed.engine.writeset.ReplicatedTables;
import io.multimed.protocol.value.ErrorField;
import io.multimed.protocol.value.ErrorFields;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.DataTruncation;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLNonTransientException;
import java.sql.SQLSyntaxErrorException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransactionRollbackException;
import java.sql.SQLTransientConnectionException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** MariaDB or MySQL through MySQL Connector/J. Their commits are durable by themselves and share the engine's own group commit, whatever is asked for. */
public class MySqlEngine implements Engine {
    private static final Set<Class<?>> SUBCLASSES = Set.of(
            DataTruncation.class,
            SQLDataException.class,
            SQLFeatureNotSupportedException.class,
            SQLIntegrityConstraintViolationException.class,
            SQLNonTransientConnectionException.class,
            SQLNonTransientException.class,
            SQLSyntaxErrorException.class,
            SQLTimeoutException.class,
            SQLTransactionRollbackException.class,
            SQLTransientConnectionException.class);

    /**
     * The engine that has no setting against overwriting changes outside a transaction's snapshot; see
     * {@link MasterSettings}.
     */
    private static final String WITHOUT_SNAPSHOTS = "mysql";

    private static final String TOO_LARGE = "53200";
    private static final String SERIALIZATION_FAILURE = "40001";

    private static final SqlDialect DIALECT = new ComposedDialect(
            new MySqlErrors(),
            new MySqlSessionSettings(new MySqlReader()),
            new MySqlTransactions(),
            new MySqlStreaming(),
            new MySqlCatalog(),
            new MySqlReader(),
            new MySqlValues());

    private static final MasterStore MASTER_STORE = new ComposedMasterStore(
            new MySqlCaptureInstaller(),
            new MySqlFencing(),
            new MySqlSealedLog(),
            new MySqlDdlCapture(),
            new MySqlSeedSource(),
            new MySqlSeedSource(),
            Optional.empty());

    private final String id;

    /** Called by {@link java.util.ServiceLoader}. */
    public MySqlEngine() {
        this(WITHOUT_SNAPSHOTS);
    }

    /** @param id the member of the family, as the System Model writes it */
    MySqlEngine(String id) {
        this.id = id;
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public WriteSetExtractor extractor(boolean durableCommits, long epoch) {
        return new MySqlExtractor(id.equals(WITHOUT_SNAPSHOTS));
    }

    @Override
    public ConnectionPool masterPool(NodeAccess access, int size, boolean durableCommits, long epoch) {
        HikariConfig config = admitted(access, size, "master", epoch);
        config.setAutoCommit(false);
        return new HikariConnectionPool(config);
    }

    @Override
    public ConnectionPool masterReaderPool(NodeAccess access, int size, long epoch) {
        HikariConfig config = admitted(access, size, "master-reader", epoch);
        config.setConnectionInitSql(MySqlFencing.readersAdmission(epoch));
        config.setMinimumIdle(0);
        config.setReadOnly(true);
        return new HikariConnectionPool(config);
    }

    @Override
    public ConnectionPool groupPool(NodeAccess access, int size, long epoch) {
        HikariConfig config = Pools.shortTimeouts(admitted(access, size, "group", epoch));
        config.setAutoCommit(false);
        return new HikariConnectionPool(config);
    }

    private static HikariConfig admitted(NodeAccess access, int size, String kind, long epoch) {
        return Pools.admitted(Connections.pool(access, size, kind), MySqlFencing.admission(epoch));
    }

    @Override
    public ConnectionPool readerPool(NodeAccess access, int size) {
        HikariConfig config = Connections.pool(access, size, "reader");
        config.setConnectionInitSql("SET SESSION " + SessionChanges.TELL_ALL);
        config.setReadOnly(true);
        config.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
        return new HikariConnectionPool(config);
    }

    @Override
    public Connection connect(NodeAccess access) throws SQLException {
        return Connections.own(access);
    }

    @Override
    public int session(Connection connection) {
        try {
            return (int) connection.unwrap(JdbcConnection.class).getId();
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
        return new MySqlSatellite(access, held);
    }

    @Override
    public CopySnapshot openSnapshot(NodeAccess access) throws SQLException {
        return new MySqlSnapshot(access);
    }

    @Override
    public SqlDialect dialect() {
        return DIALECT;
    }

    @Override
    public @Nullable SQLException clarify(SQLException failure) {
        if (TOO_LARGE.equals(failure.getSQLState())) {
            return null;
        }
        if (MySqlErrors.isBeyondLimit(failure)) {
            return beyondLimit(failure);
        }
        if (failure.getErrorCode() == MySqlErrors.RECORD_CHANGED) {
            return recordChanged(failure);
        }
        return MySqlErrors.isOutOfMemory(failure)
                ? new SQLException(
                        "a row, or the result that is read whole, does not fit in the middleware's memory: let rows come piece by piece (Statement.setFetchSize), or give it more (-Xmx)",
                        TOO_LARGE,
                        failure)
                : null;
    }

    /**
     * The engine reports a general error; applications recognize by the SQLState that they can repeat the transaction.
     */
    private static SQLException recordChanged(SQLException failure) {
        SQLException clearer = new SQLTransactionRollbackException(
                failure.getMessage(), SERIALIZATION_FAILURE, failure.getErrorCode(), failure);
        if (failure.getNextException() != null) {
            clearer.setNextException(failure.getNextException());
        }
        return clearer;
    }

    /** The driver's own SQLState is that of its connection, which the client does not have. */
    private static SQLException beyondLimit(SQLException failure) {
        return new SQLException(
                """
                the result is larger than the middleware holds at once (%d MB), so it was given up; a transaction that was open is rolled back. \
                Set a fetch size (Statement.setFetchSize): rows then come piece by piece. Or give the middleware more memory than its -Xmx%dm""".formatted(BoundedSockets.limit() >> 20, Runtime.getRuntime().maxMemory() >> 20),
                TOO_LARGE,
                failure);
    }

    /** Its driver chooses the class not only by the SQLState. */
    @Override
    public ErrorFields errorFields(SQLException failure) {
        Throwable said =
                failure instanceof BatchUpdateException && failure.getCause() != null ? failure.getCause() : failure;
        Class<?> known = said.getClass();
        while (!known.getPackageName().equals("java.sql") && SQLException.class.isAssignableFrom(known)) {
            known = known.getSuperclass();
        }
        return SUBCLASSES.contains(known)
                ? new ErrorFields(Map.of(ErrorField.EXCEPTION, known.getSimpleName()))
                : ErrorFields.NONE;
    }
}
