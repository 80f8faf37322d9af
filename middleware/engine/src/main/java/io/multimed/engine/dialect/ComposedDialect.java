package io.multimed.engine.dialect;

import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.SchemaFacts;
import io.multimed.engine.sql.SqlReader;
import io.multimed.engine.sql.TableNames;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.protocol.value.Parameter;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A dialect that consists of one object for each role; passes each call to the object of its role. */
public final class ComposedDialect implements SqlDialect {
    private final ErrorClassifier errors;
    private final SessionSettings sessions;
    private final TransactionSettings transactions;
    private final ResultStreaming streaming;
    private final CatalogReader catalog;
    private final SqlReader reader;
    private final EngineValues values;

    public ComposedDialect(
            ErrorClassifier errors,
            SessionSettings sessions,
            TransactionSettings transactions,
            ResultStreaming streaming,
            CatalogReader catalog,
            SqlReader reader,
            EngineValues values) {
        this.errors = errors;
        this.sessions = sessions;
        this.transactions = transactions;
        this.streaming = streaming;
        this.catalog = catalog;
        this.reader = reader;
        this.values = values;
    }

    @Override
    public SQLException afterTimeLimit(SQLException failure) {
        return errors.afterTimeLimit(failure);
    }

    @Override
    public AfterError afterCancel() {
        return errors.afterCancel();
    }

    @Override
    public AfterError afterError(SQLException failure) {
        return errors.afterError(failure);
    }

    @Override
    public SQLException snapshotConflict() {
        return errors.snapshotConflict();
    }

    @Override
    public SQLException commitStopped(boolean waitedForLock, String message) {
        return errors.commitStopped(waitedForLock, message);
    }

    @Override
    public boolean isConnectionFailure(SQLException failure) {
        return errors.isConnectionFailure(failure);
    }

    @Override
    public boolean isReadOnlyRefusal(SQLException failure) {
        return errors.isReadOnlyRefusal(failure);
    }

    @Override
    public boolean isDueToStatement(SQLException failure) {
        return errors.isDueToStatement(failure);
    }

    @Override
    public boolean isStalePlan(SQLException failure) {
        return errors.isStalePlan(failure);
    }

    @Override
    public boolean isOutdatedConnection(SQLException failure) {
        return errors.isOutdatedConnection(failure);
    }

    @Override
    public boolean mayBeMissingOnSatellite(SQLException failure) {
        return errors.mayBeMissingOnSatellite(failure);
    }

    @Override
    public boolean hasTimedOut(SQLException failure) {
        return errors.hasTimedOut(failure);
    }

    @Override
    public SessionWatch watch(Connection connection) throws SQLException {
        return sessions.watch(connection);
    }

    @Override
    public void beginUse(Connection connection) throws SQLException {
        sessions.beginUse(connection);
    }

    @Override
    public boolean hasReportedChanges(Connection connection) throws SQLException {
        return sessions.hasReportedChanges(connection);
    }

    @Override
    public String zone(String javaZone) {
        return sessions.zone(javaZone);
    }

    @Override
    public void setZone(Connection connection, String zone) throws SQLException {
        sessions.setZone(connection, zone);
    }

    @Override
    public Optional<LastKeys> lastKeys() {
        return sessions.lastKeys();
    }

    @Override
    public String bound(String setting, List<Parameter> parameters) {
        return sessions.bound(setting, parameters);
    }

    @Override
    public String preparedText(Connection connection, String sql) throws SQLException {
        return sessions.preparedText(connection, sql);
    }

    @Override
    public void requireDefaultQuoting(Connection connection) throws SQLException {
        sessions.requireDefaultQuoting(connection);
    }

    @Override
    public <T> T resetting(Connection connection, Step<T> statement) throws SQLException {
        return sessions.resetting(connection, statement);
    }

    @Override
    public void resetSession(Connection connection) throws SQLException {
        sessions.resetSession(connection);
    }

    @Override
    public void ddlRecorded(Connection connection) throws SQLException {
        sessions.ddlRecorded(connection);
    }

    @Override
    public void isolate(Connection connection, int isolation, int present) throws SQLException {
        transactions.isolate(connection, isolation, present);
    }

    @Override
    public void isolateOnce(Connection connection, int isolation) throws SQLException {
        transactions.isolateOnce(connection, isolation);
    }

    @Override
    public boolean isReadOnlyInAutoCommit() {
        return transactions.isReadOnlyInAutoCommit();
    }

    @Override
    public void beginRead(Connection connection) throws SQLException {
        transactions.beginRead(connection);
    }

    @Override
    public void beginDescription(Connection connection) throws SQLException {
        transactions.beginDescription(connection);
    }

    @Override
    public void discardPlans(Connection connection) throws SQLException {
        transactions.discardPlans(connection);
    }

    @Override
    public void beginSnapshot(Connection connection) throws SQLException {
        transactions.beginSnapshot(connection);
    }

    @Override
    public boolean mayTakeUnorderedSnapshots(Connection connection) throws SQLException {
        return transactions.mayTakeUnorderedSnapshots(connection);
    }

    @Override
    public boolean takesSnapshotAtFirstStatement() {
        return transactions.takesSnapshotAtFirstStatement();
    }

    @Override
    public void forbidChanges(Connection connection) throws SQLException {
        transactions.forbidChanges(connection);
    }

    @Override
    public void allowChanges(Connection connection) throws SQLException {
        transactions.allowChanges(connection);
    }

    @Override
    public void forbidCommitted(Connection connection, boolean forbidden) throws SQLException {
        transactions.forbidCommitted(connection, forbidden);
    }

    @Override
    public boolean hasTransaction(Connection connection) throws SQLException {
        return transactions.hasTransaction(connection);
    }

    @Override
    public void cancel(Connection connection) throws SQLException {
        streaming.cancel(connection);
    }

    @Override
    public void cancel(Statement running) throws SQLException {
        streaming.cancel(running);
    }

    @Override
    public void takeLateCancel(Connection connection) throws SQLException {
        streaming.takeLateCancel(connection);
    }

    @Override
    public JoinedReads joinReads(Connection connection, String text, int parameters) throws SQLException {
        return streaming.joinReads(connection, text, parameters);
    }

    @Override
    public boolean streamsOneAtATime() {
        return streaming.streamsOneAtATime();
    }

    @Override
    public void endStreaming(Connection connection) {
        streaming.endStreaming(connection);
    }

    @Override
    public void abandonStreaming(Connection connection) {
        streaming.abandonStreaming(connection);
    }

    @Override
    public SchemaFacts schemaFacts(Connection master) throws SQLException {
        return catalog.schemaFacts(master);
    }

    @Override
    public void checkPrivileges(Connection connection, String query, Parameters parameters) throws SQLException {
        catalog.checkPrivileges(connection, query, parameters);
    }

    @Override
    public TableNames tableNames(Connection master) throws SQLException {
        return catalog.tableNames(master);
    }

    @Override
    public List<@Nullable String> rowValues(String row) {
        return catalog.rowValues(row);
    }

    @Override
    public boolean mayChangeFacts(WriteSet writeSet) {
        return catalog.mayChangeFacts(writeSet);
    }

    @Override
    public boolean outdatesConnections(WriteSet writeSet) {
        return catalog.outdatesConnections(writeSet);
    }

    @Override
    public <T> T describe(
            Connection connection,
            String sql,
            Classification classification,
            boolean own,
            Preparation preparation,
            Described<T> result)
            throws SQLException {
        return catalog.describe(connection, sql, classification, own, preparation, result);
    }

    @Override
    public DatabaseMetaData catalog(Connection connection) throws SQLException {
        return catalog.catalog(connection);
    }

    @Override
    public String baseSchema(ResultSetMetaData columns, int index) throws SQLException {
        return catalog.baseSchema(columns, index);
    }

    @Override
    public String baseColumn(ResultSetMetaData columns, int index) throws SQLException {
        return catalog.baseColumn(columns, index);
    }

    @Override
    public SqlReader reader() {
        return reader;
    }

    @Override
    public EngineValues values() {
        return values;
    }
}
