// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.postgresql;

import io.multimed.tpcw.run.Target;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The time that an engine has spent in Multimed's functions, which PostgreSQL counts with {@code track_functions: pl}.
 * This is not CPU time: waits for a core or a lock inside the functions count.
 *
 * @param captureMillis in the functions that append changes to a WriteSet
 * @param sealMillis in all other functions: those that run once for a transaction, to seal it
 */
record FunctionTimes(double captureMillis, double sealMillis) {
    private static final String QUERY = """
            SELECT coalesce(sum(self_time) FILTER (WHERE captures), 0), coalesce(sum(self_time) FILTER (WHERE NOT captures), 0)
            FROM (SELECT self_time, funcname ~ '^(capture|append|keep|spill|begin_writeset|add_to_witness)' AS captures
                FROM pg_stat_user_functions WHERE schemaname = 'multimed') f""";

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
