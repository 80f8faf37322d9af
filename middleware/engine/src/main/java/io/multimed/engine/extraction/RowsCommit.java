// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.extraction;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Runs and commits statements that only change rows, without code of users, one after the other for one client on the
 * same connection. Each commit waits for the disk, and nothing of the session is restored: no other client may use the
 * connection before its initial state is restored.
 */
public interface RowsCommit extends PiggybackCommit {
    /** Prepares the session, until its initial state is restored. */
    void prepare(Connection connection) throws SQLException;
}
