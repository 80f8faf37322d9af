package io.multimed.server.node;

/** A client that has logged in as a role of the master. The middleware forgets the password with the last of them. */
public interface RoleLogin extends AutoCloseable {
    /** Ends the login; does not block. Called once. */
    @Override
    void close();
}
