// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql;

import com.mysql.cj.jdbc.JdbcConnection;
import com.zaxxer.hikari.HikariConfig;
import io.multimed.engine.Engine;
import io.multimed.engine.SessionDefaults;
import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.extraction.WriteSetExtractor;
import io.multimed.engine.master.MasterStore;
import io.multimed.engine.mysql.connection.BoundedSockets;
import io.multimed.engine.mysql.connection.Connections;
import io.multimed.engine.mysql.connection.MySqlErrors;
import io.multimed.engine.mysql.connection.MySqlServer;
import io.multimed.engine.mysql.connection.MySqlTransactions;
import io.multimed.engine.mysql.connection.MySqlWireProtocol;
import io.multimed.engine.mysql.connection.Queries;
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
import io.multimed.engine.mysql.roles.PasswordLogin;
import io.multimed.engine.mysql.roles.RoleAccounts;
import io.multimed.engine.mysql.roles.RoleConnections;
import io.multimed.engine.mysql.roles.RolePrivileges;
import io.multimed.engine.mysql.roles.SchemaPrivileges;
import io.multimed.engine.mysql.satellite.MySqlSatellite;
import io.multimed.engine.mysql.satellite.MySqlSnapshot;
import io.multimed.engine.mysql.schema.AnswerSettings;
import io.multimed.engine.mysql.sql.MySqlReader;
import io.multimed.engine.pool.ConnectionPool;
import io.multimed.engine.pool.HikariConnectionPool;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.pool.Pools;
import io.multimed.engine.satellite.CopySnapshot;
import io.multimed.engine.satellite.SatelliteStore;
import io.multimed.engine.sql.ReadRights;
import io.multimed.engine.sql.SchemaChange;
import io.multimed.engine.wire.WireProtocol;
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

/**
 * MariaDB or MySQL through MySQL Connector/J. Every commit of these engines is durable by itself and shares the
 * engine's own group commit, so that the parameters {@code durableCommits} have no effect. Stateless; what the methods
 * open belongs to the caller.
 */
public class MySqlEngine implements Engine {
    /** The exception classes of java.sql that Connector/J throws, and that the client's driver can throw again. */
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

    /** SQLState of statements for whose result there is no memory. */
    private static final String TOO_LARGE = "53200";

    private static final String SERIALIZATION_FAILURE = "40001";

    private final String id;
    private final SqlDialect dialect;
    private final MasterStore masterStore;

    /** Called by {@link java.util.ServiceLoader}. */
    public MySqlEngine() {
        this(WITHOUT_SNAPSHOTS);
    }

    /** @param id the member of the family, as the System Model writes it */
    MySqlEngine(String id) {
        this.id = id;
        this.dialect = new SqlDialect(
                new MySqlErrors(),
                new MySqlSessionSettings(new MySqlReader()),
                new MySqlTransactions(!id.equals(MySqlServer.MARIADB)),
                new MySqlStreaming(),
                new MySqlCatalog(),
                new MySqlReader(),
                new MySqlValues());
        this.masterStore = new MasterStore(
                new MySqlCaptureInstaller(id),
                new MySqlFencing(),
                new MySqlSealedLog(),
                new MySqlDdlCapture(),
                new MySqlSeedSource(),
                new MySqlSeedSource(),
                Optional.empty());
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public WireProtocol wireProtocol() {
        return new MySqlWireProtocol();
    }

    /**
     * Returns an extractor that certifies commits if this engine is MySQL: MySQL lets a transaction overwrite rows
     * that have changed since its snapshot (architecture 4.2).
     */
    @Override
    public WriteSetExtractor extractor(boolean durableCommits, long epoch) {
        return new MySqlExtractor(id.equals(WITHOUT_SNAPSHOTS));
    }

    /**
     * Each new connection registers itself in {@code multimed.session}, without which the triggers refuse its writes.
     * The registration fails with MM002 if another middleware has taken the master over.
     */
    @Override
    public ConnectionPool masterPool(NodeAccess access, int size, boolean durableCommits, int isolation, long epoch) {
        HikariConfig config = admitted(access, size, "master", epoch);
        config.setAutoCommit(false);
        return new HikariConnectionPool(config);
    }

    /**
     * The session is in READ ONLY mode, so that the engine refuses all changes with error 1792 (architecture 4.7). It
     * is registered like that of {@link #masterPool}, so that a middleware that takes the master over ends it.
     */
    @Override
    public ConnectionPool masterReaderPool(NodeAccess access, int size, long epoch) {
        HikariConfig config = admitted(access, size, "master-reader", epoch);
        config.setConnectionInitSql(MySqlFencing.readersAdmission(epoch));
        config.setMinimumIdle(0);
        config.setReadOnly(true);
        return new HikariConnectionPool(config);
    }

    /** The connections have auto-commit off, because several statements share one transaction (architecture 4.6). */
    @Override
    public ConnectionPool groupPool(NodeAccess access, int size, long epoch) {
        HikariConfig config = Pools.shortTimeouts(admitted(access, size, "group", epoch));
        Connections.rememberTexts(config);
        config.setAutoCommit(false);
        return new HikariConnectionPool(config);
    }

    @Override
    public boolean supportsRoles() {
        return true;
    }

    @Override
    public NodeAccess enableRole(Connection own, NodeAccess master, String role) throws SQLException {
        return RoleAccounts.enable(own, master, role);
    }

    @Override
    public void checkLogin(NodeAccess master, NodeAccess access) throws SQLException {
        PasswordLogin.check(master, access);
    }

    @Override
    public ConnectionPool rolePool(
            NodeAccess master, NodeAccess access, int size, boolean reads, boolean durableCommits, long epoch) {
        return RoleConnections.pool(master, access, size, reads, epoch);
    }

    @Override
    public ReadRights readRights(Connection own, String role, RoleLogin login) throws SQLException {
        return RolePrivileges.of(own, login.access());
    }

    /** A session keeps the privileges on its database. */
    @Override
    public RoleState roleState(Connection own) throws SQLException {
        return RolePrivileges.state(own);
    }

    @Override
    public boolean recordsDdlApart() {
        return true;
    }

    @Override
    public void requireDdlPrivilege(RoleLogin login, SchemaChange change) throws SQLException {
        SchemaPrivileges.require(login.access(), change);
    }

    /** The level of all connections to the master. */
    @Override
    public int groupIsolation() {
        return Connection.TRANSACTION_REPEATABLE_READ;
    }

    private static HikariConfig admitted(NodeAccess access, int size, String kind, long epoch) {
        return Pools.admitted(Connections.pool(access, size, kind), MySqlFencing.admission(epoch));
    }

    /** The engine reports all changes of these sessions ({@link SessionChanges}), and refuses changes of data. */
    @Override
    public ConnectionPool readerPool(NodeAccess access, int size) {
        HikariConfig config = Connections.pool(access, size, "reader");
        Connections.rememberTexts(config);
        config.setConnectionInitSql("SET SESSION " + SessionChanges.TELL_ALL);
        config.setReadOnly(true);
        config.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
        return new HikariConnectionPool(config);
    }

    @Override
    public SessionDefaults sessionDefaults(NodeAccess master) throws SQLException {
        try (Connection own = Connections.own(master)) {
            return new SessionDefaults(AnswerSettings.values(own), AnswerSettings.state(own), "");
        }
    }

    @Override
    public String sessionDefaultsState(Connection own) throws SQLException {
        String state = AnswerSettings.state(own);
        Queries.end(own);
        return state;
    }

    @Override
    public Connection connect(NodeAccess access) throws SQLException {
        return Connections.own(access);
    }

    /** Returns the engine's connection number, which PROCESSLIST, KILL and {@code multimed.session} use. */
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
        return masterStore;
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
        return dialect;
    }

    /** Replaces three errors: a result beyond the limit and an exhausted heap by 53200, and error 1020 by 40001. */
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
                        "a row, or a result that is read as a whole, does not fit in the middleware's memory: set a fetch size (Statement.setFetchSize), or give the middleware more memory (-Xmx)",
                        TOO_LARGE,
                        failure)
                : null;
    }

    /**
     * Returns error 1020 with SQLState 40001 in place of the engine's general error HY000: applications recognize by
     * the SQLState that they can repeat the transaction.
     */
    private static SQLException recordChanged(SQLException failure) {
        SQLException clearer = new SQLTransactionRollbackException(
                failure.getMessage(), SERIALIZATION_FAILURE, failure.getErrorCode(), failure);
        if (failure.getNextException() != null) {
            clearer.setNextException(failure.getNextException());
        }
        return clearer;
    }

    /**
     * Returns a 53200 error. The driver's own SQLState describes a broken connection, and the client's connection is
     * intact.
     */
    private static SQLException beyondLimit(SQLException failure) {
        return new SQLException(
                """
                the result is larger than the middleware holds at once (%d MB) and was discarded; an open transaction is rolled back. \
                Set a fetch size (Statement.setFetchSize), so that rows are sent in parts, or give the middleware more memory than -Xmx%dm""".formatted(BoundedSockets.limit() >> 20, Runtime.getRuntime().maxMemory() >> 20),
                TOO_LARGE,
                failure);
    }

    /** Returns the name of the exception class, because Connector/J does not choose the class by the SQLState alone. */
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
