// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.dialect;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;

/**
 * Compares an engine's session with its state before a client's statement could change it. Used by one client's
 * session.
 */
@FunctionalInterface
public interface SessionWatch {
    /**
     * Returns the state that the client has left in the engine's session. The connection has no open transaction before
     * and after the call.
     *
     * @param settings names of settings that the engine does not list by itself, in the order of the statements that
     *     may have left them behind; the watch may remove those that are gone
     */
    SessionState inspect(Connection connection, Set<String> settings) throws SQLException;
}
