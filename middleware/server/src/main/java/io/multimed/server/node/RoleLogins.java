package io.multimed.server.node;

import java.sql.SQLException;

/** Logins of clients as roles of the master, with the passwords that the master knows. Thread-safe. */
public interface RoleLogins {
    /**
     * Lets the master check a password, by a login of its own, also if connections of the role are open. Takes a
     * bounded time.
     *
     * @throws SQLException as {@link io.multimed.engine.Engine#checkLogin}
     */
    void check(String role, String password) throws SQLException;

    /** Uses a password that the master has accepted for statements that run as the role, until the login is closed. */
    RoleLogin enter(String role, String password);

    /** Closes connections of roles whose last client has left. Called periodically; may block for seconds. */
    void closeUnused();
}
