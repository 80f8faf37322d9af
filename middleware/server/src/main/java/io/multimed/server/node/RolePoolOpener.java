// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node;

import io.multimed.engine.pool.ConnectionPool;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Opens a pool of connections that run as an engine role. */
@FunctionalInterface
public interface RolePoolOpener {
    /**
     * Opens the pool.
     *
     * @param reads whether the connections serve single reads only
     * @throws SQLException if the role cannot be used
     */
    ConnectionPool open(String role, boolean reads) throws SQLException;

    /**
     * Called when the engine has refused a login as the role, whose password may have been changed.
     *
     * @return whether new pools may be able to log in
     */
    default boolean refused(String role) {
        return false;
    }

    /** Returns the password for an open pool of a role whose clients have sent it; null for all other roles. */
    default @Nullable String passwordOfClients(String role) {
        return null;
    }

    /** Returns whether the pools of a role are not needed any more, because its last client has left. */
    default boolean takeUnused(String role) {
        return false;
    }
}
