// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.satellite;

import io.multimed.engine.writeset.Change.StatementChange;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates and drops views on a satellite. A view that refers to objects which the satellite lacks is omitted, and the
 * master answers for it. Each statement commits.
 */
final class ViewMaker {
    private static final Logger LOG = LoggerFactory.getLogger(ViewMaker.class);

    /** Errors that a repetition may overcome: an expired wait for a lock, a deadlock, an interrupted statement. */
    private static final Set<Integer> PASSING = Set.of(1205, 1213, 1317);

    private final Connection satellite;

    ViewMaker(Connection satellite) {
        this.satellite = satellite;
    }

    /**
     * Runs the statements in the order of their dependencies: repeats failed ones as long as any other statement
     * succeeds.
     */
    void run(List<StatementChange> statements) throws SQLException {
        List<StatementChange> left = new ArrayList<>(statements);
        int before = Integer.MAX_VALUE;
        while (!left.isEmpty() && left.size() < before) {
            before = left.size();
            List<StatementChange> failed = new ArrayList<>();
            for (StatementChange statement : left) {
                if (!run(statement)) {
                    failed.add(statement);
                }
            }
            left = failed;
        }
        left.forEach(statement -> LOG.info(
                "not executed on this satellite, because an object that the statement needs is missing: {}",
                statement.sql()));
    }

    /** Returns whether a failure means that a view cannot be created here. The failure of a DROP is always an error. */
    private static boolean isFinal(StatementChange statement, SQLException failure) {
        boolean broken = failure.getSQLState() == null || failure.getSQLState().startsWith("08");
        return !broken && statement.sql().startsWith("CREATE") && !PASSING.contains(failure.getErrorCode());
    }

    /** Runs one statement under the collation of the view's texts; returns whether the view could be created. */
    private boolean run(StatementChange statement) throws SQLException {
        try {
            ViewText.run(satellite, statement.searchPath(), () -> DdlRetry.execute(satellite, statement.sql()));
            return true;
        } catch (SQLException e) {
            if (isFinal(statement, e)) {
                return false;
            }
            throw e;
        }
    }
}
