package io.multimed.engine.postgresql;

import io.multimed.engine.EngineValues;
import io.multimed.engine.ErrorClassifier;
import io.multimed.engine.LastKeys;
import io.multimed.engine.SessionState;
import io.multimed.engine.SessionWatch;
import io.multimed.engine.SqlDialect;
import io.multimed.engine.postgresql.connection.OutdatedTypes;
import io.multimed.engine.postgresql.connection.OwnSettings;
import io.multimed.engine.postgresql.connection.PostgresErrors;
import io.multimed.engine.postgresql.connection.PostgresZones;
import io.multimed.engine.postgresql.result.PostgresCatalogue;
import io.multimed.engine.postgresql.result.PostgresValues;
import io.multimed.engine.postgresql.sql.PostgresReader;
import io.multimed.engine.postgresql.sql.PostgresTransactionStatements;
import io.multimed.engine.postgresql.sql.PureFunctions;
import io.multimed.engine.sql.SchemaFacts;
import io.multimed.engine.sql.SqlReader;
import io.multimed.engine.writeset.Change;
import io.multimed.engine.writeset.Change.StatementChange;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.postgresql.PGConnection;
import org.postgresql.PGResultSetMetaData;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/** What of PostgreSQL's SQL a satellite can answer as the master would. */
final class PostgresDialect implements SqlDialect {
    private static final ErrorClassifier ERRORS = new PostgresErrors();
    private static final SqlReader READER = new PostgresReader();
    private static final EngineValues VALUES = new PostgresValues();

    /** Views that satellites do not have: they may call any function that is built in. */
    private static final String MASTERS_VIEW = """
            SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relkind = 'v' AND n.nspname NOT IN ('pg_catalog', 'multimed', 'information_schema')
            AND NOT EXISTS (SELECT FROM multimed.told t WHERE t.rank = 100 AND t.id = c.oid)
            AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.classid = 'pg_class'::regclass AND d.deptype = 'e')""";

    /** Functions and views that may change something. */
    private static final String USER_FUNCTION = """
            SELECT p.proname::text FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
            WHERE p.oid >= 16384 AND n.nspname NOT IN ('pg_catalog', 'multimed', 'information_schema')
            AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e')
            UNION ALL (%s) LIMIT 1
            """.formatted(MASTERS_VIEW);

    /** Functions and views that reads may use and that may change a setting, or whose language does not show it. */
    private static final String SETTING_FUNCTION = """
            SELECT p.proname::text FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_language l ON l.oid = p.prolang
            WHERE p.oid >= 16384 AND n.nspname NOT IN ('pg_catalog', 'multimed', 'information_schema')
            AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e')
            AND (l.lanname NOT IN ('sql', 'plpgsql') OR coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) ~* '(set_config|execute|advisory|_to_xml|ts_stat|ts_rewrite|crosstab|connectby|xpath_table|\\mset\\M)')
            UNION ALL (%s) LIMIT 1
            """.formatted(MASTERS_VIEW);

    /**
     * Domains that are constrained or based on object identifiers, and types that contain them. Row types of tables are
     * excluded, because the names of tables occur for other reasons, too.
     */
    private static final String CHECKED_TYPES = """
            WITH RECURSIVE checked (id) AS (
                SELECT contypid FROM pg_constraint WHERE contypid <> 0
                UNION SELECT oid FROM pg_type WHERE typtype = 'd' AND (typnotnull OR typbasetype = 'oid'::regtype OR typbasetype::regtype::text LIKE 'reg%')
                UNION SELECT t.oid FROM checked c JOIN pg_type t ON t.oid >= 16384 AND t.oid <> c.id AND (t.typbasetype = c.id OR t.typelem = c.id
                    OR EXISTS (SELECT FROM pg_attribute a JOIN pg_class r ON r.oid = a.attrelid AND r.relkind = 'c'
                        WHERE r.oid = t.typrelid AND a.atttypid = c.id AND NOT a.attisdropped)))
            SELECT typname::text FROM checked JOIN pg_type ON oid = id
            WHERE typnamespace <> 'information_schema'::regnamespace
            """;

    /** The beginnings of statements that satellites run for tables. */
    private static final Pattern OF_TABLES = Pattern.compile("(CREATE|ALTER|DROP) TABLE ");

    /** Excludes settings of the current transaction, and those that the driver sets for it. */
    private static final String SESSION_STATE = """
            SELECT 'settings' WHERE EXISTS (SELECT FROM pg_settings WHERE source = 'session' AND name <> 'TimeZone'
                    AND name NOT IN ('transaction_isolation', 'transaction_read_only', 'transaction_deferrable', 'default_transaction_isolation', 'default_transaction_read_only')
                    AND (name, setting) <> ('application_name', 'multimed'))
                OR EXISTS (SELECT FROM unnest(?::text[]) n (name) WHERE current_setting(n.name, true) <> '')
            UNION ALL SELECT 'role' WHERE current_setting('role') <> 'none' OR session_user <> ?
            UNION ALL SELECT 'temporary tables' WHERE EXISTS (SELECT FROM pg_depend WHERE refclassid = 'pg_namespace'::regclass AND refobjid = pg_my_temp_schema())
            UNION ALL SELECT 'advisory locks' WHERE EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid())
            UNION ALL SELECT 'prepared statements' WHERE EXISTS (SELECT FROM pg_prepared_statements WHERE from_sql)
            UNION ALL SELECT 'cursors' WHERE EXISTS (SELECT FROM pg_cursors WHERE is_holdable)
            UNION ALL SELECT 'channels' WHERE EXISTS (SELECT FROM pg_listening_channels())
            UNION ALL SELECT 'zone ' || setting FROM pg_settings WHERE name = 'TimeZone' AND source = 'session'""";

    /** Begins the row that tells a session's time zone. */
    private static final String ZONE = "zone ";

    @Override
    public SqlReader reader() {
        return READER;
    }

    @Override
    public EngineValues values() {
        return VALUES;
    }

    @Override
    public DatabaseMetaData catalogue(Connection connection) throws SQLException {
        return PostgresCatalogue.over(connection);
    }

    /** The engine lists what a session has changed. */
    @Override
    public SessionWatch watch(Connection connection) {
        return PostgresDialect::sessionState;
    }

    @Override
    public Optional<LastKeys> lastKeys() {
        return Optional.empty();
    }

    @Override
    public String zone(String javaZone) {
        return PostgresZones.ofJava(javaZone);
    }

    @Override
    public void setZone(Connection connection, String zone) throws SQLException {
        PostgresZones.set(connection, zone);
    }

    private static SessionState sessionState(Connection connection, Set<String> settings) throws SQLException {
        List<String> held = new ArrayList<>();
        String zone = "";
        try (PreparedStatement statement = connection.prepareStatement(SESSION_STATE)) {
            statement.setArray(1, connection.createArrayOf("text", settings.toArray()));
            statement.setString(2, connection.getMetaData().getUserName());
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    String found = rows.getString(1);
                    if (found.startsWith(ZONE)) {
                        zone = found.substring(ZONE.length());
                    } else {
                        held.add(found);
                    }
                }
            }
        }
        if (!connection.getAutoCommit()) {
            connection.commit();
        }
        return new SessionState(held, zone);
    }

    @Override
    public <T> T resetting(Connection connection, Step<T> statement) throws SQLException {
        OwnSettings own = OwnSettings.of(connection);
        T result = statement.run();
        own.restore(connection);
        return result;
    }

    @Override
    public void resetSession(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("RESET ALL; SELECT pg_catalog.pg_advisory_unlock_all()");
        }
    }

    @Override
    public boolean hasTransaction(Connection connection) throws SQLException {
        return connection.unwrap(BaseConnection.class).getTransactionState() != TransactionState.IDLE;
    }

    @Override
    public boolean mayChangeFacts(WriteSet writeSet) {
        return writeSet.mayChangeSchema()
                && (writeSet.spill() != null || !writeSet.changes().stream().allMatch(PostgresDialect::isOfATable));
    }

    /**
     * Facts concern functions, domains, and types of their own, but no tables. Each command on such an object adds a
     * statement to the WriteSet that is none of these.
     */
    private static boolean isOfATable(Change change) {
        return change instanceof StatementChange statement
                ? OF_TABLES.matcher(statement.sql()).lookingAt()
                : !(change instanceof Change.Unreadable);
    }

    @Override
    public boolean outdatesConnections(WriteSet writeSet) {
        return OutdatedTypes.mayComeOf(writeSet);
    }

    @Override
    public SchemaFacts schemaFacts(Connection master) throws SQLException {
        return new SchemaFacts(
                PureFunctions.names(master),
                names(master, CHECKED_TYPES),
                !names(master, USER_FUNCTION).isEmpty(),
                !names(master, SETTING_FUNCTION).isEmpty());
    }

    private static Set<String> names(Connection master, String query) throws SQLException {
        Set<String> names = new HashSet<>();
        try (Statement statement = master.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                names.add(rows.getString(1).toLowerCase(Locale.ROOT));
            }
        }
        return names;
    }

    /** The engine reports the setting with each answer. */
    @Override
    public void requireUsualQuoting(Connection connection) throws SQLException {
        if (!connection.unwrap(BaseConnection.class).getStandardConformingStrings()) {
            throw new SQLFeatureNotSupportedException(
                    "a backslash before a quote under standard_conforming_strings = off is not supported through Multimed: write two quotes, or E'...', or use a parameter",
                    "0A000");
        }
    }

    @Override
    public void isolateOnce(Connection connection, int isolation) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET TRANSACTION ISOLATION LEVEL " + PostgresTransactionStatements.words(isolation));
        }
    }

    @Override
    public void keepSnapshot(Connection connection) throws SQLException {
        isolateOnce(connection, Connection.TRANSACTION_REPEATABLE_READ);
    }

    @Override
    public void cancel(Connection connection) throws SQLException {
        connection.unwrap(PGConnection.class).cancelQuery();
    }

    @Override
    public String baseSchema(ResultSetMetaData columns, int index) throws SQLException {
        return columns instanceof PGResultSetMetaData known ? known.getBaseSchemaName(index) : "";
    }

    @Override
    public String baseColumn(ResultSetMetaData columns, int index) throws SQLException {
        return columns instanceof PGResultSetMetaData known ? known.getBaseColumnName(index) : "";
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
    public boolean isOutdatedConnection(SQLException failure) {
        return ERRORS.isOutdatedConnection(failure);
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
