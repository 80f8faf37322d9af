// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node.login;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Logins of clients as roles of the master, with the passwords that the master knows. Thread-safe. */
public interface RoleLogins {
    /**
     * Lets the master check a password, by a login of its own, also if connections of the role are open. Takes a
     * bounded time.
     *
     * @throws SQLException as {@link io.multimed.engine.Engine#checkLogin}
     */
    void check(String role, String password) throws SQLException;

    /** Returns the present moment in the order of logins, to be taken before {@link #check}. */
    long moment();

    /**
     * Uses a password that the master has accepted for statements that run as the role, until the login is closed.
     *
     * @param checkedSince {@link #moment()} before the check
     * @return null if another login has changed the role's password since: the check must be repeated
     */
    @Nullable
    RoleLogin enter(String role, String password, long checkedSince);

    /** Closes connections of roles whose last client has left. Called periodically; may block for seconds. */
    void closeUnused();
}
