package io.multimed.server.dispatcher.execution;

import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.extraction.SharedCommit;
import io.multimed.protocol.Executed;
import io.multimed.protocol.Response;
import io.multimed.protocol.value.Parameter;
import io.multimed.server.dispatcher.request.StatementTask;
import io.multimed.server.dispatcher.statement.StatementRunner;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** One execution of a statement that can run outside a commit group, as any other, or inside one, in a single flight. */
public final class GroupedStatement implements StatementTask.Action {
    private final StatementTask.Action plain;
    private final LatencyEstimator pace;
    private final StatementRunner runner;
    private final GroupCapabilities kinds;
    private final SqlDialect dialect;
    private final String sql;
    private final List<Parameter> parameters;

    GroupedStatement(
            StatementTask.Action plain,
            LatencyEstimator pace,
            StatementRunner runner,
            GroupCapabilities kinds,
            String sql,
            List<Parameter> parameters) {
        this.plain = plain;
        this.pace = pace;
        this.runner = runner;
        this.kinds = kinds;
        this.dialect = kinds.dialect();
        this.sql = sql;
        this.parameters = parameters;
    }

    boolean isFast() {
        return pace.isFast();
    }

    /** Outside a group. */
    @Override
    public Response run(Connection connection, boolean whole) throws SQLException {
        long begin = System.nanoTime();
        Response response = plain.run(connection, whole);
        pace.ran(System.nanoTime() - begin);
        return response;
    }

    /** Inside a group. */
    StatementRunner.Sealed runSealed(Connection connection, Receipt receipt) throws SQLException {
        long begin = System.nanoTime();
        StatementRunner.Sealed sealed =
                runner.executeSealed(connection, kinds.single().orElseThrow(), sql, parameters, receipt);
        pace.ranInGroup(System.nanoTime() - begin);
        return sealed;
    }

    /** Whether it shares a transaction with others of its group. */
    boolean isShared() {
        return kinds.shared().isPresent();
    }

    SharedCommit sharedCommit() {
        return kinds.shared().orElseThrow();
    }

    SqlDialect dialect() {
        return dialect;
    }

    /** Inside a group, in a transaction with others. */
    Executed runShared(Connection connection) throws SQLException {
        long begin = System.nanoTime();
        Executed executed = runner.executeShared(connection, sql, parameters);
        pace.ranInGroup(System.nanoTime() - begin);
        return executed;
    }

    /** As {@link MasterSession#whatFailed}. */
    SQLException whatFailed(Connection connection, SQLException failure) {
        return MasterSession.whatFailed(dialect, connection, failure);
    }

    /** It cost others of its group what they had done. */
    void wasBrokenOff() {
        pace.lostPatience();
    }

    boolean wasCancelled() {
        return runner.wasCancelled();
    }

    /** After a failure inside a group: whether it must run outside, because the engine broke it off by itself, or its prepared form did not fit any more. */
    boolean mustRunOutside(SQLException failure) {
        if (dialect.hasTimedOut(failure) && !runner.wasCancelled()) {
            pace.lostPatience();
            return true;
        }
        return dialect.isStalePlan(failure) || dialect.isOutdatedConnection(failure);
    }
}
