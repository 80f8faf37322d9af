package io.multimed.jdbc;

import io.multimed.protocol.BatchExecuted;
import io.multimed.protocol.Cancel;
import io.multimed.protocol.CatalogAnswer;
import io.multimed.protocol.CloseCursor;
import io.multimed.protocol.Commit;
import io.multimed.protocol.Done;
import io.multimed.protocol.ErrorReport;
import io.multimed.protocol.Executed;
import io.multimed.protocol.Goodbye;
import io.multimed.protocol.Ping;
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
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.sql.SQLWarning;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A connection: one session of the middleware's at a time. If it breaks while something may commit, the outcome is found out over a new session, which then takes
 * its place (unless the engine held state of the old one). What is set here (auto-commit, read-only, isolation) travels with the next statement; a commit or rollback with no
 * transaction open touches no wire.
 */
final class JdbcConnection extends RefusingConnection implements MultimedConnection {
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
    private @Nullable DatabaseMetaData metaData;
    private volatile Session session;
    private volatile boolean closed;

    JdbcConnection(ConnectionUrl url, String user, Session session) {
        this.url = url;
        this.user = user;
        this.session = session;
        this.status = fresh(session);
        this.readOnly = DriverProperty.READ_ONLY.truth(url.properties());
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
        return response instanceof CatalogAnswer answer ? answer.status() : null;
    }

    private void note(@Nullable SessionStatus now) {
        if (now != null) {
            int node = now.node() == SessionStatus.NO_NODE ? status.node() : now.node();
            status = new SessionStatus(
                    now.inTransaction(), now.failed(), now.pinned(), node, Math.max(now.scn(), status.scn()));
        }
    }

    TransactionMode mode() {
        return new TransactionMode(autoCommit, readOnly, isolation);
    }

    Slots slots() {
        return slots;
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
            throw Failures.closed("connection");
        }
    }

    @Override
    public Statement createStatement(int type, int concurrency, int holdability) throws SQLException {
        checkOpen();
        return new JdbcStatement(this, ResultSetKind.of(type, concurrency));
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int type, int concurrency, int holdability)
            throws SQLException {
        checkOpen();
        return new JdbcPreparedStatement(
                this, ResultSetKind.of(type, concurrency), sql, io.multimed.protocol.GeneratedKeys.NONE);
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int autoGeneratedKeys) throws SQLException {
        checkOpen();
        return new JdbcPreparedStatement(this, ResultSetKind.PLAIN, sql, Keys.of(autoGeneratedKeys));
    }

    @Override
    public PreparedStatement prepareStatement(String sql, String[] columnNames) throws SQLException {
        checkOpen();
        return new JdbcPreparedStatement(this, ResultSetKind.PLAIN, sql, Keys.of(columnNames));
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int[] columnIndexes) throws SQLException {
        checkOpen();
        return new JdbcPreparedStatement(this, ResultSetKind.PLAIN, sql, Keys.of(columnIndexes));
    }

    @Override
    public CallableStatement prepareCall(String sql) throws SQLException {
        checkOpen();
        return JdbcCall.of(this, ResultSetKind.PLAIN, sql);
    }

    @Override
    public CallableStatement prepareCall(String sql, int type, int concurrency) throws SQLException {
        checkOpen();
        return JdbcCall.of(this, ResultSetKind.of(type, concurrency), sql);
    }

    @Override
    public CallableStatement prepareCall(String sql, int type, int concurrency, int holdability) throws SQLException {
        return prepareCall(sql, type, concurrency);
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
            call(new Commit());
        }
    }

    @Override
    public void rollback() throws SQLException {
        checkManual("rollback");
        lostTransaction.ended();
        if (status.inTransaction()) {
            call(new Rollback());
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
        if (level < Connection.TRANSACTION_READ_UNCOMMITTED || level > Connection.TRANSACTION_SERIALIZABLE) {
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
        checkManual("establish a savepoint");
        call(new SavepointRequest(mode(), SavepointRequest.Action.SET, name));
        return new JdbcSavepoint(name, id);
    }

    @Override
    public void rollback(Savepoint savepoint) throws SQLException {
        call(new SavepointRequest(mode(), SavepointRequest.Action.ROLLBACK_TO, JdbcSavepoint.name(savepoint)));
    }

    @Override
    public void releaseSavepoint(Savepoint savepoint) throws SQLException {
        call(new SavepointRequest(mode(), SavepointRequest.Action.RELEASE, JdbcSavepoint.name(savepoint)));
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
            throw new SQLException("a timeout of %d seconds".formatted(timeout), SqlStates.WRONG_PARAMETER);
        }
        if (isClosed()) {
            return false;
        }
        try {
            Wire wire = session.wire();
            int usual = wire.timeout();
            wire.setTimeout(timeout * 1_000);
            note(status(wire.call(new Ping())));
            wire.setTimeout(usual);
            return true;
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
    public void abort(Executor executor) {
        Objects.requireNonNull(executor);
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
        return new JdbcArray(typeName, Arrays.asList(elements == null ? new Object[0] : elements));
    }

    @Override
    public String nativeSQL(String sql) {
        return sql;
    }

    @Override
    public @Nullable SQLWarning getWarnings() {
        return null;
    }

    @Override
    public void clearWarnings() {
        // Warnings belong to statements; a connection gathers none.
    }

    @Override
    public void setHoldability(int holdability) throws SQLException {
        if (holdability != ResultSet.CLOSE_CURSORS_AT_COMMIT) {
            throw Failures.unsupported("holding cursors over a commit");
        }
    }

    @Override
    public int getHoldability() {
        return ResultSet.CLOSE_CURSORS_AT_COMMIT;
    }

    @Override
    public String getCatalog() {
        return url.database();
    }

    @Override
    public void setCatalog(String catalog) {
        // As with the engine's own driver: a connection stays in its database.
    }

    @Override
    public @Nullable String getSchema() throws SQLException {
        try (Statement statement = createStatement();
                ResultSet row = statement.executeQuery("SELECT current_schema()")) {
            return row.next() ? row.getString(1) : null;
        }
    }

    @Override
    public void setClientInfo(String name, String value) {
        // Kept by the pool above, of no use to the engine: its sessions serve many clients.
    }

    @Override
    public void setClientInfo(Properties properties) {
        // See above.
    }

    @Override
    public @Nullable String getClientInfo(String name) {
        return null;
    }

    @Override
    public Properties getClientInfo() {
        return new Properties();
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
    public long sessionId() {
        return welcome().sessionId();
    }
}
