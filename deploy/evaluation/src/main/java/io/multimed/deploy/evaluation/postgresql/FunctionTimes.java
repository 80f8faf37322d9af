package io.multimed.deploy.evaluation.postgresql;

import io.multimed.tpcw.run.Target;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The time that an engine has spent in Multimed's functions, which PostgreSQL counts with {@code track_functions}. This
 * is not CPU time: waits for a core or a lock inside the functions count, and are long if the cores are overloaded.
 *
 * @param captureMillis in the functions of the triggers
 * @param sealMillis in the functions that seal a transaction
 */
record FunctionTimes(double captureMillis, double sealMillis) {
    private static final String QUERY = """
            SELECT coalesce(sum(self_time) FILTER (WHERE funcname !~ 'seal|scn|permit|enter'), 0),
                coalesce(sum(self_time) FILTER (WHERE funcname ~ 'seal|scn|permit|enter'), 0)
            FROM pg_stat_user_functions WHERE schemaname = 'multimed'""";

    /** Reads the times. Sessions report theirs once per second. */
    static FunctionTimes of(Target engine) throws SQLException {
        try (Connection connection = engine.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(QUERY)) {
            row.next();
            return new FunctionTimes(row.getDouble(1), row.getDouble(2));
        }
    }

    FunctionTimes minus(FunctionTimes earlier) {
        return new FunctionTimes(captureMillis - earlier.captureMillis, sealMillis - earlier.sealMillis);
    }
}
