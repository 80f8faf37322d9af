// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.roles;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.engine.mysql.connection.MySqlServer;
import io.multimed.engine.mysql.connection.Names;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.pool.NodeAccess;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The accounts of the engine as which statements of users run, and the privileges that Multimed grants to them. */
public final class RoleAccounts {
    /** The procedures that the sessions of roles call. */
    private static final List<String> PROCEDURES = List.of("seal_role", "overwritten_by_role", "shown_to_role");

    /** Further procedures, on MySQL only. */
    private static final List<String> MYSQL_PROCEDURES = List.of("session_state", "session_parameters");

    /** Users of the engine itself. */
    private static final Set<String> RESERVED = Set.of("", "root", "mysql", "mariadb.sys", "public");

    /** The name of a table that does not exist. Clients' statements with such a name are refused. */
    private static final String NO_TABLE = "multimed_role";

    private static final String WRONG_ROLE = "28000";

    private static final String GRANTED =
            "SELECT COUNT(*) FROM mysql.procs_priv WHERE User = ? AND Host = ? AND Db = 'multimed' AND Proc_priv LIKE '%Execute%'";

    /**
     * The privileges of an account, and of the roles that it may take, by which it could change Multimed's tables, or
     * grant itself any other privilege.
     */
    private static final String MYSQL_ADMINISTRATION = """
            WITH RECURSIVE taken (name, place) AS (
                SELECT CAST(? AS CHAR(255)), CAST(? AS CHAR(255))
                UNION SELECT e.FROM_USER, e.FROM_HOST FROM taken t JOIN mysql.role_edges e ON e.TO_USER = t.name AND e.TO_HOST = t.place)
            SELECT CONCAT(u.Super_priv, u.Create_user_priv, u.Grant_priv)
            FROM taken t JOIN mysql.user u ON u.User = t.name AND u.Host = t.place""";

    private static final String MARIADB_ADMINISTRATION = """
            WITH RECURSIVE taken (name, place) AS (
                SELECT CAST(? AS CHAR(255)), CAST(? AS CHAR(255))
                UNION SELECT m.Role, '' FROM taken t JOIN mysql.roles_mapping m ON m.User = t.name AND m.Host = t.place)
            SELECT CONCAT(u.Super_priv, u.Create_user_priv, u.Grant_priv)
            FROM taken t JOIN mysql.user u ON u.User = t.name AND u.Host = t.place""";

    /** Accounts that an administrator has locked. A role of MySQL is locked from its beginning, without a password. */
    private static final String MYSQL_LOCKED =
            "SELECT COUNT(*) FROM mysql.user WHERE User = ? AND Host = ? AND account_locked = 'Y' AND authentication_string <> ''";

    private static final String MARIADB_LOCKED =
            "SELECT COUNT(*) FROM mysql.global_priv WHERE User = ? AND Host = ? AND JSON_VALUE(Priv, '$.account_locked') IN ('true', '1')";

    private RoleAccounts() {}

    /**
     * Creates the account if there is none with this user, and sets a new random password. The account receives the
     * privilege to create a table whose name clients cannot use, because the engines refuse connections to a database
     * on which an account has no privilege.
     *
     * @throws SQLException 28000 if the account belongs to the engine, or may administer it, or if an administrator has
     *     locked it
     */
    public static NodeAccess enable(Connection own, NodeAccess master, String role) throws SQLException {
        if (isReserved(role)) {
            throw new SQLException(
                    "the role \"%s\" belongs to the engine or to Multimed: name another role for the user"
                            .formatted(role),
                    WRONG_ROLE);
        }
        String account = account(role, host(own, role));
        String password = NodeAccess.newPassword();
        String identification = MySqlServer.isMariaDb(own)
                ? "BY PASSWORD '%s'".formatted(nativeHash(password)) // so that no log contains the password
                : "BY '%s'".formatted(password);
        Queries.execute(own, "CREATE USER IF NOT EXISTS %s IDENTIFIED %s".formatted(account, identification));
        Queries.execute(own, "ALTER USER %s IDENTIFIED %s ACCOUNT UNLOCK".formatted(account, identification));
        Queries.execute(
                own,
                "GRANT CREATE ON %s TO %s".formatted(Names.table(String.valueOf(own.getCatalog()), NO_TABLE), account));
        Queries.end(own);
        return master.as(role, password);
    }

    /** Returns whether a user is one of the engine's or of Multimed's. */
    static boolean isReserved(String user) {
        String lower = user.toLowerCase(Locale.ROOT);
        return RESERVED.contains(lower) || lower.startsWith("multimed") || lower.startsWith("mysql.");
    }

    /** Returns whether an account could change Multimed's tables, or grant itself any other privilege. */
    static boolean mayAdminister(Connection own, String user, String host) throws SQLException {
        String query = MySqlServer.isMariaDb(own) ? MARIADB_ADMINISTRATION : MYSQL_ADMINISTRATION;
        return Queries.texts(own, query, user, host).stream().anyMatch(privileges -> privileges.contains("Y"));
    }

    /** Returns the host of the account with this user; every host if there is no account. */
    private static String host(Connection own, String role) throws SQLException {
        List<String> hosts = new ArrayList<>(Queries.texts(own, "SELECT Host FROM mysql.user WHERE User = ?", role));
        hosts.remove(""); // a role of MariaDB, as which no client can log in
        if (hosts.isEmpty()) {
            return "%";
        }
        if (hosts.size() > 1) {
            throw new SQLException(
                    "there are several accounts of the user \"%s\": drop all but one, or name another role for the user"
                            .formatted(role),
                    WRONG_ROLE);
        }
        if (mayAdminister(own, role, hosts.get(0))) {
            throw new SQLException(
                    "the role \"%s\" may administer the engine (SUPER, CREATE USER or GRANT OPTION on *.*), directly or by a role: name another role for the user"
                            .formatted(role),
                    WRONG_ROLE);
        }
        if (Queries.number(own, MySqlServer.isMariaDb(own) ? MARIADB_LOCKED : MYSQL_LOCKED, role, hosts.get(0)) > 0) {
            throw new SQLException(
                    "the role \"%s\" is locked: ALTER USER ... ACCOUNT UNLOCK permits logins again".formatted(role),
                    WRONG_ROLE);
        }
        return hosts.get(0);
    }

    /**
     * Permits an account to call the procedures that seal its transactions, unless it may already: each start of the
     * middleware creates the procedures again, which revokes the privileges for them.
     *
     * @param account as CURRENT_USER() returns it
     */
    static void permitSeals(Connection own, String account) throws SQLException {
        int at = account.lastIndexOf('@');
        String user = account.substring(0, at);
        String host = account.substring(at + 1);
        List<String> procedures = new ArrayList<>(PROCEDURES);
        if (!MySqlServer.isMariaDb(own)) {
            procedures.addAll(MYSQL_PROCEDURES);
        }
        if (Queries.number(own, GRANTED, user, host) < procedures.size()) {
            for (String procedure : procedures) {
                Queries.execute(
                        own, "GRANT EXECUTE ON PROCEDURE multimed.%s TO %s".formatted(procedure, account(user, host)));
            }
        }
        Queries.end(own);
    }

    private static String account(String user, String host) {
        return Names.identifier(user) + "@" + Names.identifier(host);
    }

    /** Returns the hash of a password that MariaDB stores. */
    private static String nativeHash(String password) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-1");
            byte[] twice = sha.digest(sha.digest(password.getBytes(UTF_8)));
            return "*" + HexFormat.of().withUpperCase().formatHex(twice);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-1", e);
        }
    }
}
