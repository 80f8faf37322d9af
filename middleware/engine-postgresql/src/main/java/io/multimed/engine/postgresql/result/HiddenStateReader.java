// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.result;

import io.multimed.engine.postgresql.sql.StateInFunctions;
import io.multimed.engine.sql.HiddenState;
import io.multimed.engine.sql.HiddenState.Definition;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Reads users' functions, and what calls them, as far as their use may leave state in a session. */
final class HiddenStateReader {
    /** Selects functions of users whose text can be examined, if any of them may leave state in the session. */
    private static final String FUNCTIONS = """
            WITH functions AS (SELECT p.proname::text AS name, coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) AS body
                FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
                WHERE p.oid >= 16384 AND p.pronamespace <> 'multimed'::regnamespace AND l.lanname NOT IN ('c', 'internal')
                AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'))
            SELECT name, body FROM functions WHERE EXISTS (SELECT FROM functions WHERE body ~* '%s')""".formatted(StateInFunctions.WORDS);

    /**
     * Selects views and tables with triggers, with the functions that they call. Functions of the engine that create
     * state have their schema, so that statements which call them directly do not name them; the engine records no
     * dependency on them.
     */
    private static final String CALLERS = """
            SELECT c.relname::text, false, p.proname::text FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class AND c.oid >= 16384
                JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid AND d.refclassid = 'pg_proc'::regclass
                JOIN pg_proc p ON p.oid = d.refobjid AND p.oid >= 16384
            UNION SELECT c.relname::text, false, 'pg_catalog.' || p.proname FROM pg_rewrite r
                JOIN pg_class c ON c.oid = r.ev_class AND c.oid >= 16384 AND c.relnamespace <> 'multimed'::regnamespace
                JOIN pg_proc p ON p.oid < 16384 AND (p.proname = 'set_config' OR p.proname ~ '^pg_(try_)?advisory_lock')
                    AND position(':funcid ' || p.oid || ' ' IN r.ev_action::text) > 0
            UNION SELECT c.relname::text, true, p.proname::text FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
                JOIN pg_proc p ON p.oid = t.tgfoid AND p.pronamespace <> 'multimed'::regnamespace WHERE NOT t.tgisinternal""";

    private HiddenStateReader() {}

    /** Names in the queries are the engine's own: the caller has set the search path. */
    static HiddenState read(Connection master) throws SQLException {
        List<Definition> definitions = new ArrayList<>();
        try (Statement statement = master.createStatement()) {
            try (ResultSet functions = statement.executeQuery(FUNCTIONS)) {
                while (functions.next()) {
                    definitions.add(StateInFunctions.function(functions.getString(1), functions.getString(2)));
                }
            }
            try (ResultSet callers = statement.executeQuery(CALLERS)) {
                while (callers.next()) {
                    String function = callers.getString(3);
                    definitions.add(StateInFunctions.caller(callers.getString(1), callers.getBoolean(2), function));
                    if (function.startsWith("pg_catalog.")) {
                        definitions.add(StateInFunctions.ofEngine(function));
                    }
                }
            }
        }
        return HiddenState.of(definitions);
    }
}
