// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.satellite;

import io.multimed.engine.postgresql.connection.Queries;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes indexes of a satellite that cannot contain a row which the master's index contains. The engines may compress
 * values differently ({@code default_toast_compression}, which clients can set), and the limit of an entry applies to
 * the compressed value. An expression may fail on the satellite only, if a client has replaced a function: each session
 * of an engine remembers the text of the function for some time. Without the index, queries are slower, or run on the
 * master, but the rows are the same.
 */
final class UnsuitableIndexes {
    private static final Logger LOG = LoggerFactory.getLogger(UnsuitableIndexes.class);
    private static final String LIMIT_EXCEEDED = "54000";

    /**
     * The statements that remove the indexes of a table: that of a partition is removed with that of its parent. The
     * condition follows.
     */
    private static final String REMOVALS = """
            SELECT DISTINCT CASE WHEN k.oid IS NULL THEN format('DROP INDEX %%s', r.oid::regclass)
                ELSE format('ALTER TABLE %%s DROP CONSTRAINT %%I', k.conrelid::regclass, k.conname) END
            FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
                JOIN pg_class t ON t.oid = x.indrelid JOIN pg_namespace n ON n.oid = t.relnamespace
                CROSS JOIN LATERAL (SELECT coalesce(pg_partition_root(i.oid)::oid, i.oid) AS oid) r
                LEFT JOIN pg_constraint k ON k.conindid = r.oid AND k.contype IN ('p', 'u', 'x')
            WHERE concat(n.nspname, '.', t.relname) = '%s' AND %s""";

    private static final String NAMED = "i.relname = '%s'";

    /** Only a value of variable length can be too large. */
    private static final String OF_VARIABLE_LENGTH =
            "EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = i.oid AND a.attlen = -1)";

    /** Only an expression or a condition can fail in another way. */
    private static final String COMPUTED = "(x.indexprs IS NOT NULL OR x.indpred IS NOT NULL)";

    /** Classes of SQLStates with which an expression of a client can fail; no failures of the satellite's machine. */
    private static final Set<String> OF_EXPRESSIONS =
            Set.of("0A", "20", "21", "22", "2F", "38", "39", "3F", "42", "P0");

    private UnsuitableIndexes() {}

    /** Returns whether a statement may have failed because of such an index. */
    static boolean isReason(SQLException failure) {
        String state = failure.getSQLState();
        return LIMIT_EXCEEDED.equals(state)
                || (state != null && state.length() > 2 && OF_EXPRESSIONS.contains(state.substring(0, 2)));
    }

    /**
     * Removes the index that the engine has named; if it has named none, those of the table that may be the reason.
     * Commits.
     *
     * @param table the table whose rows were written, as {@link io.multimed.engine.writeset.Relation#name}; null if
     *     none was
     * @return whether there was one, so that the statement may succeed now
     */
    static boolean remove(Connection satellite, SQLException failure, @Nullable String table) throws SQLException {
        if (table == null) {
            return false;
        }
        boolean removed = false;
        try (Statement statement = satellite.createStatement()) {
            statement.execute("SET LOCAL lock_timeout = '%s'".formatted(SatelliteCatalog.TURN));
            for (String removal : Queries.texts(statement, REMOVALS.formatted(escaped(table), condition(failure)))) {
                LOG.warn("a satellite does without an index: {}: {}", removal, failure.getMessage());
                statement.execute(removal);
                removed = true;
            }
        }
        satellite.commit();
        return removed;
    }

    private static String condition(SQLException failure) {
        if (!LIMIT_EXCEEDED.equals(failure.getSQLState())) {
            return COMPUTED;
        }
        String index = index(failure);
        return index == null ? OF_VARIABLE_LENGTH : NAMED.formatted(escaped(index));
    }

    private static String escaped(String name) {
        return name.replace("'", "''");
    }

    private static @Nullable String index(SQLException failure) {
        ServerErrorMessage message =
                failure instanceof PSQLException reported ? reported.getServerErrorMessage() : null;
        return message == null ? null : message.getConstraint();
    }
}
