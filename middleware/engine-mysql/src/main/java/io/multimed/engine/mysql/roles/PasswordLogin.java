// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.roles;

import io.multimed.engine.mysql.connection.Connections;
import io.multimed.engine.mysql.connection.MySqlServer;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.pool.NodeAccess;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Lets the engine check a password that a client has sent, by a login of its own. */
public final class PasswordLogin {
    /** Maximum time for the connection, and for each answer of the engine. */
    private static final int MILLIS = 4_000;

    private static final String REFUSED = "28000";

    /** The engine's plugins that look at the password. Others may let the middleware in as whom it runs. */
    private static final Set<String> PASSWORD_PLUGINS =
            Set.of("mysql_native_password", "caching_sha2_password", "sha256_password", "ed25519", "parsec");

    /** All plugins by which an account may log in, and whether it has a password, separated by blanks. */
    private static final String MYSQL_PLUGINS =
            "SELECT CONCAT(plugin, IF(authentication_string = '', ' none', '')) FROM mysql.user WHERE User = ? AND Host = ?";

    private static final String MARIADB_PLUGINS = """
            SELECT CONCAT_WS(' ', JSON_VALUE(Priv, '$.plugin'), JSON_EXTRACT(Priv, '$.auth_or[*].plugin'),
                IF(COALESCE(JSON_VALUE(Priv, '$.authentication_string'), '') = ''
                    AND JSON_EXTRACT(Priv, '$.auth_or[*].authentication_string') IS NULL, 'none', NULL))
            FROM mysql.global_priv WHERE User = ? AND Host = ?""";

    private static final Pattern WORD = Pattern.compile("\\w+");

    /** Errors after the right password: no privilege on the database. */
    private static final int NO_DATABASE_PRIVILEGE = 1044;

    /** Errors after which a later login may succeed: too many connections, of all, of the account, in an hour. */
    private static final Set<Integer> TOO_MANY = Set.of(1040, 1203, 1226);

    /** Errors for an account that is locked or whose password has expired. */
    private static final Set<Integer> CLOSED = Set.of(1820, 1862, 3118, 4151);

    private PasswordLogin() {}

    /**
     * Logs in and out.
     *
     * @param master the access as Multimed's user
     * @param access the access as the role
     * @throws SQLException 28000 if the engine refuses the login, or may have accepted it without a look at the
     *     password; 0A000 if the password is right, but clients must not use the role; 42501 if the role has no
     *     privilege on the database; 53300 if too many are connected; others if the engine cannot check the password
     */
    public static void check(NodeAccess master, NodeAccess access) throws SQLException {
        String account = account(access);
        int at = account.lastIndexOf('@');
        String user = account.substring(0, at);
        String host = account.substring(at + 1);
        if (!access.user().equals(user)) {
            throw new SQLException("the engine knows the user as \"%s\"".formatted(user), REFUSED);
        }
        try (Connection own = Connections.own(master)) {
            requirePassword(own, user, host);
            if (RoleAccounts.isReserved(user)) {
                throw new SQLException(
                        "the role \"%s\" belongs to the engine or to Multimed: log in as another role".formatted(user),
                        "0A000");
            }
            if (RoleAccounts.mayAdminister(own, user, host)) {
                throw new SQLException(
                        "the role \"%s\" may administer the engine (SUPER, CREATE USER or GRANT OPTION on *.*), directly or by a role: log in as another role, or as a user of listen.users"
                                .formatted(user),
                        "0A000");
            }
            Queries.end(own);
        }
    }

    /** Logs in, and returns the account that the engine has chosen. */
    private static String account(NodeAccess access) throws SQLException {
        try (Connection login = Connections.login(access, MILLIS)) {
            return Queries.texts(login, "SELECT CURRENT_USER()").get(0);
        } catch (SQLException e) {
            int code = e.getErrorCode();
            String state = code == NO_DATABASE_PRIVILEGE
                    ? "42501"
                    : TOO_MANY.contains(code) ? "53300" : CLOSED.contains(code) ? REFUSED : e.getSQLState();
            throw new SQLException(e.getMessage(), state, code, e);
        }
    }

    private static void requirePassword(Connection own, String user, String host) throws SQLException {
        String query = MySqlServer.isMariaDb(own) ? MARIADB_PLUGINS : MYSQL_PLUGINS;
        List<String> plugins = Queries.texts(own, query, user, host);
        boolean checked = !plugins.isEmpty();
        Matcher each = WORD.matcher(checked ? plugins.get(0) : "");
        while (each.find()) {
            checked &= PASSWORD_PLUGINS.contains(each.group());
        }
        if (!checked) {
            throw new SQLException(
                    "the account \"%s\"@\"%s\" may log in without a password that only its user knows: %s"
                            .formatted(user, host, String.join(", ", plugins)),
                    REFUSED);
        }
    }
}
