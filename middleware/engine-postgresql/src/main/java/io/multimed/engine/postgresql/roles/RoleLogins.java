// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.roles;

import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.postgresql.connection.Queries;
import io.multimed.engine.postgresql.connection.Quoting;
import io.multimed.protocol.Scram;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Logins of the middleware as roles on an engine that belongs to Multimed. */
public final class RoleLogins {
    private RoleLogins() {}

    /**
     * Creates a role without privileges if it does not exist, and sets a new random password. The engine receives the
     * verifier of the password, so that its log cannot contain the password.
     *
     * @throws SQLException 28000 if the role is a superuser, or one of Multimed's, or if an administrator has locked it
     */
    public static NodeAccess enable(Connection own, NodeAccess master, String role) throws SQLException {
        if (isReserved(role)) {
            throw new SQLException(
                    "the role \"%s\" belongs to the engine or to Multimed: name another role for the user"
                            .formatted(role),
                    "28000");
        }
        String password = NodeAccess.newPassword();
        String verifier = Scram.verifierOfRandom(password.toCharArray()).toText();
        try (Statement statement = own.createStatement()) {
            if (!exists(own, role)) {
                statement.execute("CREATE ROLE " + Quoting.identifier(role));
            }
            statement.execute("ALTER ROLE %s LOGIN PASSWORD '%s'".formatted(Quoting.identifier(role), verifier));
        }
        own.commit();
        return master.as(role, password);
    }

    /** Returns whether a name is that of a role of the engine or of Multimed. */
    static boolean isReserved(String role) {
        return role.startsWith("multimed") || role.startsWith("pg_");
    }

    /**
     * Refuses a role with settings of its own (0A000), for which the settings of a commit group must not be replaced.
     */
    public static void requireNoSettings(Connection own, String role) throws SQLException {
        try (PreparedStatement query = own.prepareStatement(
                "SELECT FROM pg_catalog.pg_db_role_setting s JOIN pg_catalog.pg_roles r ON r.oid = s.setrole WHERE r.rolname = ?")) {
            query.setString(1, role);
            try (ResultSet found = query.executeQuery()) {
                if (found.next()) {
                    throw new SQLException(
                            "the role \"%s\" has settings of its own (ALTER ROLE ... SET): its statements run outside of commit groups"
                                    .formatted(role),
                            "0A000");
                }
            }
        } finally {
            Queries.end(own);
        }
    }

    private static boolean exists(Connection own, String role) throws SQLException {
        try (PreparedStatement query = own.prepareStatement(
                "SELECT rolsuper, NOT rolcanlogin AND rolpassword IS NOT NULL FROM pg_catalog.pg_authid WHERE rolname = ?")) {
            query.setString(1, role);
            try (ResultSet found = query.executeQuery()) {
                if (!found.next()) {
                    return false;
                }
                if (found.getBoolean(1)) {
                    Queries.end(own);
                    throw new SQLException(
                            "the role \"%s\" is a superuser, for which the engine checks no privileges: name another role for the user"
                                    .formatted(role),
                            "28000");
                }
                if (found.getBoolean(2)) { // a role that is new to the middleware has no password
                    Queries.end(own);
                    throw new SQLException(
                            "the role \"%s\" is locked: ALTER ROLE ... LOGIN permits logins again".formatted(role),
                            "28000");
                }
                return true;
            }
        }
    }
}
