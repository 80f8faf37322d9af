// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.group;

import io.multimed.engine.dialect.ErrorClassifier.AfterError;
import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.extraction.JoinedStatements;
import io.multimed.engine.extraction.PiggybackCommit;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.extraction.RowsCommit;
import io.multimed.engine.extraction.SharedCommit;
import io.multimed.protocol.response.Executed;
import io.multimed.protocol.response.Response;
import io.multimed.protocol.value.Parameter;
import io.multimed.server.dispatcher.classification.ClassifiedText;
import io.multimed.server.dispatcher.statement.Cancellation;
import io.multimed.server.dispatcher.statement.StatementAction;
import io.multimed.server.dispatcher.statement.StatementRunner;
import io.multimed.server.node.ConnectionFailures;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One execution of a statement that can run inside a commit group, or outside of groups like any other statement. */
public final class GroupedStatement implements StatementAction {
    private static final Logger LOG = LoggerFactory.getLogger(GroupedStatement.class);

    /** Length of a value above which the statement is sent alone. */
    private static final int MAX_VALUE_LENGTH = 2_000;

    /** Executions of a statement that deadlocks undo; the client receives the error of the last one. */
    private static final int MAX_ATTEMPTS = 10;

    /** Maximum pause before another execution; random, so that the same transactions do not meet again. */
    private static final int MAX_PAUSE_MILLIS = 20;

    /** SQLState of a deadlock on engines that roll the transaction back. */
    private static final String SERIALIZATION_FAILURE = "40001";

    /** SQLState of {@link PiggybackCommit#forRole}; if it is the statement's own, that will also fail outside. */
    private static final String UNSUITABLE = "0A000";

    private final StatementAction plain;
    private final LatencyEstimator latency;
    private final StatementRunner runner;
    private final GroupCapabilities capabilities;
    private final SqlDialect dialect;
    private final @Nullable String role;
    private final ClassifiedText text;
    private final Set<String> shareableTables;
    private final List<Parameter> parameters;

    /**
     * @param role of the engine as which the statement runs; null for the master's user
     * @param shareableTables tables that the statement changes, without code of users; not empty for a role
     */
    GroupedStatement(
            StatementAction plain,
            LatencyEstimator latency,
            StatementRunner runner,
            GroupCapabilities capabilities,
            @Nullable String role,
            ClassifiedText text,
            Set<String> shareableTables,
            List<Parameter> parameters) {
        this.plain = plain;
        this.latency = latency;
        this.runner = runner;
        this.capabilities = capabilities;
        this.dialect = capabilities.dialect();
        this.role = role;
        this.text = text;
        this.shareableTables = shareableTables;
        this.parameters = parameters;
    }

    public boolean isFast() {
        return latency.isFast();
    }

    /**
     * Runs the statement outside of groups. If a deadlock undoes the statement, it runs again: without Multimed, the
     * statements of a shared transaction would hold fewer locks at the same time, and for a shorter time. The statement
     * is its transaction, and its client has received nothing.
     *
     * @param whole whether the transaction ends with the statement
     */
    @Override
    public Response execute(Connection connection, boolean whole) throws SQLException {
        long begin = System.nanoTime();
        Response response = null;
        for (int attempt = 1; response == null; attempt++) {
            try {
                response = plain.execute(connection, whole);
            } catch (SQLException e) {
                if (!whole || attempt == MAX_ATTEMPTS || runner.wasCanceled() || !isDeadlock(e)) {
                    throw e;
                }
                connection.rollback();
                pause(e);
            }
        }
        latency.ran(System.nanoTime() - begin);
        return response;
    }

    private static void pause(SQLException deadlock) throws SQLException {
        try {
            TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextInt(MAX_PAUSE_MILLIS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw deadlock;
        }
    }

    private boolean isDeadlock(SQLException failure) {
        return SERIALIZATION_FAILURE.equals(failure.getSQLState())
                && dialect.errors().afterError(failure) == AfterError.ROLLED_BACK;
    }

    /**
     * Runs, seals and commits the statement inside a group, in a transaction of its own.
     *
     * @param durable whether the commit may wait for the disk
     */
    StatementRunner.Sealed runSealed(Connection connection, Receipt receipt, boolean durable) throws SQLException {
        return runSealed(connection, single(), receipt, durable);
    }

    /** As above, in a given way. */
    StatementRunner.Sealed runSealed(Connection connection, PiggybackCommit commit, Receipt receipt, boolean durable)
            throws SQLException {
        long begin = System.nanoTime();
        StatementRunner.Sealed sealed = runner.executeSealed(connection, commit, text, parameters, receipt, durable);
        latency.ranInGroup(System.nanoTime() - begin);
        return sealed;
    }

    private PiggybackCommit single() {
        PiggybackCommit single = capabilities.single().orElseThrow();
        return role == null ? single : single.forRole(shareableTables).orElseThrow();
    }

    /** Returns whether the statement only changes rows, without code of users, as the master's own user. */
    boolean concernsRowsOnly() {
        return role == null && !shareableTables.isEmpty();
    }

    /** Returns the way to run the statement if it {@link #concernsRowsOnly}; null if the engine has none. */
    @Nullable
    RowsCommit ofRows(Connection connection) throws SQLException {
        return single().ofRows(connection).orElse(null);
    }

    @Nullable
    String role() {
        return role;
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
        return text.sql();
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
        Executed executed = runner.executeShared(connection, text, parameters);
        latency.ranInGroup(System.nanoTime() - begin);
        return executed;
    }

    /**
     * Adds the statement to a message with statements of other clients.
     *
     * @return false if the statement must be sent alone. It then reports its own errors, if it cannot be sent at all
     */
    boolean addTo(JoinedStatements message) {
        try {
            return latency.decidesToShare()
                    && parameters.stream().allMatch(GroupedStatement::isShort)
                    && runner.addTo(message, text, parameters, latency.asksKey());
        } catch (SQLException e) {
            LOG.debug("a statement cannot be sent together with others", e);
            return false;
        }
    }

    private static boolean isShort(Parameter parameter) {
        Object value = parameter.value();
        return !(value instanceof CharSequence text && text.length() > MAX_VALUE_LENGTH)
                && !(value instanceof byte[] bytes && bytes.length > MAX_VALUE_LENGTH);
    }

    /** Returns the client's answer to the statement, which was sent with others. */
    Executed answered(JoinedStatements.Answer answer, long nanos) {
        latency.ranInGroup(nanos);
        latency.reportedKey(answer.reportsKey());
        return runner.answered(answer);
    }

    /** Records that the client needs more than the answer to a message with other statements contains. */
    void needsMore() {
        latency.failedShared();
    }

    /** As {@link ConnectionFailures#actualFailure}. */
    SQLException actualFailure(Connection connection, SQLException failure) {
        return ConnectionFailures.actualFailure(dialect.errors(), connection, failure);
    }

    /** Records that the statement has been canceled, or has caused a rollback, inside a group. */
    void canceledInGroup() {
        latency.canceledInGroup();
    }

    boolean wasCanceled() {
        return runner.wasCanceled();
    }

    /** Records that the statement has failed inside a group, before the next member of the group runs. */
    void failedInGroup(SQLException failure) {
        if (hasTimedOut(failure) || isUnsuitable(failure)) {
            latency.canceledInGroup();
        }
    }

    /**
     * Returns whether a statement that failed inside a group must run outside: the engine canceled it, its plan or
     * connection was outdated, or it may have run code of users as a role.
     */
    boolean mustRunOutside(SQLException failure) {
        return hasTimedOut(failure)
                || isUnsuitable(failure)
                || dialect.errors().isStalePlan(failure)
                || dialect.errors().isOutdatedConnection(failure);
    }

    private boolean isUnsuitable(SQLException failure) {
        return role != null && UNSUITABLE.equals(failure.getSQLState());
    }

    /**
     * Returns the failure that the client receives. If the client has canceled the statement when the statement reached
     * a time limit that the engine sets for groups, the client must not receive the error of this limit.
     */
    SQLException reportedFailure(SQLException failure) {
        return sharesOptimistically()
                        && runner.wasCanceled()
                        && dialect.errors().hasTimedOut(failure)
                        && !Cancellation.CANCELED.equals(failure.getSQLState())
                ? new SQLException("the statement was canceled", Cancellation.CANCELED, failure)
                : failure;
    }

    private boolean hasTimedOut(SQLException failure) {
        return dialect.errors().hasTimedOut(failure) && !runner.wasCanceled();
    }
}
