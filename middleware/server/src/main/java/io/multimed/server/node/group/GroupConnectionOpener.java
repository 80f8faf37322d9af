// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node.group;

import java.sql.Connection;
import java.sql.SQLException;

/** Opens a connection for the statements of a role that run inside commit groups. */
@FunctionalInterface
public interface GroupConnectionOpener {
    /**
     * Opens the connection; blocks. The caller closes it.
     *
     * @throws SQLException 0A000 if the statements of the role must run outside of groups
     */
    Connection open(String role) throws SQLException;
}
