// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.result;

import com.mysql.cj.jdbc.JdbcConnection;
import io.multimed.engine.dialect.CatalogReader.Described;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.mysql.sql.MySqlReader;
import io.multimed.engine.sql.Classification;
import java.sql.Connection;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Set;

/**
 * Describes statements. Connector/J counts the parameters by itself, but executes a query in order to describe its
 * columns. Here the engine prepares the query instead.
 *
 * <p>Both engines evaluate constant parts of a statement while they prepare it: on MariaDB functions of users that are
 * declared as deterministic, on both engines assignments to variables. Therefore only queries are prepared that are
 * known to call no such function and to assign nothing; all other statements have no columns before their execution. A
 * view may still call functions: the engine then refuses changes of rows, or undoes them.
 */
final class PreparedDescription {
    private static final Set<String> QUERIES = Set.of("SELECT", "WITH", "VALUES", "TABLE", "(");

    /** Error number: the engine cannot prepare this statement. */
    private static final int NOT_FOR_PREPARED = 1295;

    /** Error number: a part of the statement would have changed rows. */
    private static final int READ_ONLY = 1792;

    /** Clients' savepoints do not have this name: their SQL must not contain it. */
    private static final String SAVEPOINT = "`multimed_described statement`";

    private static final MySqlReader READER = new MySqlReader();

    private final Connection connection;
    private final String sql;
    private final boolean mayRunCode;

    /** @param classification that of the text */
    PreparedDescription(Connection connection, String sql, Classification classification) {
        this.connection = connection;
        this.sql = sql;
        this.mayRunCode = !classification.isPureRead()
                || classification.has(Classification.Trait.MAY_RUN_USER_FUNCTIONS)
                || classification.has(Classification.Trait.MAY_CHANGE_SESSION);
    }

    /** Returns whether the engine may prepare the statement. Statements such as EXPLAIN contain others. */
    static boolean isPossible(String sql, Classification classification) {
        return classification.changesNothing()
                && QUERIES.contains(READER.read(sql).word(0));
    }

    /**
     * @param own whether the session belongs to the client; others are read-only, and have no transaction
     * @param result receives the columns together with {@code parameters}
     */
    <T> T describe(boolean own, ParameterMetaData parameters, Described<T> result) throws SQLException {
        if (!own) {
            return ending(() -> prepare(parameters, result), mayRunCode ? "DO RELEASE_ALL_LOCKS()" : "");
        }
        if (connection.getAutoCommit()) {
            Queries.execute(connection, "START TRANSACTION READ ONLY");
            return ending(() -> prepare(parameters, result), "ROLLBACK");
        }
        if (!mayRunCode) {
            return prepare(parameters, result);
        }
        Queries.execute(connection, "SAVEPOINT " + SAVEPOINT);
        return ending(
                () -> prepare(parameters, result),
                "ROLLBACK TO SAVEPOINT " + SAVEPOINT,
                "RELEASE SAVEPOINT " + SAVEPOINT);
    }

    private interface Step<T> {
        T run() throws SQLException;
    }

    /** Runs statements at the end of a step, also if the step fails. */
    private <T> T ending(Step<T> step, String... ends) throws SQLException {
        T result;
        try {
            result = step.run();
        } catch (SQLException e) {
            try {
                end(ends);
            } catch (SQLException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
        end(ends);
        return result;
    }

    private void end(String... statements) throws SQLException {
        for (String statement : statements) {
            if (!statement.isEmpty()) {
                Queries.execute(connection, statement);
            }
        }
    }

    private <T> T prepare(ParameterMetaData parameters, Described<T> result) throws SQLException {
        PreparedStatement prepared;
        try {
            prepared = connection.unwrap(JdbcConnection.class).serverPrepareStatement(sql);
        } catch (SQLException e) {
            if (e.getErrorCode() == NOT_FOR_PREPARED || e.getErrorCode() == READ_ONLY) {
                return result.of(parameters, null);
            }
            throw e;
        }
        try (prepared) {
            return result.of(parameters, prepared.getMetaData());
        }
    }
}
