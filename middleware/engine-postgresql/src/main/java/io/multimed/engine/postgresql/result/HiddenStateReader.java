// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.result;

import io.multimed.engine.postgresql.sql.CatalogQuery;
import io.multimed.engine.postgresql.sql.PureFunctions;
import io.multimed.engine.postgresql.sql.StateInFunctions;
import io.multimed.engine.sql.HiddenState;
import io.multimed.engine.sql.HiddenState.Definition;
import io.multimed.engine.sql.HiddenState.Use;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Reads users' functions, and what calls them, as far as their use may leave state in a session. */
final class HiddenStateReader {
    /**
     * Selects functions that are not the engine's, if any of them may leave state in the session; the text is null if
     * it cannot be examined. The functions of known extensions leave none, except for those that {@link
     * StateInFunctions} names. What else is written in C may leave state only if it is declared volatile.
     */
    private static final String FUNCTIONS = """
            WITH functions AS (SELECT p.proname::text AS name,
                    CASE WHEN l.lanname NOT IN ('c', 'internal') THEN coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) END AS body
                FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
                WHERE p.oid >= 16384 AND p.pronamespace <> coalesce(to_regnamespace('multimed'), 0) AND p.prokind <> 'a'
                AND (l.lanname NOT IN ('c', 'internal') OR p.provolatile = 'v')
                AND (p.proname IN ('%2$s') OR NOT EXISTS (SELECT FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid
                    JOIN pg_roles r ON r.oid = p.proowner AND r.rolsuper
                    WHERE d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.refclassid = 'pg_extension'::regclass
                    AND d.deptype = 'e' AND e.extname IN ('%3$s', '%4$s'))))
            SELECT name, body FROM functions WHERE EXISTS (SELECT FROM functions WHERE body IS NULL OR body ~* '%1$s'
                OR regexp_replace(regexp_replace(body, '--[^\\n\\r]*', ' ', 'g'), '/\\*.*?\\*/', ' ', 'g') ~* '%1$s')""".formatted(
                    StateInFunctions.WORDS,
                    String.join("', '", StateInFunctions.OF_EXTENSIONS),
                    String.join("', '", PureFunctions.KNOWN_EXTENSIONS),
                    String.join("', '", StateInFunctions.STATELESS_EXTENSIONS));

    /**
     * Selects the objects by which statements call functions of users without naming them, with the functions, and the
     * kind of use: r, a or c for those of {@link HiddenState.Use}, o for an operator. Casts and index support have no
     * name in statements. The engine records which functions and operators defaults, checks, policies, indexes, rules
     * and functions call.
     */
    static final String CALLERS = """
            WITH calls AS (SELECT d.classid, d.objid, d.refobjid AS function FROM pg_depend d
                    WHERE d.refclassid = 'pg_proc'::regclass AND d.refobjid >= 16384
                UNION SELECT d.classid, d.objid, o.oprcode FROM pg_depend d JOIN pg_operator o ON o.oid = d.refobjid
                    WHERE d.refclassid = 'pg_operator'::regclass AND o.oprcode >= 16384),
            callers (name, use, function) AS (
                SELECT c.relname::text, 'r', l.function FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class AND c.oid >= 16384
                    JOIN calls l ON l.classid = 'pg_rewrite'::regclass AND l.objid = r.oid
                UNION SELECT c.relname::text, part.use, l.function FROM (
                        SELECT 'pg_attrdef'::regclass, e.oid, e.adrelid, 'c' FROM pg_attrdef e
                        UNION ALL SELECT 'pg_constraint'::regclass, k.oid, k.conrelid, 'c' FROM pg_constraint k
                        UNION ALL SELECT 'pg_class'::regclass, x.indexrelid, x.indrelid, 'c' FROM pg_index x
                        UNION ALL SELECT 'pg_statistic_ext'::regclass, t.oid, t.stxrelid, 'c' FROM pg_statistic_ext t
                        UNION ALL SELECT 'pg_trigger'::regclass, g.oid, g.tgrelid, 'c' FROM pg_trigger g
                        UNION ALL SELECT 'pg_policy'::regclass, y.oid, y.polrelid, 'a' FROM pg_policy y) part (class, id, relation, use)
                    JOIN pg_class c ON c.oid = part.relation AND c.oid >= 16384
                    JOIN calls l ON l.classid = part.class AND l.objid = part.id
                UNION SELECT c.relname::text, 'c', t.tgfoid FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE NOT t.tgisinternal
                UNION SELECT y.typname::text, 'a', l.function FROM pg_constraint k JOIN pg_type y ON y.oid = k.contypid
                    JOIN calls l ON l.classid = 'pg_constraint'::regclass AND l.objid = k.oid
                UNION SELECT y.typname::text, 'a', l.function FROM pg_type y JOIN calls l ON l.classid = 'pg_type'::regclass AND l.objid = y.oid
                UNION SELECT f.proname::text, 'a', l.function FROM pg_proc f JOIN calls l ON l.classid = 'pg_proc'::regclass AND l.objid = f.oid
                UNION SELECT o.oprname::text, 'o', o.oprcode FROM pg_operator o WHERE o.oprcode >= 16384
                UNION SELECT '', 'a', t.castfunc FROM pg_cast t WHERE t.castfunc >= 16384
                UNION SELECT '', 'a', a.amproc FROM pg_amproc a WHERE a.amproc >= 16384
                UNION SELECT '%s', 'a', e.evtfoid FROM pg_event_trigger e)
            SELECT r.name, r.use, p.proname::text FROM callers r JOIN pg_proc p ON p.oid = r.function
                AND p.oid >= 16384 AND p.pronamespace <> coalesce(to_regnamespace('multimed'), 0)""".formatted(StateInFunctions.DEFINITIONS);

    /**
     * A WITH query: the expressions that statements evaluate without naming what is in them, with the name by which a
     * statement uses them, and the kind of use as in {@link #CALLERS}.
     */
    static final String CODE = """
            code (name, use, expression) AS (
                SELECT c.relname::text, 'r', concat(r.ev_action, r.ev_qual) FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class
                    AND c.oid >= 16384 AND c.relnamespace <> coalesce(to_regnamespace('multimed'), 0)
                UNION ALL SELECT c.relname::text, 'c', e.adbin::text FROM pg_attrdef e JOIN pg_class c ON c.oid = e.adrelid
                    AND c.oid >= 16384 AND c.relnamespace <> coalesce(to_regnamespace('multimed'), 0)
                UNION ALL SELECT c.relname::text, 'c', k.conbin::text FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
                    AND c.oid >= 16384 AND c.relnamespace <> coalesce(to_regnamespace('multimed'), 0)
                UNION ALL SELECT y.typname::text, 'a', k.conbin::text FROM pg_constraint k JOIN pg_type y ON y.oid = k.contypid AND y.oid >= 16384
                UNION ALL SELECT y.typname::text, 'a', y.typdefaultbin::text FROM pg_type y WHERE y.oid >= 16384
                UNION ALL SELECT p.proname::text, 'a', p.proargdefaults::text FROM pg_proc p WHERE p.oid >= 16384 AND p.pronamespace <> coalesce(to_regnamespace('multimed'), 0)
                UNION ALL SELECT p.proname::text, 'a', format(':funcid %s :funcid %s ', a.aggtransfn::oid, a.aggfinalfn::oid) FROM pg_aggregate a JOIN pg_proc p ON p.oid = a.aggfnoid
                    WHERE p.oid >= 16384
                UNION ALL SELECT o.oprname::text, 'o', format(':funcid %s ', o.oprcode::oid) FROM pg_operator o WHERE o.oid >= 16384
                UNION ALL SELECT '', 'a', format(':funcid %s ', t.castfunc) FROM pg_cast t WHERE t.oid >= 16384
                UNION ALL SELECT c.relname::text, 'a', concat(y.polqual, y.polwithcheck) FROM pg_policy y JOIN pg_class c ON c.oid = y.polrelid
                UNION ALL SELECT c.relname::text, 'c', t.tgqual::text FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid)""";

    /**
     * Selects the objects whose code calls a function of the engine that creates state, or through which settings are
     * updated; the engine records no dependency on its own objects. Such functions have their schema, so that
     * statements which call them directly do not name them.
     */
    private static final String CALLERS_OF_THE_ENGINE =
            """
            WITH functions AS (SELECT p.oid, p.proname FROM pg_proc p WHERE p.oid < 16384
                AND (p.proname IN ('set_config', 'ts_stat', 'ts_rewrite', '%s') OR p.proname LIKE ANY (ARRAY['pg_advisory_lock%%', 'pg_try_advisory_lock%%',
                    'query_to_xml%%', 'cursor_to_xml%%', 'table_to_xml%%', 'schema_to_xml%%', 'database_to_xml%%']))),
            %s
            SELECT DISTINCT k.name, k.use, 'pg_catalog.' || f.proname FROM code k
                JOIN functions f ON position(':funcid ' || f.oid || ' ' IN k.expression) > 0
            UNION SELECT k.name, 'c', 'pg_catalog.set_config' FROM code k
                WHERE position(':relid ' || 'pg_settings'::regclass::oid || ' ' IN k.expression) > 0""".formatted(String.join("', '", StateInFunctions.UNLISTED), CODE);

    /**
     * Selects the objects by which statements use others without naming them: views and rules, partitions and tables
     * that inherit, tables whose rows a foreign key or TRUNCATE changes, and types that consist of others. The name of
     * a table is also that of the type of its rows.
     */
    static final String USERS = """
            SELECT c.relname::text, u.use, o.relname::text FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class AND c.oid >= 16384
                JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid AND d.refclassid = 'pg_class'::regclass
                JOIN pg_class o ON o.oid = d.refobjid AND o.oid <> c.oid AND o.oid >= 16384 CROSS JOIN (VALUES ('r'), ('c')) u (use)
            UNION SELECT c.relname::text, 'r', y.typname::text FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class AND c.oid >= 16384
                JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid AND d.refclassid = 'pg_type'::regclass
                JOIN pg_type y ON y.oid = d.refobjid AND y.oid >= 16384
            UNION SELECT c.relname::text, 'c', o.relname::text FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhparent
                JOIN pg_class o ON o.oid = i.inhrelid AND o.relkind IN ('r', 'p', 'f')
            UNION SELECT c.relname::text, 'c', o.relname::text FROM pg_constraint k JOIN pg_class c ON c.oid = k.confrelid
                JOIN pg_class o ON o.oid = k.conrelid
            UNION SELECT c.relname::text, u.use, y.typname::text FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p', 'f')
                JOIN pg_type y ON y.oid = a.atttypid AND y.oid >= 16384 CROSS JOIN (VALUES ('a'), ('c')) u (use)
            UNION SELECT c.relname::text, 'a', y.typname::text FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid AND c.relkind = 'c'
                JOIN pg_type y ON y.oid = a.atttypid AND y.oid >= 16384
            UNION SELECT t.typname::text, 'a', y.typname::text FROM pg_type t JOIN pg_type y ON y.oid IN (t.typbasetype, t.typelem) AND y.oid >= 16384
            UNION SELECT p.proname::text, 'a', y.typname::text FROM pg_depend d JOIN pg_proc p ON p.oid = d.objid AND d.classid = 'pg_proc'::regclass
                JOIN pg_type y ON y.oid = d.refobjid AND d.refclassid = 'pg_type'::regclass AND y.oid >= 16384
            UNION SELECT t.typname::text, 'a', y.typname::text FROM pg_range g JOIN pg_type t ON t.oid = g.rngtypid
                JOIN pg_type y ON y.oid = g.rngsubtype AND y.oid >= 16384""";

    private HiddenStateReader() {}

    /**
     * Names in the queries are the engine's own: the caller has set the search path.
     *
     * @param form the form of each query: unchanged, or {@link CatalogQuery#withoutOwnSchema}
     */
    static HiddenState read(Connection master, UnaryOperator<String> form) throws SQLException {
        List<Definition> definitions = new ArrayList<>();
        CatalogQuery.forEach(master, form.apply(FUNCTIONS), function -> {
            String body = function.getString(2);
            definitions.add(
                    body == null
                            ? StateInFunctions.unexamined(function.getString(1))
                            : StateInFunctions.function(function.getString(1), body));
        });
        readCallers(master, form.apply(CALLERS_OF_THE_ENGINE), definitions);
        if (!definitions.isEmpty()) {
            readCallers(master, form.apply(CALLERS), definitions);
            readCallers(master, form.apply(USERS), definitions);
        }
        return HiddenState.of(definitions);
    }

    /** Adds a definition for each row of a query as {@link #CALLERS}. */
    static void readCallers(Connection master, String query, List<Definition> definitions) throws SQLException {
        CatalogQuery.forEach(master, query, caller -> {
            String name = caller.getString(1);
            String function = caller.getString(3);
            definitions.add(
                    switch (caller.getString(2)) {
                        case "o" -> StateInFunctions.operator(name, function);
                        case "r" -> StateInFunctions.caller(name, Use.READ, function);
                        case "c" -> StateInFunctions.caller(name, Use.CHANGE, function);
                        default -> StateInFunctions.caller(name, Use.ANY, function);
                    });
            if (function.startsWith("pg_catalog.")) {
                definitions.add(StateInFunctions.ofEngine(function));
            }
        });
    }
}
