package io.multimed.engine.mysql;

import com.mysql.cj.jdbc.JdbcConnection;
import io.multimed.engine.EngineValues;
import io.multimed.engine.LastKeys;
import io.multimed.engine.Pools;
import io.multimed.engine.SessionWatch;
import io.multimed.engine.SqlDialect;
import io.multimed.engine.memory.ResultMeter;
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
    /** The server is going down, or the connection was closed by it. */
    private static final Set<Integer> STOPPING =
            Set.of(1043, 1053, 1077, 1152, 1153, 1155, 1156, 1157, 1158, 1159, 1160, 1161, 1184, 1927, 3169, 4031);

    private static final int DEADLOCK = 1213;
    private static final int LOCK_WAIT = 1205;
    static final int INTERRUPTED = 1317;

    /** The row to change is not the version that the transaction's snapshot shows. */
    static final int RECORD_CHANGED = 1020;

    private static final Set<Integer> CONFLICTS = Set.of(DEADLOCK, RECORD_CHANGED);

    /** MAX_EXECUTION_TIME of the one, max_statement_time of the other. */
    private static final Set<Integer> TOO_LONG = Set.of(3024, 1969);

    private static final int NEEDS_PREPARE = 1615;

    /** A view that lacks what it names; the table changed since the snapshot; writing where it is forbidden. */
    private static final Set<Integer> LACKING = Set.of(1356, 1412, 1290, 1836, 1792);

    private static final int READ_ONLY_TRANSACTION = 1792;

    private static final String USER_FUNCTIONS = """
            SELECT EXISTS (SELECT 1 FROM information_schema.ROUTINES WHERE ROUTINE_TYPE = 'FUNCTION'
                AND ROUTINE_SCHEMA NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema', 'multimed'))""";

    private static final SqlReader READER = new MySqlReader();
    /** Facts that do not depend on the schema. */
    static final SchemaFacts SCHEMA_FACTS = new SchemaFacts(MySqlReadRules.PURE_FUNCTIONS, Set.of(), true, false);

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

    @Override
    public boolean isReadOnlyRefusal(SQLException failure) {
        return failure.getErrorCode() == READ_ONLY_TRANSACTION;
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

    /** An error undoes only its statement; only a conflict with another transaction undoes the whole transaction. */
    @Override
    public AfterError afterError(SQLException failure) {
        return CONFLICTS.contains(failure.getErrorCode()) ? AfterError.ROLLED_BACK : AfterError.GOES_ON;
    }

    @Override
    public boolean isStalePlan(SQLException failure) {
        return failure.getErrorCode() == NEEDS_PREPARE;
    }

    @Override
    public boolean mayBeMissingOnSatellite(SQLException failure) {
        return state(failure).startsWith("42")
                || state(failure).equals("0A000")
                || state(failure).equals("25006")
                || LACKING.contains(failure.getErrorCode());
    }

    @Override
    public boolean hasLostPatience(SQLException failure) {
        int code = failure.getErrorCode();
        return code == LOCK_WAIT || code == INTERRUPTED || TOO_LONG.contains(code);
    }

    @Override
    public boolean isConnectionFailure(SQLException failure) {
        return isTooLarge(failure)
                || (state(failure).startsWith("08") && !isRaised(failure))
                || STOPPING.contains(failure.getErrorCode())
                || Pools.hasClosed(failure);
    }

    /**
     * Whether the engine sent the error, which then has a number: the session continues, regardless of the SQLState of
     * a SIGNAL.
     */
    private static boolean isRaised(SQLException failure) {
        return failure.getErrorCode() > 0;
    }

    /** Its driver stands between two messages then. */
    @Override
    public boolean isTooLarge(SQLException failure) {
        return isOutOfMemory(failure) || isBeyondLimit(failure) || ResultMeter.isRefusal(failure);
    }

    static boolean isOutOfMemory(Throwable failure) {
        return root(failure) instanceof OutOfMemoryError;
    }

    static boolean isBeyondLimit(Throwable failure) {
        return root(failure) instanceof BoundedSockets.BeyondLimitException;
    }

    private static Throwable root(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
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

    private static String state(SQLException failure) {
        return failure.getSQLState() == null ? "" : failure.getSQLState();
    }
}
