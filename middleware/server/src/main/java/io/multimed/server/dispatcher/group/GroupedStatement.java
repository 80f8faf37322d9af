package io.multimed.server.dispatcher.group;

import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.extraction.SharedCommit;
import io.multimed.protocol.response.Executed;
import io.multimed.protocol.response.Response;
import io.multimed.protocol.value.Parameter;
import io.multimed.server.dispatcher.request.StatementTask;
import io.multimed.server.dispatcher.statement.Cancellation;
import io.multimed.server.dispatcher.statement.StatementRunner;
import io.multimed.server.node.ConnectionFailures;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/** One execution of a statement that can run inside a commit group, or outside of groups like any other statement. */
public final class GroupedStatement implements StatementTask.Action {
    private final StatementTask.Action plain;
    private final LatencyEstimator latency;
    private final StatementRunner runner;
    private final GroupCapabilities capabilities;
    private final SqlDialect dialect;
    private final String sql;
    private final Set<String> shareableTables;
    private final List<Parameter> parameters;

    GroupedStatement(
            StatementTask.Action plain,
            LatencyEstimator latency,
            StatementRunner runner,
            GroupCapabilities capabilities,
            String sql,
            Set<String> shareableTables,
            List<Parameter> parameters) {
        this.plain = plain;
        this.latency = latency;
        this.runner = runner;
        this.capabilities = capabilities;
        this.dialect = capabilities.dialect();
        this.sql = sql;
        this.shareableTables = shareableTables;
        this.parameters = parameters;
    }

    public boolean isFast() {
        return latency.isFast();
    }

    /** Runs the statement outside of groups. */
    @Override
    public Response run(Connection connection, boolean whole) throws SQLException {
        long begin = System.nanoTime();
        Response response = plain.run(connection, whole);
        latency.ran(System.nanoTime() - begin);
        return response;
    }

    /**
     * Runs, seals and commits the statement inside a group, in a transaction of its own.
     *
     * @param durable whether the commit may wait for the disk
     */
    StatementRunner.Sealed runSealed(Connection connection, Receipt receipt, boolean durable) throws SQLException {
        long begin = System.nanoTime();
        StatementRunner.Sealed sealed = runner.executeSealed(
                connection, capabilities.single().orElseThrow(), sql, parameters, receipt, durable);
        latency.ranInGroup(System.nanoTime() - begin);
        return sealed;
    }

    /**
     * Decides whether this execution shares a transaction with other members of its group. Called once for each
     * execution, because {@link LatencyEstimator#decidesToShare} counts the executions that do not.
     */
    boolean decidesToShare() {
        return capabilities.sharesAll()
                || (!shareableTables.isEmpty() && capabilities.shared().isPresent() && latency.decidesToShare());
    }

    /** Returns whether a failure of any statement undoes the shared transaction. */
    boolean sharesOptimistically() {
        return !capabilities.sharesAll();
    }

    String sql() {
        return sql;
    }

    Set<String> tables() {
        return shareableTables;
    }

    LatencyEstimator latency() {
        return latency;
    }

    /** Adds the execution to a batch of the same text. */
    void addTo(PreparedStatement batch) throws SQLException {
        runner.addTo(batch, parameters);
    }

    SharedCommit sharedCommit() {
        return capabilities.shared().orElseThrow();
    }

    SqlDialect dialect() {
        return dialect;
    }

    /** Runs the statement in a transaction shared with other members of its group. */
    Executed runShared(Connection connection) throws SQLException {
        long begin = System.nanoTime();
        Executed executed = runner.executeShared(connection, sql, parameters);
        latency.ranInGroup(System.nanoTime() - begin);
        return executed;
    }

    /** As {@link ConnectionFailures#actualFailure}. */
    SQLException actualFailure(Connection connection, SQLException failure) {
        return ConnectionFailures.actualFailure(dialect, connection, failure);
    }

    /** Records that the statement has been canceled, or has caused a rollback, inside a group. */
    void canceledInGroup() {
        latency.canceledInGroup();
    }

    /** Records that the statement waits to run, inside its group or outside: a cancel request must not be lost. */
    void beginWait() {
        runner.beginWait();
    }

    boolean wasCanceled() {
        return runner.wasCanceled();
    }

    /** Records that the statement has failed inside a group, before the next member of the group runs. */
    void failedInGroup(SQLException failure) {
        if (hasTimedOut(failure)) {
            latency.canceledInGroup();
        }
        if (mustRunOutside(failure)) {
            beginWait();
        }
    }

    /**
     * Returns whether a statement that failed inside a group must run outside: the engine canceled it, or its plan or
     * connection was outdated.
     */
    boolean mustRunOutside(SQLException failure) {
        return hasTimedOut(failure) || dialect.isStalePlan(failure) || dialect.isOutdatedConnection(failure);
    }

    /**
     * Returns the failure that the client receives. If the client has canceled the statement when the statement reached
     * a time limit that the engine sets for groups, the client must not receive the error of this limit.
     */
    SQLException reportedFailure(SQLException failure) {
        return sharesOptimistically()
                        && runner.wasCanceled()
                        && dialect.hasTimedOut(failure)
                        && !Cancellation.CANCELLED.equals(failure.getSQLState())
                ? new SQLException("the statement was cancelled", Cancellation.CANCELLED, failure)
                : failure;
    }

    private boolean hasTimedOut(SQLException failure) {
        return dialect.hasTimedOut(failure) && !runner.wasCanceled();
    }
}
