// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.roles;

import io.multimed.engine.Engine;
import io.multimed.engine.postgresql.connection.Queries;
import io.multimed.engine.postgresql.sql.PureFunctions;
import io.multimed.engine.sql.ReadRights;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.Set;

/**
 * Reads the privileges of a role from the master's catalog. All names are in the form of {@link
 * io.multimed.engine.sql.TableNames#in}, whatever the locale of the database is.
 */
public final class RolePrivileges {
    /**
     * Whether reads of the role may give other results on satellites, or may run code that reads tables with the
     * privileges of the satellites' connections, in a way that names in the text do not show: settings of the role or
     * of Multimed's user, a schema that the search path finds by the user's name, and operators, casts and domains of
     * users that call functions. Extensions are written by trusted authors.
     */
    private static final String MASTER_ONLY = """
            SELECT NOT EXISTS (SELECT FROM pg_roles WHERE rolname = $role)
                OR EXISTS (SELECT FROM pg_db_role_setting s JOIN pg_roles r ON r.oid = s.setrole WHERE r.rolname IN ($role, current_user))
                OR EXISTS (SELECT FROM pg_namespace WHERE nspname IN ($role, current_user))
                OR EXISTS (SELECT FROM pg_operator o JOIN pg_proc p ON p.oid IN (o.oprcode, o.oprrest, o.oprjoin)
                    WHERE p.oid >= 16384 AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'))
                OR EXISTS (SELECT FROM pg_cast c JOIN pg_proc p ON p.oid = c.castfunc
                    WHERE p.oid >= 16384 AND NOT $ofRange AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'))
                OR EXISTS (SELECT FROM pg_constraint k JOIN pg_depend d ON d.classid = 'pg_constraint'::regclass AND d.objid = k.oid
                    WHERE k.contypid <> 0 AND d.refclassid = 'pg_proc'::regclass AND d.refobjid >= 16384)""".replace("$ofRange", PureFunctions.OF_RANGE);

    /**
     * The names that satellites must not read for the role: relations without SELECT on all columns or without USAGE on
     * their schema, also those of the catalog; views that do not show exactly what their owner may read, directly or
     * through other views; and all functions except for the engine's own that the role may execute.
     */
    private static final String DENIED = """
            WITH RECURSIVE source AS (
                SELECT DISTINCT r.ev_class AS view, d.refobjid AS relation FROM pg_rewrite r
                JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> r.ev_class
            ), unsafe (id) AS (
                SELECT v.oid FROM pg_class v JOIN pg_roles w ON w.oid = v.relowner WHERE v.relkind = 'v' AND (
                    coalesce(v.reloptions::text ~* 'security_(invoker|barrier)', false)
                    OR EXISTS (SELECT FROM source s JOIN pg_class c ON c.oid = s.relation WHERE s.view = v.oid
                        AND (c.oid < 16384 OR c.relnamespace = 'pg_catalog'::regnamespace OR NOT has_table_privilege(w.oid, c.oid, 'SELECT')))
                    OR EXISTS (SELECT FROM pg_rewrite r JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
                        WHERE r.ev_class = v.oid AND d.refclassid = 'pg_proc'::regclass AND d.refobjid >= 16384))
                UNION SELECT s.view FROM unsafe u JOIN source s ON s.relation = u.id
            )
            SELECT lower(translate(c.relname, '"`', '') COLLATE "C") FROM pg_class c
                WHERE c.relkind NOT IN ('i', 'I', 't', 'c') AND (c.relnamespace IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
                    OR NOT has_schema_privilege($role, c.relnamespace, 'USAGE') OR NOT has_table_privilege($role, c.oid, 'SELECT')
                    OR c.oid IN (SELECT id FROM unsafe))
            UNION SELECT lower(translate(p.proname, '"`', '') COLLATE "C") FROM pg_proc p
                WHERE p.pronamespace <> 'pg_catalog'::regnamespace OR NOT has_function_privilege($role, p.oid, 'EXECUTE')""";

    /**
     * Changes with memberships, and with attributes and settings of roles, because these commands fire no event
     * trigger; and with owners and privileges, which may also be changed past the middleware. The second column changes
     * with the identities of roles: a session belongs to the role of its beginning, also after the role was dropped and
     * another role has its name.
     */
    private static final String STATE = """
            SELECT coalesce((SELECT sum(hashtextextended(m::text, 0)) FROM pg_auth_members m), 0)::text
                || ' ' || coalesce((SELECT sum(hashtextextended(r::text, 0)) FROM pg_roles r), 0)
                || ' ' || coalesce((SELECT sum(hashtextextended(s::text, 0)) FROM pg_db_role_setting s), 0)
                || ' ' || coalesce((SELECT sum(hashtextextended(concat(c.oid, c.relowner, c.relacl), 0)) FROM pg_class c WHERE c.relkind NOT IN ('i', 'I', 't')), 0)
                || ' ' || coalesce((SELECT sum(hashtextextended(concat(n.oid, n.nspowner, n.nspacl), 0)) FROM pg_namespace n), 0)
                || ' ' || coalesce((SELECT sum(hashtextextended(concat(p.oid, p.proacl), 0)) FROM pg_proc p WHERE p.proacl IS NOT NULL), 0)
                || ' ' || coalesce((SELECT sum(hashtextextended(d.datacl::text, 0)) FROM pg_database d WHERE d.datname = current_database()), 0),
            coalesce((SELECT sum(hashtextextended(concat(r.oid, ' ', r.rolname), 0)) FROM pg_roles r), 0)::text""";

    /** The master runs all reads of a role with more denied names. */
    private static final int MAX_NAMES = 50_000;

    private RolePrivileges() {}

    /** Returns the reads that satellites may run for a role. */
    public static ReadRights of(Connection own, String role) throws SQLException {
        try {
            if (isMasterOnly(own, role)) {
                return ReadRights.NONE;
            }
            Set<String> denied = denied(own, role);
            return denied.size() > MAX_NAMES ? ReadRights.NONE : new ReadRights(false, denied);
        } finally {
            Queries.end(own);
        }
    }

    /**
     * Returns the state of the roles: {@link Engine.RoleState#rights} changes when {@link #of} may change without a
     * command that fires event triggers.
     */
    public static Engine.RoleState state(Connection own) throws SQLException {
        try (Statement statement = own.createStatement();
                ResultSet state = statement.executeQuery(STATE)) {
            state.next();
            return new Engine.RoleState(state.getString(1), state.getString(2));
        } finally {
            Queries.end(own);
        }
    }

    private static boolean isMasterOnly(Connection own, String role) throws SQLException {
        try (PreparedStatement query = prepare(own, MASTER_ONLY, role);
                ResultSet answer = query.executeQuery()) {
            answer.next();
            return answer.getBoolean(1);
        }
    }

    private static Set<String> denied(Connection own, String role) throws SQLException {
        Set<String> names = new HashSet<>();
        try (PreparedStatement query = prepare(own, DENIED, role);
                ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                names.add(rows.getString(1));
            }
        }
        return names;
    }

    /** Binds the role to each place where the text contains {@code $role}. */
    private static PreparedStatement prepare(Connection own, String text, String role) throws SQLException {
        PreparedStatement query = own.prepareStatement(text.replace("$role", "?::name"));
        for (int i = 1; i <= query.getParameterMetaData().getParameterCount(); i++) {
            query.setString(i, role);
        }
        return query;
    }
}
