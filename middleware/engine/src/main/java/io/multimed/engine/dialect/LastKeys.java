// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.dialect;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Reads and restores the generated key that an engine's session remembers for statements that request it. Stateless.
 */
public interface LastKeys {
    /**
     * Returns whether a statement that has just run may have changed the remembered key. Sends no request to the
     * engine.
     */
    boolean mayHaveChanged(Statement executed) throws SQLException;

    /** Returns the remembered key, 0 if there is none, and makes the session forget it. */
    String take(Connection connection) throws SQLException;

    /** Makes a session remember a key. */
    void restore(Connection connection, String key) throws SQLException;
}
