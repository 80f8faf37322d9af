// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.satellite;

import io.multimed.engine.writeset.Scn;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/**
 * A statement that writes rows of one relation to a satellite (architecture 4.5).
 *
 * @param sql with a placeholder for each array of rows
 * @param rows arrays of rows as text, all of the same length
 * @param expected number of rows that the statement must change; {@link #ANY} if there is no such number
 * @param relation name of the relation, for error messages
 * @param reads whether the statement reads the whole table, because the relation has no key
 */
record RowWrite(String sql, List<List<String>> rows, int expected, String relation, boolean reads) {
    static final int ANY = -1;

    /** SQLState for rows that the satellite lacks. */
    private static final String DIFFERENT = "XX001";

    /** Counts the changed rows, and fails with XX001 if there are not as many as expected. */
    private static final String COUNTED =
            "WITH changed AS (%s RETURNING 1) SELECT CASE WHEN count(*) <> ? THEN multimed.report_difference(count(*), ?, ?) END FROM changed";

    /** Runs the statement. Fails with XX001 if it has found fewer or more rows than the changes contain. */
    void write(Connection satellite) throws SQLException {
        if (reads) {
            // Without a key the whole table must be read: a hash join reads it once for all rows.
            execute(satellite, "SET LOCAL enable_hashjoin = on; SET LOCAL enable_nestloop = off");
        }
        try (PreparedStatement statement = satellite.prepareStatement(sql)) {
            bindRows(satellite, statement);
            expect(statement.executeUpdate());
        }
        if (reads) {
            execute(satellite, "SET LOCAL enable_hashjoin = off; SET LOCAL enable_nestloop = on");
        }
    }

    /** Returns whether {@link #runAndCommit} can be called. */
    boolean canCommit() {
        return !reads;
    }

    /**
     * Runs the statement, moves the applied SCN, and commits, in one message to the engine. If the statement fails, or
     * finds fewer or more rows than the changes contain (XX001), the engine does not execute the COMMIT.
     */
    void runAndCommit(Connection satellite, Scn upTo) throws SQLException {
        String first = expected == ANY ? sql : COUNTED.formatted(sql);
        try (PreparedStatement statement =
                satellite.prepareStatement(first + ";\n" + PostgresSatellite.APPLIED_AND_COMMIT)) {
            int parameter = bindRows(satellite, statement);
            if (expected != ANY) {
                statement.setLong(parameter++, expected);
                statement.setLong(parameter++, expected);
                statement.setString(parameter++, relation);
            }
            statement.setLong(parameter, upTo.value());
            statement.execute();
        }
    }

    /** Returns the index of the next parameter. */
    private int bindRows(Connection satellite, PreparedStatement statement) throws SQLException {
        int parameter = 1;
        for (List<String> texts : rows) {
            statement.setArray(parameter++, satellite.createArrayOf("text", texts.toArray()));
        }
        return parameter;
    }

    private void expect(int found) throws SQLException {
        if (expected != ANY && expected != found) {
            throw new SQLException(
                    "%s is not as the master had it: %d of %d changed rows found".formatted(relation, found, expected),
                    DIFFERENT);
        }
    }

    private static void execute(Connection satellite, String sql) throws SQLException {
        try (PreparedStatement statement = satellite.prepareStatement(sql)) {
            statement.execute();
        }
    }
}
