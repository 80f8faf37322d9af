package io.multimed.engine.postgresql.sql;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The names of functions that return the same result on every node. The engine's built-in functions, of which there are
 * thousands, are read once per version of the engine; added functions are read each time.
 */
public final class PureFunctions {
    /** The first object identifier of objects that are not built in. */
    private static final String FIRST_ADDED = "16384";

    /**
     * Condition on a function p that is not built in: no user has written it. It is a member of an extension, and a
     * superuser owns it, as the functions that the extension's script creates; or the engine has created it with a
     * range type. The owner of an extension, who need not be a superuser, can add any function to it.
     */
    public static final String NOT_OF_USERS = """
            (EXISTS (SELECT FROM pg_depend d JOIN pg_roles r ON r.oid = p.proowner AND r.rolsuper
                WHERE d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e')
            OR (p.prosrc ~ '^(multi)?range_constructor' AND p.prolang = (SELECT l.oid FROM pg_language l WHERE l.lanname = 'internal')))""";

    /**
     * Selects each name, and whether all functions with this name are pure.
     *
     * <p>Excludes functions that the catalog declares stable, but that depend on the server, its transactions or its
     * settings, or run SQL in a text, and those that compute with object identifiers in values (hashes of enums, and
     * binary forms of rows and arrays). A user's function is pure only if satellites have all its overloads
     * (multimed.told, rank 75), because a satellite might choose another overload. Functions of extensions are tried on
     * a satellite and, if unknown there, run on the master. Excludes functions all of whose overloads use object
     * identifiers (oid, regclass), because these differ between nodes.
     */
    private static final String NAMES = """
            SELECT p.proname::text, bool_and(p.provolatile IN ('i', 's')) AND bool_and(p.prokind IN ('f', 'a', 'w'))
                AND bool_and(p.oid < 16384 OR %s
                    OR EXISTS (SELECT FROM multimed.told t WHERE t.rank = 75 AND t.id = p.oid))
                AND p.proname !~ '^(pg_|txid_|inet_(client|server)|has_|to_reg|current_setting|lo_|currval|row_security|query_to_|table_to_|schema_to_|database_to_|cursor_to_|ts_stat|version$|hash(enum|_record|_array|_range|_multirange)|(record|array|range|multirange)_send$|xid$|mxid_age|crosstab|connectby|xpath_table|obj_description|col_description|shobj_description|array_agg_transfn|binary_upgrade)'
                AND bool_or(NOT (p.proargtypes::oid[] || p.prorettype) && ARRAY(SELECT oid FROM pg_type
                    WHERE typname ~ '^_?(oid|regclass|regtype|regproc|regprocedure|regoper|regoperator|regnamespace|regrole|regcollation)$'))
            FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
            WHERE n.nspname NOT IN ('multimed', 'information_schema') AND p.oid %s
            GROUP BY p.proname
            """;

    /**
     * By version of the engine: the names of its built-in functions, and whether all overloads are pure. One entry for
     * each version in use.
     */
    private static final Map<String, Map<String, Boolean>> OWN = new ConcurrentHashMap<>();

    private PureFunctions() {}

    /** Returns the names in lower case. */
    public static Set<String> names(Connection master) throws SQLException {
        Map<String, Boolean> all = new HashMap<>(own(master));
        ask(master, ">= " + FIRST_ADDED).forEach((name, isPure) -> all.merge(name, isPure, Boolean::logicalAnd));
        all.values().removeIf(isPure -> !isPure);
        return Set.copyOf(all.keySet());
    }

    /** Returns the built-in functions of this version of the engine. */
    private static Map<String, Boolean> own(Connection master) throws SQLException {
        String version = master.getMetaData().getDatabaseProductVersion();
        Map<String, Boolean> known = OWN.get(version);
        if (known == null) {
            known = Map.copyOf(ask(master, "< " + FIRST_ADDED));
            OWN.put(version, known);
        }
        return known;
    }

    /**
     * Runs the query for object identifiers that meet the condition. Names that differ in case only are treated as one,
     * which is pure if both are.
     */
    private static Map<String, Boolean> ask(Connection master, String which) throws SQLException {
        Map<String, Boolean> found = new HashMap<>();
        try (Statement statement = master.createStatement();
                ResultSet rows = statement.executeQuery(NAMES.formatted(NOT_OF_USERS, which))) {
            while (rows.next()) {
                found.merge(rows.getString(1).toLowerCase(Locale.ROOT), rows.getBoolean(2), Boolean::logicalAnd);
            }
        }
        return found;
    }
}
