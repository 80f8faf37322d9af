// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.result;

import io.multimed.engine.postgresql.connection.ShareableTables;
import io.multimed.engine.postgresql.sql.CatalogQuery;
import io.multimed.engine.postgresql.sql.PureFunctions;
import io.multimed.engine.postgresql.sql.ServerInFunctions;
import io.multimed.engine.postgresql.sql.StandbyReadRules;
import io.multimed.engine.sql.FunctionNames;
import io.multimed.engine.sql.HiddenState;
import io.multimed.engine.sql.HiddenState.Definition;
import io.multimed.engine.sql.SchemaFacts;
import io.multimed.engine.sql.TableNames;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Reads the facts for satellites that are standbys (architecture 4.11): they have all objects of the master, so that
 * only those objects need the master whose result belongs to a server or a session.
 */
public final class StandbyCatalog extends PostgresCatalog {
    /**
     * Selects users' functions, with their text if it can be examined. Functions in C are what extensions declare:
     * those of known extensions are stable, those of others immutable.
     */
    private static final String FUNCTIONS = """
            SELECT p.proname::text, CASE WHEN p.prokind = 'a' THEN '' WHEN l.lanname IN ('sql', 'plpgsql') AND NOT p.proargtypes::oid[] || p.prorettype && ARRAY['xid'::regtype, 'xid[]'::regtype]::oid[] THEN coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) END
            FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
            WHERE p.oid >= 16384 AND p.pronamespace <> coalesce(to_regnamespace('multimed'), 0)
                AND p.prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype)
                AND NOT (%s OR (l.lanname IN ('c', 'internal') AND EXISTS (SELECT FROM pg_depend d
                    JOIN pg_extension e ON e.oid = d.refobjid JOIN pg_roles r ON r.oid = p.proowner AND r.rolsuper
                    WHERE d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
                    AND (p.provolatile = 'i' OR (p.provolatile = 's' AND e.extname IN ('%s') AND p.proname !~ '%s')) AND p.proname <> '%s')))""".formatted(
                    PureFunctions.OF_RANGE,
                    String.join("', '", PureFunctions.KNOWN_EXTENSIONS),
                    PureFunctions.OF_SERVER,
                    PureFunctions.EXCEPTION);

    /**
     * Selects the objects whose expressions call a function of the engine that is not pure, read a part of the engine's
     * catalog that a standby does not have, or what a deletion leaves in a row (cmin, xmax, cmax), or compute the age
     * of a transaction.
     */
    private static final String OF_SERVER = """
            WITH %s,
            used AS (SELECT k.name, k.use, m[1] = 'relid' AS relation, m[2]::oid AS id
                FROM code k CROSS JOIN LATERAL regexp_matches(k.expression, ':(funcid|opfuncid|aggfnoid|winfnoid|relid) (\\d+)', 'g') m WHERE k.use <> 'c')
            SELECT DISTINCT u.name, u.use FROM used u
            WHERE u.id BETWEEN 1 AND 16383 AND ((u.relation AND u.id <> ALL (ARRAY(SELECT c.oid FROM pg_class c
                    WHERE c.relname = ANY (?) OR c.relnamespace = coalesce(to_regnamespace('information_schema'), 0)))) OR u.id = 'age(xid)'::regprocedure
                OR EXISTS (SELECT FROM pg_proc p WHERE p.oid = u.id AND p.proname = ANY (?)))
            UNION SELECT k.name, k.use FROM code k WHERE k.use <> 'c' AND k.expression ~ ':varattno -[345]\\M'""".formatted(HiddenStateReader.CODE);

    /**
     * Selects sequences, whose state a standby has ahead of the master, tables of other servers, and tables with
     * numbers of transactions, whose age depends on the server.
     */
    private static final String OF_MASTER = """
            SELECT c.relname::text FROM pg_class c
            WHERE (c.relkind IN ('S', 'f') OR EXISTS (SELECT FROM pg_attribute a
                WHERE a.attrelid = c.oid AND a.attnum > 0 AND a.atttypid IN ('xid'::regtype, 'xid[]'::regtype))) AND c.oid >= 16384 AND c.relnamespace <> coalesce(to_regnamespace('multimed'), 0)""";

    private static final String OPERATORS = "SELECT oprname::text FROM pg_operator WHERE oid >= 16384";

    /** Selects a table that is read with another one. */
    private static final String PARTS = """
            SELECT c.relname::text, 'r', o.relname::text FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhparent
                JOIN pg_class o ON o.oid = i.inhrelid""";

    /** Selects whether anything may leave work for the commit, where no view of Multimed tells for which tables. */
    private static final String DEFERS = """
            SELECT '' FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
                WHERE t.tgdeferrable AND c.relpersistence <> 't'
            UNION ALL SELECT '' FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
                WHERE p.oid >= 16384 AND l.lanname NOT IN ('c', 'internal')
                AND (l.lanname NOT IN ('sql', 'plpgsql') OR coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) ~* '(defer|\\m(execute|constraints?|temp|temporary|hold)\\M|\\mu&")')""";

    private static final long FIRST_OF_USERS = 16_384;

    /** Selects the identifiers of the tables that the search path finds. Runs with the search path of clients. */
    private static final String VISIBLE = """
            SELECT c.oid::pg_catalog.text FROM pg_catalog.pg_class c
            WHERE c.oid OPERATOR(pg_catalog.>=) 16384::pg_catalog.oid AND pg_catalog.pg_table_is_visible(c.oid)""";

    private final boolean isInstalled;

    /** @param isInstalled whether the master has Multimed's views of the catalog */
    public StandbyCatalog(boolean isInstalled) {
        this.isInstalled = isInstalled;
    }

    private String form(String query) {
        return isInstalled ? query : CatalogQuery.withoutOwnSchema(query);
    }

    @Override
    Set<String> shareableTables(Connection master) throws SQLException {
        if (isInstalled) {
            return super.shareableTables(master);
        }
        Set<String> visible = names(master, VISIBLE);
        return byOwnPath(master, () -> {
            Set<String> shareable = new HashSet<>();
            CatalogQuery.forEach(master, ShareableTables.QUERY, row -> {
                String table = row.getString("relname");
                String schema = row.getString("nspname");
                if (row.getLong("oid") < FIRST_OF_USERS || schema.contains(".") || table.contains(".")) {
                    return; // what has a dot in its name is not a table of a schema
                }
                shareable.add(schema + "." + table);
                if (visible.contains(row.getString("oid"))) {
                    shareable.add(table);
                }
            });
            shareable.removeIf(name -> !name.equals(name.toLowerCase(Locale.ROOT)));
            return shareable;
        });
    }

    /** No tables: the rows that commits change are not known. */
    @Override
    public TableNames tableNames(Connection master) {
        return TableNames.NONE;
    }

    @Override
    SchemaFacts facts(Connection master, Set<String> shareable) throws SQLException {
        Set<String> ofMaster = ofMaster(master);
        return new SchemaFacts(
                PureFunctions.names(master, ofMaster, this::form),
                Set.of(),
                exists(master, form(USER_FUNCTION)),
                exists(master, form(SETTING_FUNCTION)),
                exists(master, form(ERROR_HANDLER)),
                shareable,
                Set.of(),
                names(master, isInstalled ? DEFERRING_TABLES : DEFERS),
                HiddenStateReader.read(master, this::form).withMasters(ofMaster));
    }

    /** Returns the names of objects whose result may be another one on a standby, and of those that use them. */
    private Set<String> ofMaster(Connection master) throws SQLException {
        FunctionNames engine = PureFunctions.ofEngineOnStandbys(master);
        Set<String> operators = names(master, OPERATORS);
        List<Definition> definitions = new ArrayList<>();
        CatalogQuery.forEach(
                master,
                form(FUNCTIONS),
                function -> definitions.add(
                        ServerInFunctions.function(function.getString(1), function.getString(2), engine, operators)));
        for (String name : names(master, form(OF_MASTER))) {
            definitions.add(ServerInFunctions.master(name));
        }
        HiddenStateReader.readCallers(master, form(HiddenStateReader.CALLERS), definitions);
        HiddenStateReader.readCallers(master, HiddenStateReader.USERS, definitions);
        HiddenStateReader.readCallers(master, PARTS, definitions);
        callersOfTheEngine(master, engine.impure(), definitions);
        return HiddenState.of(definitions).used().keySet();
    }

    private void callersOfTheEngine(Connection master, Set<String> impure, List<Definition> definitions)
            throws SQLException {
        try (PreparedStatement query = master.prepareStatement(form(OF_SERVER))) {
            query.setArray(
                    1,
                    master.createArrayOf(
                            "text", StandbyReadRules.replicatedTables().toArray()));
            query.setArray(2, master.createArrayOf("text", impure.toArray()));
            try (ResultSet callers = query.executeQuery()) {
                while (callers.next()) {
                    definitions.add(ServerInFunctions.caller(
                            callers.getString(1), callers.getString(2).equals("o")));
                }
            }
        }
    }
}
