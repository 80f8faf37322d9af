// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.roles;

import io.multimed.engine.Engine;
import io.multimed.engine.mysql.connection.Connections;
import io.multimed.engine.mysql.connection.MySqlServer;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.mysql.sql.MySqlReader;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.sql.ReadRights;
import io.multimed.engine.sql.TableNames;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Determines which tables and views the account of a role may read in full. The engine itself computes the privileges,
 * in a session of the account, from all that it has granted: on databases and patterns of their names, to default roles
 * and to PUBLIC.
 */
public final class RolePrivileges {
    /** The columns of each table and view of the database: in a session of the account, those that it may read. */
    private static final String COLUMNS =
            "SELECT TABLE_NAME, COUNT(*) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ?%s GROUP BY TABLE_NAME";

    private static final String READABLE = " AND FIND_IN_SET('select', PRIVILEGES) > 0";

    /** The tables and views that satellites have. */
    private static final String REPLICATED =
            "SELECT table_name FROM multimed.relation UNION SELECT name FROM multimed.told_view";

    private static final String VIEWS =
            "SELECT TABLE_NAME, SECURITY_TYPE = 'DEFINER' AND DEFINER = CURRENT_USER(), VIEW_DEFINITION FROM information_schema.VIEWS WHERE TABLE_SCHEMA = ?";

    private static final String DATABASE = "SELECT database_name FROM multimed.base";

    private static final String MARIADB_GRANTS =
            "mysql.global_priv, mysql.db, mysql.tables_priv, mysql.columns_priv, mysql.roles_mapping";
    private static final String MYSQL_GRANTS =
            "mysql.user, mysql.db, mysql.tables_priv, mysql.columns_priv, mysql.role_edges, mysql.default_roles, mysql.global_grants";

    private static final MySqlReader READER = new MySqlReader();

    private RolePrivileges() {}

    /** @param trusted whether the view runs with the privileges of the master's user, who may read everything */
    private record View(String name, boolean trusted, String definition) {}

    /** Returns what satellites may read for the account. */
    public static ReadRights of(Connection own, NodeAccess access) throws SQLException {
        String database = Queries.texts(own, DATABASE).get(0);
        Map<String, Long> readable;
        try (Connection session = Connections.own(access)) {
            readable = columns(session, READABLE, database);
        }
        Map<String, Long> all = columns(own, "", database);
        Set<String> denied = untrusted(Queries.list(
                own,
                VIEWS,
                row -> new View(row.getString(1), row.getBoolean(2), String.valueOf(row.getString(3))),
                database));
        Set<String> relations = new HashSet<>(Queries.texts(own, REPLICATED));
        relations.addAll(all.keySet());
        for (String relation : relations) {
            Long columns = all.get(relation);
            if (columns == null || !columns.equals(readable.get(relation))) {
                denied.add(normal(relation));
            }
        }
        Queries.end(own);
        return new ReadRights(false, denied);
    }

    private static Map<String, Long> columns(Connection connection, String condition, String database)
            throws SQLException {
        Map<String, Long> columns = new HashMap<>();
        Queries.list(
                connection,
                COLUMNS.formatted(condition),
                row -> columns.put(row.getString(1), row.getLong(2)),
                database);
        return columns;
    }

    /**
     * Returns the names of the views that may need a privilege that their definer or invoker lacks, and of the views on
     * these: on satellites, all views run with the privileges of the reader.
     */
    private static Set<String> untrusted(List<View> views) {
        Set<String> found = new HashSet<>();
        boolean more = true;
        while (more) {
            more = false;
            for (View view : views) {
                more |= (!view.trusted() || readsOneOf(view, found)) && found.add(normal(view.name()));
            }
        }
        return found;
    }

    private static boolean readsOneOf(View view, Set<String> names) {
        Set<String> named = TableNames.in(READER.read(view.definition()).tokens());
        return named == null || !Collections.disjoint(named, names);
    }

    /** Returns a name in the form of {@link TableNames#in}. */
    private static String normal(String name) {
        return name.replace("\"", "").replace("`", "").toLowerCase(Locale.ROOT);
    }

    /**
     * Returns the state of the roles: checksums of the tables that contain the engine's grants, and for the rights of
     * reads also the number of forms of tables, which changes with DDL. Sessions keep privileges only.
     */
    public static Engine.RoleState state(Connection own) throws SQLException {
        String tables = MySqlServer.isMariaDb(own) ? MARIADB_GRANTS : MYSQL_GRANTS;
        String grants = String.join(
                ",", Queries.list(own, "CHECKSUM TABLE " + tables, row -> String.valueOf(row.getString(2))));
        long forms = Queries.number(own, "SELECT forms FROM multimed.base");
        Queries.end(own);
        return new Engine.RoleState(grants + "," + forms, grants);
    }
}
