// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.roles;

import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.postgresql.connection.PostgresConnections;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import org.postgresql.ds.PGSimpleDataSource;

/** Lets the engine check a password that a client has sent, by a login of its own. */
public final class PasswordLogin {
    /** Maximum time, in seconds, for the connection, for the login, and for the answer to the query. */
    private static final String SECONDS = "4";

    /**
     * The answers to a login by which the engine checks the password. Without this setting, a rule in pg_hba.conf that
     * trusts the middleware's address, or its certificate, would let every client in.
     */
    private static final String CHECKED = "scram-sha-256,md5,password";

    /**
     * The role, which differs from the user's name if the engine has cut the name off; and whether the role is a
     * superuser, or can become one by SET ROLE.
     */
    private static final String RIGHTS = """
            SELECT session_user::pg_catalog.text, EXISTS (
                SELECT FROM pg_catalog.pg_roles r
                WHERE r.rolsuper AND pg_catalog.pg_has_role(session_user, r.oid, 'MEMBER'))""";

    private PasswordLogin() {}

    /**
     * Logs in and out.
     *
     * @throws SQLException 28xxx if the engine refuses the login; 0A000 if it accepts the login, but clients must not
     * use the role; others if the engine cannot check the password now
     */
    public static void check(NodeAccess access) throws SQLException {
        Properties properties = PostgresConnections.properties(access);
        properties.setProperty("connectTimeout", SECONDS);
        properties.setProperty("loginTimeout", SECONDS);
        properties.setProperty("socketTimeout", SECONDS);
        properties.setProperty("requireAuth", CHECKED);
        properties.setProperty("options", "-c search_path=pg_catalog,pg_temp");
        PGSimpleDataSource source = new PGSimpleDataSource();
        RoleConnections.configure(source, access.url(), properties);
        try (Connection login = source.getConnection();
                Statement statement = login.createStatement();
                ResultSet row = statement.executeQuery(RIGHTS)) {
            row.next();
            checkRights(access.user(), row.getString(1), row.getBoolean(2));
        }
    }

    private static void checkRights(String user, String role, boolean superuser) throws SQLException {
        if (!user.equals(role)) {
            throw new SQLException("the engine knows the user as \"%s\"".formatted(role), "28000");
        }
        if (superuser) {
            throw new SQLException(
                    "the role \"%s\" is a superuser, or a member of one, for which the engine checks no privileges: log in as another role, or as a user of listen.users"
                            .formatted(role),
                    "0A000");
        }
        if (RoleLogins.isReserved(role)) {
            throw new SQLException(
                    "the role \"%s\" belongs to the engine or to Multimed: log in as another role".formatted(role),
                    "0A000");
        }
    }
}
