// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.pool;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.util.Base64;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;

/**
 * Address and credentials of a node for its engine's JDBC driver. {@link #toString} and messages do not contain the
 * password.
 *
 * @param url determines driver, database and parameters; its host and port are used if there is no socket
 * @param socket the Unix-domain socket of an engine on this machine, which is faster than TCP
 */
public record NodeAccess(String node, String url, String user, String password, Optional<Path> socket) {
    /**
     * Error codes for missing privileges on engines whose SQLState for them includes other errors: access to a
     * database, table, column or routine, or a privilege of administrators.
     */
    private static final Set<Integer> PRIVILEGE_ERRORS = Set.of(1044, 1142, 1143, 1227, 1370, 1419);

    /** The error code for access to a database on engines whose SQLState for it includes other errors. */
    private static final int NO_ACCESS_TO_DATABASE = 1044;

    /** Creates the access to an engine over TCP. */
    public NodeAccess(String node, String url, String user, String password) {
        this(node, url, user, password, Optional.empty());
    }

    /** Returns user and password as properties of a JDBC driver. */
    public Properties credentials() {
        Properties properties = new Properties();
        properties.setProperty("user", user);
        properties.setProperty("password", password);
        return properties;
    }

    /** Returns a new random password of letters, digits, dashes and underscores. */
    public static String newPassword() {
        byte[] random = new byte[24];
        new SecureRandom().nextBytes(random);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    }

    /** Returns the access of another user to the same engine. */
    public NodeAccess as(String otherUser, String otherPassword) {
        return new NodeAccess(node, url, otherUser, otherPassword, socket);
    }

    /** Returns whether an engine has refused the login of this user, or access to this database. */
    public static boolean isRefusal(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        return state.startsWith("28") || state.equals("3D000") || failure.getErrorCode() == NO_ACCESS_TO_DATABASE;
    }

    /** Returns a failure to connect with the name of the node, and with the part of the System Model to check. */
    public SQLException unreached(SQLException why) {
        return new SQLException(
                "%s: cannot connect to %s as user \"%s\"%s: %s; check url, user and password of the node %s in the System Model"
                        .formatted(
                                node,
                                place(),
                                user,
                                password.isEmpty() ? " without a password" : "",
                                why.getMessage(),
                                node),
                why.getSQLState(),
                why.getErrorCode(),
                why);
    }

    /** Returns whether an engine has refused a statement because the user lacks a privilege. */
    public static boolean isLackOfPrivilege(SQLException failure) {
        return "42501".equals(failure.getSQLState()) || PRIVILEGE_ERRORS.contains(failure.getErrorCode());
    }

    /** Returns a refusal for lack of a privilege with the node, the user, and the part of the System Model to check. */
    public SQLException unprivileged(SQLException why) {
        return new SQLException(
                "%s: the user \"%s\" lacks a privilege that Multimed requires: %s; grant it, or name another user of the node %s in the System Model (the examples in deploy/models say what the user must be able to do)"
                        .formatted(node, user, why.getMessage(), node),
                why.getSQLState(),
                why.getErrorCode(),
                why);
    }

    /** Returns the URL without parts that may be secret: parameters, and a user before the host. */
    private String place() {
        return url.replaceFirst("[?;].*$", "").replaceFirst("//[^/]*@", "//");
    }

    @Override
    public String toString() {
        return node + " at " + place();
    }
}
