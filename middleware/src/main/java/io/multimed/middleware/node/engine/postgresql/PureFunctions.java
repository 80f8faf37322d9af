package io.multimed.middleware.node.engine.postgresql;

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
 * The names of functions that give the same answer on every node. What the engine itself comes with, thousands of functions, is asked for once for each version of it; what was added to it
 * each time.
 */
final class PureFunctions {
    /** From here on an engine numbers what it did not come with. */
    private static final String FIRST_ADDED = "16384";

    /**
     * Left out although the catalogue calls them stable: they tell about the server, its transactions or its settings, or run SQL that hides in a
     * text. A function of the user's must be among those that satellites have in all its forms, or another one might answer there. A function of an extension is tried
     * there and, if unknown, run on the master. A function of which no form does without numbers of objects (oid, regclass) would show others on each node.
     */
    private static final String NAMES = """
            SELECT p.proname::text, bool_and(p.provolatile IN ('i', 's')) AND bool_and(p.prokind IN ('f', 'a', 'w'))
                AND bool_and(n.nspname = 'pg_catalog' OR EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e')
                    OR EXISTS (SELECT FROM multimed.told t WHERE t.rank = 75 AND t.id = p.oid))
                AND p.proname !~ '^(pg_|txid_|inet_(client|server)|has_|to_reg|current_setting|lo_|currval|row_security|query_to_|table_to_|schema_to_|database_to_|cursor_to_|ts_stat|version$|obj_description|col_description|shobj_description|array_agg_transfn|binary_upgrade)'
                AND bool_or(NOT (p.proargtypes::oid[] || p.prorettype) && ARRAY(SELECT oid FROM pg_type
                    WHERE typname ~ '^_?(oid|regclass|regtype|regproc|regprocedure|regoper|regoperator|regnamespace|regrole|regcollation)$'))
            FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
            WHERE n.nspname NOT IN ('multimed', 'information_schema') AND p.oid %s
            GROUP BY p.proname
            """;

    /** By the engine's version: its own functions, and whether all of that name are pure. There are as many as there are versions in use. */
    private static final Map<String, Map<String, Boolean>> OWN = new ConcurrentHashMap<>();

    private PureFunctions() {}

    /** In lower case. */
    static Set<String> names(Connection master) throws SQLException {
        Map<String, Boolean> all = new HashMap<>(own(master));
        ask(master, ">= " + FIRST_ADDED).forEach((name, isPure) -> all.merge(name, isPure, Boolean::logicalAnd));
        all.values().removeIf(isPure -> !isPure);
        return Set.copyOf(all.keySet());
    }

    private static Map<String, Boolean> own(Connection master) throws SQLException {
        String version = master.getMetaData().getDatabaseProductVersion();
        Map<String, Boolean> known = OWN.get(version);
        if (known == null) {
            known = Map.copyOf(ask(master, "< " + FIRST_ADDED));
            OWN.put(version, known);
        }
        return known;
    }

    private static Map<String, Boolean> ask(Connection master, String which) throws SQLException {
        Map<String, Boolean> found = new HashMap<>();
        try (Statement statement = master.createStatement();
                ResultSet rows = statement.executeQuery(NAMES.formatted(which))) {
            while (rows.next()) {
                found.merge(rows.getString(1).toLowerCase(Locale.ROOT), rows.getBoolean(2), Boolean::logicalAnd);
            }
        }
        return found;
    }
}
