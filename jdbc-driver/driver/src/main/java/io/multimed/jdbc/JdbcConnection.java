package io.multimed.jdbc;

import io.multimed.protocol.BatchExecuted;
import io.multimed.protocol.Cancel;
import io.multimed.protocol.CatalogAnswer;
import io.multimed.protocol.CloseCursor;
import io.multimed.protocol.Commit;
import io.multimed.protocol.Described;
import io.multimed.protocol.Done;
import io.multimed.protocol.ErrorReport;
import io.multimed.protocol.Execute;
import io.multimed.protocol.ExecuteOptions;
import io.multimed.protocol.Executed;
import io.multimed.protocol.GeneratedKeys;
import io.multimed.protocol.Goodbye;
import io.multimed.protocol.Outcome;
import io.multimed.protocol.Parameter;
import io.multimed.protocol.Recalled;
import io.multimed.protocol.Request;
import io.multimed.protocol.Response;
import io.multimed.protocol.Rollback;
import io.multimed.protocol.SavepointRequest;
import io.multimed.protocol.SessionStatus;
import io.multimed.protocol.TransactionMode;
import io.multimed.protocol.Welcome;
import java.io.IOException;
import java.sql.Array;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.ClientInfoStatus;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.NClob;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.sql.SQLWarning;
import java.sql.SQLXML;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A connection: one session of the middleware's at a time. If it breaks while something may commit, the outcome is found out over a new session, which then takes
 * its place (unless the engine held state of the old one). What is set here (auto-commit, read-only, isolation) travels with the next statement; a commit or rollback with no
 * transaction open touches no wire.
 */
final class JdbcConnection extends RefusingConnection implements MultimedConnection {
    private static final List<String> CLIENT_INFO = List.of("ApplicationName");

    private final ConnectionUrl url;
    private final String user;
    private final LostTransaction lostTransaction = new LostTransaction();
    private final Slots slots = new Slots();
    private final int defaultFetchSize;

    /** Used by the thread that uses the connection, as JDBC wants it; {@link #cancel} and {@link #abort} work beside it. */
    private boolean autoCommit = true;

    private boolean readOnly;
    private int isolation;
    private SessionStatus status;
    private int savepoints;
    private int holdability = ResultSet.CLOSE_CURSORS_AT_COMMIT;
    private Map<String, Class<?>> typeMap = new HashMap<>();
    private @Nullable SQLWarning warnings;
    private final Properties clientInfo = new Properties();

    /** Results that the engine gave whole as far as the application can tell: the part that is still in the middleware is fetched before a transaction ends. */
    private final Set<RowSource> unread = Collections.newSetFromMap(new WeakHashMap<>());

    private final Conversions conversions;
    private final Namespaces namespaces;
    private @Nullable DatabaseMetaData metaData;
    private volatile Session session;
    private volatile boolean closed;

    JdbcConnection(ConnectionUrl url, String user, Session session) {
        this.url = url;
        this.user = user;
        this.session = session;
        this.status = fresh(session);
        this.conversions = Engines.conversions(session.welcome().engine(), this);
        this.namespaces = Engines.namespaces(session.welcome().engine(), this, url.database());
        this.readOnly = DriverProperty.READ_ONLY.truth(url.properties());
        this.clientInfo.setProperty("ApplicationName", DriverProperty.APPLICATION_NAME.of(url.properties()));
        this.defaultFetchSize = DriverProperty.DEFAULT_FETCH_SIZE.number(url.properties());
    }

    private static SessionStatus fresh(Session session) {
        return new SessionStatus(
                false, false, SessionStatus.NO_NODE, session.welcome().scn());
    }

    /** One round trip; keeps what the answer says about the transaction. */
    Response call(Request request) throws SQLException {
        checkOpen();
        lostTransaction.check(request);
        Response response;
        try {
            response = session.wire().call(request);
        } catch (Wire.ReportedException e) {
            response = e.report();
        } catch (Wire.LostException e) {
            response = recover(request, e);
        }
        if (response instanceof ErrorReport report) {
            noteLoss(request, report);
            note(report.status());
            throw Failures.of(report);
        }
        note(status(response));
        return response;
    }

    /** A transaction that is gone after an error, although nobody ended it. */
    private void noteLoss(Request request, ErrorReport report) {
        boolean ending = request instanceof Commit || request instanceof Rollback;
        if (status.inTransaction()
                && !report.status().inTransaction()
                && !ending
                && !LostTransaction.endsTransaction(request)) {
            lostTransaction.happened(report.message());
        }
    }

    /** The answer after all, over a new session. */
    private Response recover(Request request, Wire.LostException lost) throws SQLException {
        if (closed || !Recovery.mayCommit(request)) {
            throw lost;
        }
        Session old = session;
        Inquiry inquiry = new Inquiry(
                url, user, old.question(status.scn()), DriverProperty.OUTCOME_TIMEOUT.number(url.properties()));
        Inquiry.Found found = inquiry.ask();
        if (found == null || found.recalled().fate() == Recalled.Fate.UNKNOWN) {
            if (found != null) {
                found.session().wire().close();
            }
            throw Recovery.unknown(old.receipt(), lost);
        }
        boolean inTransaction = status.inTransaction();
        resume(old, found.session());
        try {
            return Recovery.conclude(request, found.recalled(), lost);
        } catch (SQLTransactionRollbackException e) {
            if (inTransaction && !(request instanceof Commit) && !LostTransaction.endsTransaction(request)) {
                lostTransaction.happened(String.valueOf(lost.getMessage()));
            }
            throw e;
        }
    }

    /** The new session takes the old one's place, unless the old one had left state in an engine: then this connection stays closed. */
    private void resume(Session old, Session next) throws SQLException {
        if (status.pinned() || closed) {
            next.wire().close();
            return;
        }
        next.wire().setTimeout(old.wire().timeout());
        slots.forgotten();
        status = fresh(next);
        session = next;
    }

    /** One round trip whose answer must be of one kind. */
    <T extends Response> T call(Request request, Class<T> kind) throws SQLException {
        Response response = call(request);
        if (!kind.isInstance(response)) {
            session.wire().close();
            throw new SQLException("the middleware answered with %s".formatted(response.type()), SqlStates.PROTOCOL);
        }
        return kind.cast(response);
    }

    static @Nullable SessionStatus status(Response response) {
        if (response instanceof Executed executed) {
            return executed.status();
        }
        if (response instanceof BatchExecuted batch) {
            return batch.status();
        }
        if (response instanceof Done done) {
            return done.status();
        }
        if (response instanceof ErrorReport report) {
            return report.status();
        }
        if (response instanceof Described described) {
            return described.status();
        }
        return response instanceof CatalogAnswer answer ? answer.status() : null;
    }

    private void note(@Nullable SessionStatus now) {
        if (now != null) {
            SessionStatus answered = now.node() == SessionStatus.NO_NODE ? status : now;
            status = new SessionStatus(
                    now.inTransaction(),
                    now.failed(),
                    now.pinned(),
                    answered.node(),
                    answered.route(),
                    Math.max(now.scn(), status.scn()));
        }
    }

    TransactionMode mode() {
        return new TransactionMode(autoCommit, readOnly, isolation);
    }

    Slots slots() {
        return slots;
    }

    Conversions conversions() {
        return conversions;
    }

    Welcome welcome() {
        return session.welcome();
    }

    Session session() {
        return session;
    }

    String user() {
        return user;
    }

    String url() {
        return url.url();
    }

    int defaultFetchSize() {
        return defaultFetchSize;
    }

    void closeCursor(Session of, int cursor) throws SQLException {
        if (!isClosed() && of.equals(session)) {
            call(new CloseCursor(cursor));
        }
    }

    /** Asks the middleware, over a connection of its own, to cancel what this one runs. */
    void cancel() throws SQLException {
        try (Wire other = Wire.connect(url.host(), url.port(), 10, false)) {
            other.send(new Cancel(welcome().sessionId(), welcome().cancelKey()));
        } catch (IOException e) {
            throw new SQLException(
                    "the statement could not be cancelled: " + e.getMessage(), SqlStates.CONNECTION_FAILED, e);
        }
    }

    private void checkOpen() throws SQLException {
        if (closed) {
            throw Failures.connectionClosed();
        }
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
        return CallHandler.statement(this, ResultSetKind.of(type, concurrency, holdability), sql);
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int autoGeneratedKeys) throws SQLException {
        checkOpen();
        return new JdbcPreparedStatement(this, plainKind(), sql, Keys.of(autoGeneratedKeys));
    }

    @Override
    public PreparedStatement prepareStatement(String sql, String[] columnNames) throws SQLException {
        checkOpen();
        return new JdbcPreparedStatement(this, plainKind(), sql, Keys.of(columnNames));
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int[] columnIndexes) throws SQLException {
        checkOpen();
        return new JdbcPreparedStatement(this, plainKind(), sql, Keys.of(columnIndexes));
    }

    private ResultSetKind plainKind() {
        return new ResultSetKind(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY, holdability);
    }

    @Override
    public void setAutoCommit(boolean on) throws SQLException {
        checkOpen();
        if (on && !autoCommit) {
            commitOpen();
        }
        autoCommit = on;
    }

    @Override
    public boolean getAutoCommit() throws SQLException {
        checkOpen();
        return autoCommit;
    }

    @Override
    public void commit() throws SQLException {
        checkManual("commit");
        commitOpen();
    }

    private void commitOpen() throws SQLException {
        lostTransaction.failCommit();
        if (status.inTransaction()) {
            keepUnread();
            call(new Commit());
        }
    }

    @Override
    public void rollback() throws SQLException {
        checkManual("rollback");
        lostTransaction.ended();
        if (status.inTransaction()) {
            if (!status.failed()) {
                keepUnread();
            }
            call(new Rollback());
        }
    }

    /** A result that is read in pieces, although the application did not ask for pieces. */
    void opened(RowSource source) {
        if (!source.isWhole() && !source.streams()) {
            unread.add(source);
        }
    }

    private void keepUnread() throws SQLException {
        for (RowSource source : List.copyOf(unread)) {
            source.readAhead();
        }
        unread.clear();
    }

    /** Runs one statement for the driver's own ends. */
    Outcome runOnce(String sql, List<Parameter> parameters) throws SQLException {
        Execute request =
                new Execute(mode(), slots.text(sql), new Uploads(this).send(parameters), ExecuteOptions.DEFAULT);
        try {
            Outcome outcome = call(request, Executed.class).outcomes().get(0);
            if (outcome instanceof Outcome.Rowset rowset) {
                slots.columns(sql, rowset.head());
            }
            return outcome;
        } catch (SQLException e) {
            slots.doubt(sql);
            throw e;
        }
    }

    private void checkManual(String what) throws SQLException {
        checkOpen();
        if (autoCommit) {
            throw new SQLException("Cannot %s when autoCommit is enabled.".formatted(what), SqlStates.NO_TRANSACTION);
        }
    }

    @Override
    public void setReadOnly(boolean on) throws SQLException {
        checkOpen();
        if (status.inTransaction()) {
            throw new SQLException(
                    "Cannot change transaction read-only property in the middle of a transaction.",
                    SqlStates.TRANSACTION_ACTIVE);
        }
        readOnly = on;
    }

    @Override
    public boolean isReadOnly() throws SQLException {
        checkOpen();
        return readOnly;
    }

    @Override
    public void setTransactionIsolation(int level) throws SQLException {
        checkOpen();
        if (status.inTransaction()) {
            throw new SQLException(
                    "Cannot change transaction isolation level in the middle of a transaction.",
                    SqlStates.TRANSACTION_ACTIVE);
        }
        if (level < Connection.TRANSACTION_READ_UNCOMMITTED
                || level > Connection.TRANSACTION_SERIALIZABLE
                || Integer.bitCount(level) != 1) {
            throw new SQLException(
                    "Transaction isolation level %d not supported.".formatted(level), SqlStates.NOT_SUPPORTED);
        }
        isolation = level;
    }

    @Override
    public int getTransactionIsolation() throws SQLException {
        checkOpen();
        return isolation == 0 ? welcome().engine().defaultIsolation() : isolation;
    }

    @Override
    public Savepoint setSavepoint() throws SQLException {
        return setSavepoint("multimed_" + ++savepoints, savepoints);
    }

    @Override
    public Savepoint setSavepoint(String name) throws SQLException {
        return setSavepoint(name, 0);
    }

    private Savepoint setSavepoint(String name, int id) throws SQLException {
        checkOpen();
        if (autoCommit) {
            throw new SQLException("Cannot establish a savepoint in auto-commit mode.", SqlStates.NO_TRANSACTION);
        }
        call(new SavepointRequest(mode(), SavepointRequest.Action.SET, name));
        return new JdbcSavepoint(name, id);
    }

    @Override
    public void rollback(Savepoint savepoint) throws SQLException {
        call(new SavepointRequest(mode(), SavepointRequest.Action.ROLLBACK_TO, JdbcSavepoint.name(savepoint)));
    }

    @Override
    public void releaseSavepoint(Savepoint savepoint) throws SQLException {
        call(new SavepointRequest(mode(), SavepointRequest.Action.RELEASE, JdbcSavepoint.release(savepoint)));
    }

    @Override
    public DatabaseMetaData getMetaData() throws SQLException {
        checkOpen();
        DatabaseMetaData known = metaData;
        if (known == null) {
            known = Catalog.of(this);
            metaData = known;
        }
        return known;
    }

    @Override
    public boolean isValid(int timeout) throws SQLException {
        if (timeout < 0) {
            throw new SQLException("Invalid timeout (%d<0).".formatted(timeout), SqlStates.WRONG_PARAMETER);
        }
        if (isClosed()) {
            return false;
        }
        try {
            Response answer = session.wire().ping(timeout);
            note(answer == null ? null : status(answer));
            return answer != null;
        } catch (SQLException e) {
            return false;
        }
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            if (!session.wire().isBroken()) {
                session.wire().send(new Goodbye());
            }
        } catch (IOException e) {
            // The other side is gone already.
            return;
        } finally {
            session.wire().close();
        }
    }

    @Override
    public void abort(@Nullable Executor executor) throws SQLException {
        if (executor == null) {
            throw new SQLException("an executor is needed to abort", SqlStates.WRONG_PARAMETER);
        }
        closed = true;
        session.wire().close();
    }

    @Override
    public boolean isClosed() {
        return closed || session.wire().isBroken();
    }

    @Override
    public void setNetworkTimeout(Executor executor, int milliseconds) throws SQLException {
        checkOpen();
        if (milliseconds < 0) {
            throw new SQLException(
                    "Network timeout must be a value greater than or equal to 0.", SqlStates.WRONG_PARAMETER);
        }
        session.wire().setTimeout(milliseconds);
    }

    @Override
    public int getNetworkTimeout() throws SQLException {
        checkOpen();
        return session.wire().timeout();
    }

    @Override
    public Array createArrayOf(String typeName, Object @Nullable [] elements) throws SQLException {
        checkOpen();
        return JdbcArray.of(this, typeName, elements == null ? new Object[0] : elements);
    }

    @Override
    public String nativeSQL(String sql) {
        return sql;
    }

    @Override
    public @Nullable SQLWarning getWarnings() throws SQLException {
        checkOpen();
        return warnings;
    }

    @Override
    public void clearWarnings() throws SQLException {
        checkOpen();
        warnings = null;
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
        checkOpen();
        namespaces.setSchema(schema);
    }

    @Override
    public String getCatalog() throws SQLException {
        checkOpen();
        return namespaces.catalog();
    }

    @Override
    public void setCatalog(String catalog) throws SQLException {
        namespaces.setCatalog(catalog);
    }

    @Override
    public @Nullable String getSchema() throws SQLException {
        return namespaces.schema();
    }

    /** Told back to who asks; the engine's sessions serve many clients and do not learn it. */
    @Override
    public void setClientInfo(String name, @Nullable String value) throws SQLClientInfoException {
        if (closed) {
            throw new SQLClientInfoException(
                    "This connection has been closed.",
                    SqlStates.CONNECTION_CLOSED,
                    Map.of(name, ClientInfoStatus.REASON_UNKNOWN));
        }
        if (!CLIENT_INFO.contains(name)) {
            warn("ClientInfo property not supported.");
        } else if (value == null) {
            clientInfo.remove(name);
        } else {
            clientInfo.setProperty(name, value);
        }
    }

    private void warn(String what) {
        SQLWarning warning = new SQLWarning(what, SqlStates.NOT_SUPPORTED);
        if (warnings == null) {
            warnings = warning;
        } else {
            warnings.setNextWarning(warning);
        }
    }

    @Override
    public void setClientInfo(Properties properties) throws SQLClientInfoException {
        for (String name : CLIENT_INFO) {
            setClientInfo(name, properties.getProperty(name));
        }
    }

    @Override
    public @Nullable String getClientInfo(String name) throws SQLException {
        checkOpen();
        return clientInfo.getProperty(name);
    }

    @Override
    public Properties getClientInfo() throws SQLException {
        checkOpen();
        return clientInfo;
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        if (type.isInstance(this)) {
            return type.cast(this);
        }
        throw new SQLException(
                "a Multimed connection is no %s: it leads to many engine connections, not to one"
                        .formatted(type.getName()),
                SqlStates.NOT_SUPPORTED);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return type.isInstance(this);
    }

    @Override
    public long lastScn() {
        return status.scn();
    }

    @Override
    public String lastNode() {
        int node = status.node();
        if (node == SessionStatus.NO_NODE) {
            return "";
        }
        // A satellite that came after this connection was opened has no name here.
        return node < welcome().nodes().size() ? welcome().nodes().get(node) : "node " + node;
    }

    @Override
    public String why() {
        return status.route().toString();
    }

    @Override
    public long sessionId() {
        return welcome().sessionId();
    }
}
