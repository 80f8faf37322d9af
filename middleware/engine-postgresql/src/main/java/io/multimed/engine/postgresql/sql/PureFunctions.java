// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.sql;

import io.multimed.engine.sql.FunctionNames;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/**
 * The functions that return the same result on every node, and all others. The engine's built-in functions, of which
 * there are thousands, are read once per version of the engine; added functions are read each time.
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
     * Condition on a function p: the engine has created it with a range type. It is immutable.
     */
    public static final String OF_RANGE = "(p.prosrc ~ '^(multi)?range_constructor'"
            + " AND p.prolang = (SELECT l.oid FROM pg_catalog.pg_language l WHERE l.lanname = 'internal'))";

    /**
     * The extensions whose functions are what they are declared to be: they change no state, and read no tables, files
     * or settings but those that satellites share. What other extensions declare is not believed.
     */
    public static final Set<String> KNOWN_EXTENSIONS = Set.of(
            "btree_gin",
            "btree_gist",
            "citext",
            "cube",
            "earthdistance",
            "fuzzystrmatch",
            "hstore",
            "intarray",
            "isn",
            "ltree",
            "pg_trgm",
            "pgcrypto",
            "seg",
            "uuid-ossp");

    /** Functions that change nothing, but answer differently each time. */
    public static final Set<String> HARMLESS = Set.of(
            "random",
            "random_normal",
            "clock_timestamp",
            "timeofday",
            "gen_random_uuid",
            "uuidv4",
            "uuidv7",
            "pg_sleep",
            "pg_sleep_for");

    /** A function of a known extension that is declared immutable, and changes the session. */
    public static final String EXCEPTION = "isn_weak";

    /**
     * Matches the names of functions that the catalog declares stable or immutable, but that depend on the server, its
     * transactions or its settings, or run SQL in a text, and of those that compute with object identifiers in values
     * (hashes of enums, and binary forms of rows and arrays).
     */
    public static final String OF_SERVER =
            "^(pg_|txid_|inet_(client|server)|has_|to_reg|current_setting|lo_|currval|row_security|query_to_|table_to_|schema_to_|database_to_|cursor_to_|ts_stat|version$|hash(enum|_record|_array|_range|_multirange)|(record|array|range|multirange)_send$|xid$|mxid_age|crosstab|connectby|xpath_table|obj_description|col_description|shobj_description|array_agg_transfn|binary_upgrade)";

    /** Does not match the names of those that describe objects of the catalog, which standbys have, too. */
    private static final String OF_STANDBYS =
            "^(pg_(?!(get_(constraintdef|expr|functiondef|function_[a-z_]+|indexdef|keywords|partkeydef|partition_constraintdef|ruledef|serial_sequence|statisticsobjdef[a-z_]*|triggerdef|userbyid|viewdef)|[a-z_]+_is_visible|[a-z_]+_has_property|has_role|typeof|encoding_to_char|char_to_encoding|describe_object|identify_object|get_object_address|partition_ancestors|partition_root|options_to_table)$)|txid_|inet_(client|server)|current_setting|lo_|currval|row_security|query_to_|table_to_|schema_to_|database_to_|cursor_to_|ts_stat|version$|xid$|mxid_age|crosstab|connectby|xpath_table|array_agg_transfn|binary_upgrade|fmgr_)";

    /** Condition on a function p: it is built in, created with a range type, or a member of a known extension. */
    private static final String TRUSTED = """
            (p.oid < 16384 OR %s OR (p.proname <> '%s' AND EXISTS (SELECT FROM pg_depend d
                JOIN pg_extension e ON e.oid = d.refobjid JOIN pg_roles r ON r.oid = p.proowner AND r.rolsuper
                WHERE d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.refclassid = 'pg_extension'::regclass
                AND d.deptype = 'e' AND e.extname IN ('%s'))))""".formatted(OF_RANGE, EXCEPTION, String.join("', '", KNOWN_EXTENSIONS));

    /**
     * Selects each name, whether all functions with this name are pure, whether a name behind a dot may call one of
     * them, and whether none of them is a user's. Tables have columns that are named oid, like the function, which
     * returns its argument: it does not count. A user's function is
     * pure only if satellites have all its overloads (multimed.told, rank 75), because a satellite might choose another
     * overload. Functions of known extensions are tried on a satellite and, if unknown there, run on the master.
     */
    private static final String NAMES = """
            SELECT p.proname::text, bool_and(p.provolatile IN ('i', 's')) AND bool_and(p.prokind IN ('f', 'a', 'w'))
                AND bool_and(%1$s%4$s)
                AND p.proname !~ '%2$s'%5$s,
                bool_or(p.pronargs >= 1 AND p.pronargs - p.pronargdefaults <= 1 AND p.oid <> 'pg_catalog.oid(bigint)'::regprocedure),
                bool_and(%1$s)
            FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
            WHERE n.nspname NOT IN ('multimed', 'information_schema')
                AND p.prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype) AND p.oid %3$s
            GROUP BY p.proname
            """;

    /**
     * Condition on the functions of a name: not all of them use object identifiers (oid, regclass), which differ
     * between nodes that are no standbys.
     */
    private static final String NUMBERLESS = """

                AND bool_or(NOT (p.proargtypes::oid[] || p.prorettype) && ARRAY(SELECT oid FROM pg_type
                    WHERE typname ~ '^_?(oid|regclass|regtype|regproc|regprocedure|regoper|regoperator|regnamespace|regrole|regcollation)$'))""";

    /**
     * Condition on the functions of a name: none is for the engine's own use, as that which reads a value of any type
     * from a text: the checks of the type may call whatever its definition says.
     */
    private static final String PLAIN =
            " AND bool_and(NOT p.proargtypes::oid[] && ARRAY['cstring'::regtype, 'internal'::regtype]::oid[])";

    /** Condition on a user's function p: satellites have it. */
    private static final String TOLD = " OR EXISTS (SELECT FROM multimed.told t WHERE t.rank = 75 AND t.id = p.oid)";

    /** Selects each name of added functions, with the last two columns of {@link #NAMES}. */
    private static final String ADDED = """
            SELECT p.proname::text, bool_or(p.pronargs >= 1 AND p.pronargs - p.pronargdefaults <= 1), bool_and(%s)
            FROM pg_proc p WHERE p.oid >= %s AND p.pronamespace <> ALL (ARRAY(SELECT n.oid FROM pg_namespace n WHERE n.nspname IN ('multimed', 'information_schema')))
                AND p.prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype)
            GROUP BY p.proname
            """.formatted(TRUSTED, FIRST_ADDED);

    /** By version of the engine: its built-in functions. One entry for each version in use. */
    private static final Map<String, Map<String, Known>> OWN = new ConcurrentHashMap<>();

    /** The same for standbys. */
    private static final Map<String, Map<String, Known>> OWN_OF_STANDBYS = new ConcurrentHashMap<>();

    /** What is known about all functions with one name. */
    private record Known(boolean isPure, boolean isAttribute, boolean isTrusted) {
        Known and(Known other) {
            return new Known(isPure && other.isPure, isAttribute || other.isAttribute, isTrusted && other.isTrusted);
        }
    }

    private PureFunctions() {}

    /** Returns the names in lower case. */
    public static FunctionNames names(Connection master) throws SQLException {
        return names(
                own(master, OWN, OF_SERVER, NUMBERLESS), ask(master, ">= " + FIRST_ADDED, OF_SERVER, TOLD, NUMBERLESS));
    }

    /** Returns the built-in functions, in lower case; those are impure whose result may be another one on a standby. */
    public static FunctionNames ofEngineOnStandbys(Connection master) throws SQLException {
        return names(ownOfStandbys(master), Map.of());
    }

    /**
     * Returns the names for satellites that have all functions of the master.
     *
     * @param ofMaster names of added functions whose result may be another one on a satellite, in lower case
     * @param form the form of the query: unchanged, or {@link CatalogQuery#withoutOwnSchema}
     */
    public static FunctionNames names(Connection master, Set<String> ofMaster, UnaryOperator<String> form)
            throws SQLException {
        Map<String, Known> added = new HashMap<>();
        CatalogQuery.forEach(master, form.apply(ADDED), row -> {
            String name = row.getString(1).toLowerCase(Locale.ROOT);
            added.merge(name, new Known(!ofMaster.contains(name), row.getBoolean(2), row.getBoolean(3)), Known::and);
        });
        return names(ownOfStandbys(master), added);
    }

    private static FunctionNames names(Map<String, Known> own, Map<String, Known> added) {
        Map<String, Known> all = new HashMap<>(own);
        added.forEach((name, known) -> all.merge(name, known, Known::and));
        Set<String> pure = new HashSet<>();
        Set<String> impure = new HashSet<>();
        Set<String> attributes = new HashSet<>();
        Set<String> users = new HashSet<>();
        all.forEach((name, known) -> {
            (known.isPure ? pure : impure).add(name);
            if (!known.isPure && known.isAttribute) {
                attributes.add(name);
            }
            if (!known.isPure && !known.isTrusted) {
                users.add(name);
            }
        });
        return new FunctionNames(Set.copyOf(pure), Set.copyOf(impure), Set.copyOf(attributes), Set.copyOf(users));
    }

    private static Map<String, Known> ownOfStandbys(Connection master) throws SQLException {
        return own(master, OWN_OF_STANDBYS, OF_STANDBYS, PLAIN);
    }

    /** Returns the built-in functions of this version of the engine. */
    private static Map<String, Known> own(
            Connection master, Map<String, Map<String, Known>> versions, String ofServer, String numbers)
            throws SQLException {
        String version = master.getMetaData().getDatabaseProductVersion();
        Map<String, Known> known = versions.get(version);
        if (known == null) {
            known = Map.copyOf(ask(master, "< " + FIRST_ADDED, ofServer, "", numbers));
            versions.put(version, known);
        }
        return known;
    }

    /**
     * Runs the query for object identifiers that meet the condition; functions that meet {@code also} are pure although
     * users have written them. Names that differ in case only are treated as one,
     * which is pure if both are.
     */
    private static Map<String, Known> ask(Connection master, String which, String ofServer, String also, String numbers)
            throws SQLException {
        String query = NAMES.formatted(TRUSTED, ofServer, which, also, numbers);
        Map<String, Known> found = new HashMap<>();
        CatalogQuery.forEach(
                master,
                query,
                row -> found.merge(
                        row.getString(1).toLowerCase(Locale.ROOT),
                        new Known(row.getBoolean(2), row.getBoolean(3), row.getBoolean(4)),
                        Known::and));
        return found;
    }
}
