// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.satellite;

import io.multimed.engine.postgresql.connection.Queries;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Creates the projection of the master's schema on a satellite, which DDL keeps up to date afterwards ({@code
 * postgresql/ddl.sql}). Both connections have an empty search_path, so that the master writes all names with their
 * schemas. Used once, within one transaction of the satellite.
 */
final class SchemaCopy {
    /** Excludes the schemas of the engine and of Multimed. */
    private static final String USER_SCHEMA =
            "n.nspname <> 'multimed' AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'";

    private static final String OLD_SCHEMAS = "SELECT format('DROP SCHEMA %I CASCADE', n.nspname) FROM pg_namespace n"
            + " WHERE n.nspname = 'multimed' OR " + USER_SCHEMA;
    private static final String BEFORE_ROWS = "SELECT multimed.schema_statements(false)";
    private static final String AFTER_ROWS = "SELECT multimed.schema_statements(true)";

    private final Statement from;
    private final Statement to;
    private final Connection satellite;

    SchemaCopy(Statement from, Statement to) throws SQLException {
        this.from = from;
        this.to = to;
        this.satellite = to.getConnection();
        to.setEscapeProcessing(false);
    }

    /** Drops all schemas of users and Multimed's own. */
    void clear() throws SQLException {
        runAll(Queries.texts(to, OLD_SCHEMAS));
    }

    /** Creates everything that rows need; called before the rows are copied. */
    void copyTables() throws SQLException {
        runAll(Queries.texts(from, BEFORE_ROWS));
    }

    /** Creates everything else; called after the rows have been copied. */
    void copyIndexesAndViews() throws SQLException {
        runAll(Queries.texts(from, AFTER_ROWS));
    }

    private void runAll(List<String> statements) throws SQLException {
        List<Failure> failures = runInSomeOrder(statements);
        if (!failures.isEmpty()) {
            throw failures.get(0).cause;
        }
    }

    private record Failure(String sql, SQLException cause) {}

    /**
     * Runs statements whose objects may depend on each other: repeats the statements that fail as long as others
     * succeed. Returns those that failed in the last round.
     */
    private List<Failure> runInSomeOrder(List<String> statements) throws SQLException {
        List<String> left = statements;
        while (true) {
            List<Failure> failures = new ArrayList<>();
            for (String sql : left) {
                tryOne(sql, failures);
            }
            if (failures.isEmpty() || failures.size() == left.size()) {
                return failures;
            }
            left = failures.stream().map(Failure::sql).toList();
        }
    }

    /** Runs one statement below a savepoint, so that its failure does not end the transaction. */
    private void tryOne(String sql, List<Failure> failures) throws SQLException {
        Savepoint before = satellite.setSavepoint();
        try {
            to.execute(sql);
            satellite.releaseSavepoint(before);
        } catch (SQLException e) {
            satellite.rollback(before);
            failures.add(new Failure(sql, e));
        }
    }
}
