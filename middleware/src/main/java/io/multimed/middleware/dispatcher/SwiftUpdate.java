package io.multimed.middleware.dispatcher;

import io.multimed.middleware.extraction.Receipt;
import io.multimed.middleware.extraction.SingleFlight;
import io.multimed.middleware.node.engine.SqlDialect;
import io.multimed.protocol.Parameter;
import io.multimed.protocol.Response;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** One execution of a statement that can run outside a commit group, as any other, or inside one, in a single flight. */
final class SwiftUpdate implements Work.Action {
    private final Work.Action plain;
    private final UpdatePace pace;
    private final StatementRunner runner;
    private final SingleFlight flight;
    private final SqlDialect dialect;
    private final String sql;
    private final List<Parameter> parameters;

    SwiftUpdate(
            Work.Action plain,
            UpdatePace pace,
            StatementRunner runner,
            SingleFlight flight,
            SqlDialect dialect,
            String sql,
            List<Parameter> parameters) {
        this.plain = plain;
        this.pace = pace;
        this.runner = runner;
        this.flight = flight;
        this.dialect = dialect;
        this.sql = sql;
        this.parameters = parameters;
    }

    boolean isSwift() {
        return pace.isSwift();
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
        StatementRunner.Sealed sealed = runner.executeSealed(connection, flight, sql, parameters, receipt);
        pace.ranInGroup(System.nanoTime() - begin);
        return sealed;
    }

    /** After a failure inside a group: whether it must run outside, because the engine broke it off by itself, or its prepared form did not fit any more. */
    boolean mustRunOutside(SQLException failure) {
        if (dialect.hasLostPatience(failure) && !runner.wasCancelled()) {
            pace.lostPatience();
            return true;
        }
        return dialect.isStalePlan(failure);
    }
}
