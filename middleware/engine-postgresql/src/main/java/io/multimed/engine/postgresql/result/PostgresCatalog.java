package io.multimed.engine.postgresql.result;

import io.multimed.engine.dialect.CatalogReader;
import io.multimed.engine.postgresql.connection.OutdatedTypes;
import io.multimed.engine.postgresql.sql.PureFunctions;
import io.multimed.engine.sql.SchemaFacts;
import io.multimed.engine.writeset.Change;
import io.multimed.engine.writeset.Change.StatementChange;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.postgresql.PGResultSetMetaData;

/** Reads PostgreSQL's catalogue. */
public final class PostgresCatalog implements CatalogReader {
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

    @Override
    public DatabaseMetaData catalogue(Connection connection) throws SQLException {
        return PostgresCatalogue.over(connection);
    }

    @Override
    public boolean mayChangeFacts(WriteSet writeSet) {
        return writeSet.mayChangeSchema()
                && (writeSet.spill() != null || !writeSet.changes().stream().allMatch(PostgresCatalog::isOfATable));
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

    @Override
    public String baseSchema(ResultSetMetaData columns, int index) throws SQLException {
        return columns instanceof PGResultSetMetaData known ? known.getBaseSchemaName(index) : "";
    }

    @Override
    public String baseColumn(ResultSetMetaData columns, int index) throws SQLException {
        return columns instanceof PGResultSetMetaData known ? known.getBaseColumnName(index) : "";
    }
}
