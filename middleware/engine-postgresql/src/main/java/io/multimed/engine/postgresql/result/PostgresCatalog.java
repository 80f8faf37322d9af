// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.result;

import io.multimed.engine.dialect.CatalogReader;
import io.multimed.engine.postgresql.connection.OutdatedTypes;
import io.multimed.engine.postgresql.satellite.RowText;
import io.multimed.engine.postgresql.sql.CatalogQuery;
import io.multimed.engine.postgresql.sql.PureFunctions;
import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.FunctionNames;
import io.multimed.engine.sql.SchemaFacts;
import io.multimed.engine.sql.TableNames;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGResultSetMetaData;

/**
 * Reads the facts of PostgreSQL's catalog on which classification depends (architecture 4.1), and describes tables to
 * clients. Object identifiers below 16384 are those of built-in objects; members of extensions (pg_depend, deptype e)
 * do not count as users' objects, except for functions that users have added to extensions.
 */
public class PostgresCatalog implements CatalogReader {
    /** Selects views that satellites do not have, according to multimed.told: they may call any built-in function. */
    private static final String MASTERS_VIEW = """
            SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relkind = 'v' AND n.nspname NOT IN ('pg_catalog', 'multimed', 'information_schema')
            AND NOT EXISTS (SELECT FROM multimed.told t WHERE t.rank = 100 AND t.id = c.oid)
            AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.classid = 'pg_class'::regclass AND d.deptype = 'e')""";

    /** Selects views and hidden calls that may change something. */
    private static final String HIDDEN_CALL =
            " UNION ALL (%s) UNION ALL SELECT name FROM multimed.hidden_call".formatted(MASTERS_VIEW);

    /** Selects users' functions, which may change something. */
    static final String USER_FUNCTION = """
            SELECT p.proname::text FROM pg_proc p
            WHERE p.oid >= 16384 AND p.pronamespace <> coalesce(to_regnamespace('multimed'), 0) AND NOT %s""".formatted(PureFunctions.NOT_OF_USERS);

    /**
     * Selects functions that reads may use and that may change a setting; includes all functions in languages other
     * than SQL and PL/pgSQL, whose text is not examined.
     */
    static final String SETTING_FUNCTION = """
            SELECT p.proname::text FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
            WHERE p.oid >= 16384 AND p.pronamespace <> coalesce(to_regnamespace('multimed'), 0) AND NOT %s
            AND (l.lanname NOT IN ('sql', 'plpgsql') OR coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) ~* '(set_config|execute|advisory|_to_xml|ts_stat|ts_rewrite|crosstab|connectby|xpath_table|\\mset\\M)')""".formatted(PureFunctions.NOT_OF_USERS);

    /**
     * Selects a function that may handle errors; all in languages whose text is not examined, except for C. Functions
     * that no one has named are included, because triggers and rules call them.
     */
    static final String ERROR_HANDLER = """
            SELECT p.proname::text FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
            WHERE p.oid >= 16384 AND p.pronamespace <> coalesce(to_regnamespace('multimed'), 0) AND l.lanname NOT IN ('sql', 'c', 'internal')
            AND (l.lanname <> 'plpgsql' OR regexp_replace(p.prosrc, '\\mraise\\s+exception\\M', '', 'gi') ~* '\\mexception\\M|\\mu&"')
            """;

    /**
     * Selects the names of tables by which ordinary statements can name them: those in lower case, with their schema,
     * and without it if the default search path finds the table. What has a dot in its name is not a table of a schema.
     */
    private static final String SHAREABLE_TABLES = """
            SELECT n FROM (
                SELECT pg_catalog.unnest(ARRAY[pg_catalog.concat(s.nspname, '.', s.relname),
                    CASE WHEN pg_catalog.pg_table_is_visible(s.oid) THEN s.relname::pg_catalog.text END]) AS n FROM multimed.shareable s
                WHERE s.oid OPERATOR(pg_catalog.>=) 16384::pg_catalog.oid
                    AND pg_catalog.strpos(pg_catalog.concat(s.nspname, s.relname), '.') OPERATOR(pg_catalog.=) 0) names
            WHERE n IS NOT NULL AND pg_catalog.lower(n) OPERATOR(pg_catalog.=) n""";

    static final String DEFERRING_TABLES = "SELECT name FROM multimed.deferring";

    /** Selects the names of operators that satellites lack although they have others with the same names. */
    private static final String MASTERS_OPERATORS = "SELECT name FROM multimed.masters_operator";

    /** Selects the types to which only the master can cast. */
    private static final String CHECKED_TYPES = "SELECT name FROM multimed.checked_type";

    /** Matches functions that return values of types which need not be named in a cast, and may be checked types. */
    private static final Pattern MAKES_ROWS = Pattern.compile("((jsonb?_)?populate|jsonb?_to)_record(set)?");

    /**
     * Returns the search path, and makes names and operators without a schema the engine's own: queries with all
     * privileges must run nothing that users have created. A function in place of SET, after which pgjdbc would prepare
     * all statements again.
     */
    private static final String OWN_PATH = """
            SELECT pg_catalog.current_setting('search_path'),
                pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true)""";

    private static final String SET_PATH = "SELECT pg_catalog.set_config('search_path', ?, true)";

    /**
     * The engine parses the statement, and plans nothing. It still reads the constants of the statement, and thereby
     * may run the checks of a domain in an array or a row. In the client's transaction their changes are undone. If the
     * description fails, so does the transaction, as with the engine's own driver.
     */
    @Override
    public <T> T describe(
            Connection connection,
            String sql,
            Classification classification,
            boolean own,
            Preparation preparation,
            Described<T> result)
            throws SQLException {
        if (!own || connection.getAutoCommit()) {
            return CatalogReader.super.describe(connection, sql, classification, own, preparation, result);
        }
        Savepoint before = connection.setSavepoint();
        T described = CatalogReader.super.describe(connection, sql, classification, own, preparation, result);
        connection.rollback(before);
        connection.releaseSavepoint(before);
        return described;
    }

    /** Returns the driver's metadata, corrected by {@link CorrectedMetaData}. */
    @Override
    public DatabaseMetaData catalog(Connection connection) throws SQLException {
        return CorrectedMetaData.over(connection);
    }

    @Override
    public boolean outdatesConnections(WriteSet writeSet) {
        return OutdatedTypes.mayComeOf(writeSet);
    }

    /**
     * Runs one query for each kind of fact; the built-in functions are read once per version, see {@link
     * PureFunctions}.
     */
    @Override
    public SchemaFacts schemaFacts(Connection master) throws SQLException {
        Set<String> shareable = shareableTables(master); // by the search path of clients
        return byOwnPath(master, () -> facts(master, shareable));
    }

    /** Reads from the catalog. */
    @FunctionalInterface
    interface Reading<T> {
        T read() throws SQLException;
    }

    /** Reads with a search path in which names without a schema are the engine's own. */
    static <T> T byOwnPath(Connection master, Reading<T> reading) throws SQLException {
        String clientsPath = ownPath(master);
        T found = reading.read();
        try (PreparedStatement path = master.prepareStatement(SET_PATH)) {
            path.setString(1, clientsPath);
            path.execute();
        }
        return found;
    }

    /** Returns the tables whose changes may share a transaction, as the search path of clients finds them. */
    Set<String> shareableTables(Connection master) throws SQLException {
        return names(master, SHAREABLE_TABLES);
    }

    /**
     * Reads the facts. Names without a schema are the engine's own.
     *
     * @param shareable the tables whose changes may share a transaction
     */
    SchemaFacts facts(Connection master, Set<String> shareable) throws SQLException {
        Set<String> checkedTypes = names(master, CHECKED_TYPES);
        FunctionNames functions = PureFunctions.names(master);
        return new SchemaFacts(
                checkedTypes.isEmpty()
                        ? functions
                        : functions.without(
                                MAKES_ROWS.asMatchPredicate().or(checkedTypes::contains)), // constructors of ranges
                checkedTypes,
                exists(master, USER_FUNCTION + HIDDEN_CALL),
                exists(master, SETTING_FUNCTION + HIDDEN_CALL),
                exists(master, ERROR_HANDLER),
                shareable,
                names(master, MASTERS_OPERATORS),
                names(master, DEFERRING_TABLES),
                HiddenStateReader.read(master, query -> query));
    }

    /** Returns whether a query returns a row. */
    static boolean exists(Connection master, String query) throws SQLException {
        return !names(master, query + " LIMIT 1").isEmpty();
    }

    private static String ownPath(Connection master) throws SQLException {
        try (PreparedStatement path = master.prepareStatement(OWN_PATH);
                ResultSet row = path.executeQuery()) {
            row.next();
            return row.getString(1);
        }
    }

    @Override
    public List<@Nullable String> rowValues(String row) {
        return RowText.values(row);
    }

    @Override
    public TableNames tableNames(Connection master) throws SQLException {
        return PostgresTableNames.read(master);
    }

    static Set<String> names(Connection master, String query) throws SQLException {
        Set<String> names = new HashSet<>();
        CatalogQuery.forEach(master, query, row -> names.add(row.getString(1).toLowerCase(Locale.ROOT)));
        return names;
    }

    /** Asks for the plan: the engine checks the privileges before it would run the plan. */
    @Override
    public void checkPrivileges(Connection connection, String query, Parameters parameters) throws SQLException {
        try (PreparedStatement explanation = connection.prepareStatement("EXPLAIN " + query)) {
            parameters.bind(explanation);
            explanation.executeQuery().close();
        }
    }

    /** Reads the description of the result, which the driver completes by at most one query. */
    @Override
    public String baseSchema(ResultSetMetaData columns, int index) throws SQLException {
        return columns instanceof PGResultSetMetaData known ? known.getBaseSchemaName(index) : "";
    }

    @Override
    public String baseColumn(ResultSetMetaData columns, int index) throws SQLException {
        return columns instanceof PGResultSetMetaData known ? known.getBaseColumnName(index) : "";
    }
}
