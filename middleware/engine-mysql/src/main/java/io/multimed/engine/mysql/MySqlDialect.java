package io.multimed.engine.mysql;

import com.mysql.cj.jdbc.JdbcConnection;
import io.multimed.engine.EngineValues;
import io.multimed.engine.ErrorClassifier;
import io.multimed.engine.LastKeys;
import io.multimed.engine.SessionWatch;
import io.multimed.engine.SqlDialect;
import io.multimed.engine.mysql.connection.MySqlErrors;
import io.multimed.engine.mysql.connection.MySqlSessions;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.mysql.connection.SessionChanges;
import io.multimed.engine.mysql.master.SchemaTelling;
import io.multimed.engine.mysql.result.MariaDbCatalogue;
import io.multimed.engine.mysql.result.MySqlLastKeys;
import io.multimed.engine.mysql.result.MySqlValues;
import io.multimed.engine.mysql.result.Streams;
import io.multimed.engine.mysql.sql.MySqlReadRules;
import io.multimed.engine.mysql.sql.MySqlReader;
import io.multimed.engine.mysql.sql.PreparedTexts;
import io.multimed.engine.sql.SchemaFacts;
import io.multimed.engine.sql.SqlReader;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.Optional;
import java.util.Set;

/** What of the family's SQL a satellite can answer as the master would, and what its errors mean. */
final class MySqlDialect implements SqlDialect {
    private static final String USER_FUNCTIONS = """
            SELECT EXISTS (SELECT 1 FROM information_schema.ROUTINES WHERE ROUTINE_TYPE = 'FUNCTION'
                AND ROUTINE_SCHEMA NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema', 'multimed'))""";

    private static final ErrorClassifier ERRORS = new MySqlErrors();
    private static final SqlReader READER = new MySqlReader();
    private static final EngineValues VALUES = new MySqlValues();
    private static final LastKeys LAST_KEYS = new MySqlLastKeys();

    @Override
    public SqlReader reader() {
        return READER;
    }

    @Override
    public SchemaFacts schemaFacts(Connection master) throws SQLException {
        try (Statement statement = master.createStatement();
                ResultSet row = statement.executeQuery(USER_FUNCTIONS)) {
            row.next();
            return new SchemaFacts(MySqlReadRules.PURE_FUNCTIONS, Set.of(), row.getBoolean(1), false);
        }
    }

    @Override
    public void schemaTold(Connection connection) throws SQLException {
        SchemaTelling.told(connection);
    }

    /** Applies to the next statement, which is a transaction by itself. */
    @Override
    public void beginRead(Connection connection) throws SQLException {
        connection.setAutoCommit(true);
        forbidChanges(connection);
    }

    @Override
    public EngineValues values() {
        return VALUES;
    }

    @Override
    public DatabaseMetaData catalogue(Connection connection) throws SQLException {
        return MariaDbCatalogue.over(connection.getMetaData());
    }

    @Override
    public SessionWatch watch(Connection connection) throws SQLException {
        return new MySqlSessions(connection);
    }

    @Override
    public void beginUse(Connection connection) throws SQLException {
        SessionChanges.of(connection).begin();
    }

    @Override
    public boolean isLeftOtherwise(Connection connection) throws SQLException {
        return SessionChanges.of(connection).any(connection);
    }

    @Override
    public Optional<LastKeys> lastKeys() {
        return Optional.of(LAST_KEYS);
    }

    @Override
    public String preparedText(Connection connection, String sql) throws SQLException {
        return PreparedTexts.read(connection, READER.read(sql));
    }

    @Override
    public void requireUsualQuoting(Connection connection) throws SQLException {
        String mode = Queries.texts(connection, "SELECT @@SESSION.sql_mode").get(0);
        if (mode.contains("NO_BACKSLASH_ESCAPES") || mode.contains("ANSI_QUOTES")) {
            throw new SQLFeatureNotSupportedException(
                    "a backslash before a quote under NO_BACKSLASH_ESCAPES or ANSI_QUOTES in sql_mode is not supported through Multimed: write two quotes, or use a parameter",
                    "0A000");
        }
    }

    /** Behind the pool's back, which would set it back each time: the driver knows what it has set last. */
    @Override
    public void isolate(Connection connection, int isolation, int present) throws SQLException {
        connection.unwrap(JdbcConnection.class).setTransactionIsolation(isolation);
    }

    @Override
    public void forbidCommitted(Connection connection, boolean forbidden) throws SQLException {
        Queries.run(connection, "SET SESSION TRANSACTION READ " + (forbidden ? "ONLY" : "WRITE"));
    }

    @Override
    public void cancel(Connection connection) throws SQLException {
        Streams.cancel(connection);
    }

    @Override
    public boolean streamsOneAtATime() {
        return true;
    }

    @Override
    public void endStreaming(Connection connection) {
        Streams.end(connection);
    }

    @Override
    public void abandonStreaming(Connection connection) {
        Streams.abandon(connection);
    }

    @Override
    public String baseSchema(ResultSetMetaData columns, int index) throws SQLException {
        return columns.getCatalogName(index);
    }

    @Override
    public String baseColumn(ResultSetMetaData columns, int index) throws SQLException {
        return columns.getColumnName(index);
    }

    @Override
    public AfterError afterError(SQLException failure) {
        return ERRORS.afterError(failure);
    }

    @Override
    public boolean isConnectionFailure(SQLException failure) {
        return ERRORS.isConnectionFailure(failure);
    }

    @Override
    public boolean isReadOnlyRefusal(SQLException failure) {
        return ERRORS.isReadOnlyRefusal(failure);
    }

    @Override
    public boolean isTooLarge(SQLException failure) {
        return ERRORS.isTooLarge(failure);
    }

    @Override
    public boolean isStalePlan(SQLException failure) {
        return ERRORS.isStalePlan(failure);
    }

    @Override
    public boolean mayBeMissingOnSatellite(SQLException failure) {
        return ERRORS.mayBeMissingOnSatellite(failure);
    }

    @Override
    public boolean hasTimedOut(SQLException failure) {
        return ERRORS.hasTimedOut(failure);
    }
}
