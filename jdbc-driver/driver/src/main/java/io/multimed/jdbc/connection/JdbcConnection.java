// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.connection;

import io.multimed.jdbc.MultimedConnection;
import io.multimed.jdbc.engine.ConversionContext;
import io.multimed.jdbc.engine.CurrentNamespace;
import io.multimed.jdbc.engine.DriverBehavior;
import io.multimed.jdbc.engine.EngineFamily;
import io.multimed.jdbc.engine.ResultConversions;
import io.multimed.jdbc.metadata.CatalogContext;
import io.multimed.jdbc.metadata.CatalogMetaData;
import io.multimed.jdbc.result.JdbcResultSet;
import io.multimed.jdbc.result.ResultSetKind;
import io.multimed.jdbc.result.RowSource;
import io.multimed.jdbc.result.UnreadResults;
import io.multimed.jdbc.session.MiddlewareSession;
import io.multimed.jdbc.session.SessionChannel;
import io.multimed.jdbc.settings.DriverProperty;
import io.multimed.jdbc.statement.CallableStatementHandler;
import io.multimed.jdbc.statement.JdbcPreparedStatement;
import io.multimed.jdbc.statement.JdbcStatement;
import io.multimed.jdbc.statement.RequestedKeys;
import io.multimed.jdbc.statement.StatementContext;
import io.multimed.jdbc.support.SqlStates;
import io.multimed.jdbc.support.WarningChain;
import io.multimed.jdbc.value.JdbcArray;
import io.multimed.jdbc.value.JdbcBlob;
import io.multimed.jdbc.value.JdbcClob;
import io.multimed.jdbc.value.JdbcSqlXml;
import io.multimed.protocol.request.Commit;
import io.multimed.protocol.request.Rollback;
import io.multimed.protocol.request.SavepointRequest;
import io.multimed.protocol.response.Outcome;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.protocol.statement.GeneratedKeys;
import io.multimed.protocol.statement.TransactionMode;
import io.multimed.protocol.value.Column;
import java.sql.Array;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.NClob;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLWarning;
import java.sql.SQLXML;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A connection. Its settings (auto-commit, read-only, isolation) are sent with the next statement. Commit and rollback
 * are sent only if a transaction is open.
 *
 * <p>All threads may call all methods. The guard of the channel protects the settings: a thread holds the guard while
 * it changes a setting together with the state of the transaction. Methods that return a setting, {@link #abort},
 * {@link #close} and {@link #setNetworkTimeout} do not wait for a statement of another thread. The connection
 * implements the roles in which statements, results, metadata and conversions see it.
 */
public final class JdbcConnection extends AbstractConnection
        implements MultimedConnection, StatementContext, CatalogContext, ConversionContext {
    private static final List<Integer> LEVELS = List.of(
            Connection.TRANSACTION_READ_UNCOMMITTED,
            Connection.TRANSACTION_READ_COMMITTED,
            Connection.TRANSACTION_REPEATABLE_READ,
            Connection.TRANSACTION_SERIALIZABLE);

    private final ConnectionUrl url;
    private final SessionChannel channel;
    private final int defaultFetchSize;

    private volatile boolean autoCommit = true;
    private volatile boolean readOnly;
    private volatile int isolation;

    /** Number of savepoints without names; changed by the thread that holds the guard. */
    private int savepoints;

    private volatile int holdability = ResultSet.CLOSE_CURSORS_AT_COMMIT;
    private volatile Map<String, Class<?>> typeMap = new HashMap<>();
    private final WarningChain warnings = new WarningChain();
    private final ClientInfo clientInfo;

    private final UnreadResults unread = new UnreadResults();

    private final ResultConversions conversions;
    private final DriverBehavior behavior;
    private final CurrentNamespace namespace;
    private final DatabaseMetaData metaData;

    /**
     * Creates a connection, which owns its session from now on.
     *
     * @throws IllegalArgumentException if the value of a property is wrong
     */
    public JdbcConnection(ConnectionUrl url, String user, MiddlewareSession session) {
        EngineFamily family = Engines.family(session.welcome().engine());
        this.url = url;
        this.channel = new SessionChannel(url.target(user), session);
        this.conversions = family.conversions(this);
        this.behavior = family.behavior(url.properties());
        this.namespace = family.namespace(this, url.database());
        this.metaData = CatalogMetaData.of(
                this,
                url.url(),
                family.productName(url.engine(), session.welcome().engine()));
        this.readOnly = DriverProperty.READ_ONLY.booleanValue(url.properties());
        this.clientInfo = new ClientInfo(DriverProperty.APPLICATION_NAME.value(url.properties()), channel.traces());
        this.defaultFetchSize = DriverProperty.DEFAULT_FETCH_SIZE.intValue(url.properties());
    }

    /**
     * Applies the properties that require the engine. Called once, before the application gets the connection.
     *
     * @param news warnings about the properties
     * @throws SQLException 0A000 if a property does not exist for the engine
     */
    public void applyProperties(List<SQLWarning> news) throws SQLException {
        news.forEach(warnings::add);
        if (DriverProperty.savesAlways(url.properties()) && !behavior.failsWithStatement()) {
            throw new SQLFeatureNotSupportedException(
                    "the property autosave=always is not supported for this engine, where a statement that fails undoes only itself: leave it out",
                    SqlStates.NOT_SUPPORTED);
        }
        String path = DriverProperty.CURRENT_SCHEMA.value(url.properties());
        if (!path.isEmpty()) {
            namespace.setSearchPath(path);
        }
    }

    @Override
    public TransactionMode mode() {
        SessionStatus status = channel.status();
        return new TransactionMode(autoCommit, readOnly, isolation, status.inTransaction() && !status.begunOnNode());
    }

    @Override
    public ResultConversions conversions() {
        return conversions;
    }

    @Override
    public DriverBehavior behavior() {
        return behavior;
    }

    @Override
    public int defaultFetchSize() {
        return defaultFetchSize;
    }

    @Override
    public SessionChannel channel() {
        return channel;
    }

    /** Returns the state that the last response reported; SQL such as BEGIN counts, too. */
    @Override
    public boolean inTransaction() {
        return channel.status().inTransaction();
    }

    @Override
    public ResultSet resultSet(List<Column> columns, List<@Nullable Object[]> rows) {
        return JdbcResultSet.local(this, columns, rows);
    }

    /** Returns a result set that belongs to no statement and stays open until the application closes the result set. */
    @Override
    public ResultSet resultSet(Outcome.Rowset rows) {
        RowSource source = new RowSource(channel, rows, 0);
        return new JdbcResultSet(this, null, source, rows.head().columns(), ResultSetKind.SCROLLS);
    }

    /** Throws an exception if the application has closed the connection. */
    private void checkOpen() throws SQLException {
        channel.checkOpen();
    }

    @Override
    public Statement createStatement(int type, int concurrency, int holdability) throws SQLException {
        checkOpen();
        return new JdbcStatement(this, ResultSetKind.of(type, concurrency, holdability));
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int type, int concurrency, int holdability)
            throws SQLException {
        checkOpen();
        return new JdbcPreparedStatement(
                this, ResultSetKind.of(type, concurrency, holdability), sql, GeneratedKeys.NONE);
    }

    @Override
    public CallableStatement prepareCall(String sql, int type, int concurrency, int holdability) throws SQLException {
        checkOpen();
        return CallableStatementHandler.statement(this, ResultSetKind.of(type, concurrency, holdability), sql);
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int autoGeneratedKeys) throws SQLException {
        checkOpen();
        return new JdbcPreparedStatement(this, plainKind(), sql, RequestedKeys.of(autoGeneratedKeys));
    }

    @Override
    public PreparedStatement prepareStatement(String sql, String[] columnNames) throws SQLException {
        checkOpen();
        return new JdbcPreparedStatement(this, plainKind(), sql, RequestedKeys.of(columnNames));
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int[] columnIndexes) throws SQLException {
        checkOpen();
        return new JdbcPreparedStatement(this, plainKind(), sql, RequestedKeys.of(columnIndexes));
    }

    /** Returns the kind of result sets for methods without a parameter for the kind. */
    private ResultSetKind plainKind() {
        return new ResultSetKind(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY, holdability);
    }

    /**
     * Sets the mode for the following statements, without a round trip. As JDBC specifies, switching auto-commit on
     * commits an open transaction.
     */
    @Override
    public void setAutoCommit(boolean on) throws SQLException {
        channel.guard().run(() -> {
            checkOpen();
            if (on && channel.status().autoCommitOff()) {
                channel.abortedTransaction().failCommit();
                unread.fetch();
                execute("SET autocommit = 1"); // as SQL has switched it off
            } else if (on && !autoCommit) {
                commitOpen(true);
            }
            autoCommit = on;
        });
    }

    @Override
    public boolean getAutoCommit() throws SQLException {
        checkOpen();
        return autoCommit;
    }

    @Override
    public void commit() throws SQLException {
        channel.guard().run(() -> {
            checkNoAutoCommit("commit");
            commitOpen(false);
        });
    }

    /**
     * Commits the open transaction, if there is one. The remaining rows of results are fetched first, because the
     * middleware drops them with the transaction. The caller holds the guard.
     *
     * @param keepsModes whether modes that SQL has set for the next transaction remain; otherwise they end, too
     * @throws SQLException 40001 if the transaction was aborted meanwhile
     */
    private void commitOpen(boolean keepsModes) throws SQLException {
        channel.abortedTransaction().failCommit();
        if (keepsModes ? inTransaction() : mustEnd()) {
            unread.fetch();
            channel.end(new Commit(keepsModes));
        }
    }

    /**
     * Rolls back the open transaction, if there is one, and permits statements again after a transaction was aborted.
     */
    @Override
    public void rollback() throws SQLException {
        channel.guard().run(this::rollbackOpen);
    }

    private void rollbackOpen() throws SQLException {
        checkNoAutoCommit("rollback");
        channel.abortedTransaction().clear();
        if (mustEnd()) {
            if (!channel.status().failed()) {
                unread.fetch();
            }
            channel.end(new Rollback());
        }
    }

    /** Returns whether there is something that a commit or a rollback ends. */
    private boolean mustEnd() {
        return channel.status().inTransaction() || channel.status().hasModes();
    }

    @Override
    public UnreadResults unread() {
        return unread;
    }

    /** @param what commit or rollback, for the message */
    private void checkNoAutoCommit(String what) throws SQLException {
        checkOpen();
        if (autoCommit) {
            throw behavior.inAutoCommit(what);
        }
    }

    /**
     * Sets the mode for the following transactions. The middleware may run a read-only transaction on
     * a satellite from its first statement on.
     *
     * @throws SQLException 25001 within a transaction
     */
    @Override
    public void setReadOnly(boolean on) throws SQLException {
        channel.guard().run(() -> changeReadOnly(on));
    }

    private void changeReadOnly(boolean on) throws SQLException {
        checkOpen();
        if (channel.status().inTransaction()) {
            throw new SQLException(
                    "Cannot change transaction read-only property in the middle of a transaction.",
                    SqlStates.ACTIVE_TRANSACTION);
        }
        if (readOnlySetBySql() != null || channel.status().hasModes()) {
            execute(behavior.setReadOnlySql(on)); // otherwise the mode that SQL has set before would remain
        }
        readOnly = on;
    }

    /**
     * Returns the mode that SQL has set last, if the engine's own driver reports that mode; otherwise the mode of
     * {@link #setReadOnly}.
     */
    @Override
    public boolean isReadOnly() throws SQLException {
        checkOpen();
        Boolean setBySql = readOnlySetBySql();
        return setBySql == null ? readOnly : setBySql;
    }

    /**
     * Returns the mode that SQL has set; null if SQL has set none, or if the engine's own driver does not report this
     * mode.
     */
    private @Nullable Boolean readOnlySetBySql() {
        return behavior.reportsReadOnlyOfSql() ? channel.status().readOnly() : null;
    }

    /**
     * Sets the isolation for the following transactions. A level that SQL has set before is replaced in the engine's
     * session, because that level would take precedence.
     *
     * @throws SQLException 25001 within a transaction, 0A000 for an unknown level
     */
    @Override
    public void setTransactionIsolation(int level) throws SQLException {
        channel.guard().run(() -> changeIsolation(level));
    }

    private void changeIsolation(int level) throws SQLException {
        checkOpen();
        if (channel.status().inTransaction()) {
            throw new SQLException(
                    "Cannot change transaction isolation level in the middle of a transaction.",
                    SqlStates.ACTIVE_TRANSACTION);
        }
        if (level < Connection.TRANSACTION_READ_UNCOMMITTED
                || level > Connection.TRANSACTION_SERIALIZABLE
                || Integer.bitCount(level) != 1) {
            throw new SQLException(
                    "Transaction isolation level %d not supported.".formatted(level), SqlStates.NOT_SUPPORTED);
        }
        if (channel.status().isolation() != 0 || channel.status().hasModes()) {
            execute(behavior.setIsolationSql(name(level))); // otherwise the mode that SQL has set before would remain
        }
        isolation = level;
    }

    /** Runs a statement that sets a mode. */
    private void execute(String sql) throws SQLException {
        try (Statement setting = createStatement()) {
            setting.execute(sql);
        }
    }

    /** Returns the name of an isolation level in SQL. */
    private static String name(int level) {
        return switch (level) {
            case Connection.TRANSACTION_READ_UNCOMMITTED -> "READ UNCOMMITTED";
            case Connection.TRANSACTION_READ_COMMITTED -> "READ COMMITTED";
            case Connection.TRANSACTION_REPEATABLE_READ -> "REPEATABLE READ";
            default -> "SERIALIZABLE";
        };
    }

    /**
     * Returns the level of the open or next transaction. Without a level set by the application, this is the engine's
     * default.
     */
    @Override
    public int getTransactionIsolation() throws SQLException {
        checkOpen();
        if (behavior.queriesIsolation() && sqlMayHaveSetIsolation()) {
            return queriedIsolation();
        }
        int setBySql = channel.status().isolation();
        int own = isolation == 0 ? channel.welcome().engine().defaultIsolation() : isolation;
        return setBySql == 0 ? own : setBySql;
    }

    /**
     * Returns whether SQL may have set another isolation level, for the transaction or for the session, which then has
     * a pinned connection.
     */
    private boolean sqlMayHaveSetIsolation() {
        return channel.status().inTransaction() || channel.status().pinned();
    }

    /** Asks the engine for the level of the open transaction or of the session. */
    private int queriedIsolation() throws SQLException {
        try (Statement statement = createStatement();
                ResultSet row = statement.executeQuery("SHOW TRANSACTION ISOLATION LEVEL")) {
            row.next();
            String level = row.getString(1).toUpperCase(Locale.ROOT);
            return LEVELS.stream()
                    .filter(constant -> name(constant).equals(level))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** Sets a savepoint under a generated name, which is unique in this connection. */
    @Override
    public Savepoint setSavepoint() throws SQLException {
        return channel.guard().get(() -> setSavepoint("multimed_" + ++savepoints, savepoints));
    }

    @Override
    public Savepoint setSavepoint(String name) throws SQLException {
        return channel.guard().get(() -> setSavepoint(name, 0));
    }

    /** @param id 0 if the application has named the savepoint */
    private Savepoint setSavepoint(String name, int id) throws SQLException {
        checkOpen();
        if (autoCommit) {
            throw new SQLException(
                    "Cannot establish a savepoint in auto-commit mode.", SqlStates.NO_ACTIVE_TRANSACTION);
        }
        channel.call(new SavepointRequest(mode(), SavepointRequest.Action.SET, name));
        return new JdbcSavepoint(name, id);
    }

    @Override
    public void rollback(Savepoint savepoint) throws SQLException {
        channel.guard()
                .run(() -> channel.call(new SavepointRequest(
                        mode(), SavepointRequest.Action.ROLLBACK_TO, JdbcSavepoint.name(savepoint))));
    }

    @Override
    public void releaseSavepoint(Savepoint savepoint) throws SQLException {
        channel.guard()
                .run(() -> channel.call(new SavepointRequest(
                        mode(), SavepointRequest.Action.RELEASE, JdbcSavepoint.release(savepoint))));
    }

    /** Returns the metadata, which is one object per connection: the object caches constants of the engine. */
    @Override
    public DatabaseMetaData getMetaData() throws SQLException {
        checkOpen();
        return metaData;
    }

    /**
     * Returns whether the middleware answers a ping within a time, and within the network timeout. The ping does not
     * reach an engine, and waits for a running request of another thread.
     */
    @Override
    public boolean isValid(int timeout) throws SQLException {
        if (timeout < 0) {
            throw new SQLException("Invalid timeout (%d<0).".formatted(timeout), SqlStates.INVALID_PARAMETER);
        }
        return !isClosed() && channel.isAlive(timeout);
    }

    /**
     * Closes the session. The middleware rolls back an open transaction, and releases the session's engine connection.
     * A statement that another thread runs fails, as with the engine's own driver.
     */
    @Override
    public void close() {
        channel.close();
    }

    /**
     * Closes the socket at once; a thread that waits for a response gets an exception. The executor is not needed,
     * because closing a socket does not block.
     */
    @Override
    public void abort(@Nullable Executor executor) throws SQLException {
        if (executor == null) {
            throw new SQLException("abort requires an executor: it must not be null", SqlStates.INVALID_PARAMETER);
        }
        channel.abort();
    }

    /** Returns true also after the connection was lost, so that a pool discards the connection. */
    @Override
    public boolean isClosed() {
        return channel.isUnusable();
    }

    /** Limits the wait for each response. When the limit expires, the connection is closed, as JDBC specifies. */
    @Override
    public void setNetworkTimeout(Executor executor, int milliseconds) throws SQLException {
        checkOpen();
        if (milliseconds < 0) {
            throw new SQLException(
                    "Network timeout must be a value greater than or equal to 0.", SqlStates.INVALID_PARAMETER);
        }
        channel.setTimeout(milliseconds);
    }

    @Override
    public int getNetworkTimeout() throws SQLException {
        checkOpen();
        return channel.timeout();
    }

    @Override
    public Array createArrayOf(String typeName, Object @Nullable [] elements) throws SQLException {
        checkOpen();
        return elements == null ? JdbcArray.ofNull(this, typeName) : JdbcArray.of(this, typeName, elements);
    }

    /** Returns the SQL unchanged: the engine's driver in the middleware translates escapes. */
    @Override
    public String nativeSQL(String sql) throws SQLException {
        checkOpen();
        return sql;
    }

    @Override
    public @Nullable SQLWarning getWarnings() throws SQLException {
        checkOpen();
        return warnings.first();
    }

    @Override
    public void clearWarnings() throws SQLException {
        checkOpen();
        warnings.clear();
    }

    @Override
    public void setHoldability(int wanted) throws SQLException {
        checkOpen();
        holdability = ResultSetKind.of(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY, wanted)
                .holdability();
    }

    @Override
    public int getHoldability() throws SQLException {
        checkOpen();
        return holdability;
    }

    @Override
    public Blob createBlob() throws SQLException {
        checkOpen();
        return new JdbcBlob(new byte[0]);
    }

    @Override
    public Clob createClob() throws SQLException {
        return createNClob();
    }

    @Override
    public NClob createNClob() throws SQLException {
        checkOpen();
        return new JdbcClob("");
    }

    @Override
    public SQLXML createSQLXML() throws SQLException {
        checkOpen();
        return new JdbcSqlXml();
    }

    @Override
    public Map<String, Class<?>> getTypeMap() throws SQLException {
        checkOpen();
        return typeMap;
    }

    @Override
    public void setTypeMap(Map<String, Class<?>> map) throws SQLException {
        checkOpen();
        typeMap = map;
    }

    @Override
    public void setSchema(@Nullable String schema) throws SQLException {
        channel.guard().run(() -> {
            checkOpen();
            namespace.setSchema(schema);
        });
    }

    @Override
    public String getCatalog() throws SQLException {
        checkOpen();
        return namespace.catalog();
    }

    @Override
    public void setCatalog(String catalog) throws SQLException {
        channel.guard().run(() -> {
            checkOpen();
            namespace.setCatalog(catalog);
        });
    }

    @Override
    public @Nullable String getSchema() throws SQLException {
        checkOpen();
        return namespace.schema();
    }

    /** Sets a property of the client. A name that the driver does not know causes a warning, as JDBC specifies. */
    @Override
    public void setClientInfo(String name, @Nullable String value) throws SQLClientInfoException {
        SQLWarning warning = clientInfo.set(name, value, channel.isClosed());
        if (warning != null) {
            warnings.add(warning);
        }
    }

    @Override
    public void setClientInfo(Properties properties) throws SQLClientInfoException {
        clientInfo.setAll(properties, channel.isClosed());
    }

    @Override
    public @Nullable String getClientInfo(String name) throws SQLException {
        return getClientInfo().getProperty(name);
    }

    @Override
    public Properties getClientInfo() throws SQLException {
        checkOpen();
        return clientInfo.properties();
    }

    /**
     * Returns this connection under one of its own types. A class of the engine's driver is refused: no single engine
     * connection serves this connection.
     */
    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        checkOpen();
        if (type.isInstance(this)) {
            return type.cast(this);
        }
        throw new SQLException(
                "a connection of Multimed cannot be unwrapped to %s: many engine connections serve it, not one"
                        .formatted(type.getName()),
                SqlStates.NOT_SUPPORTED);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        checkOpen();
        return type.isInstance(this);
    }

    @Override
    public long lastScn() {
        return channel.status().scn();
    }

    @Override
    public String lastNode() {
        return channel.lastNode();
    }

    @Override
    public String why() {
        return channel.status().route().toString();
    }

    @Override
    public long sessionId() {
        return channel.welcome().sessionId();
    }
}
