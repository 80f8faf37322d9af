// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.master;

import io.multimed.engine.writeset.Relation;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

/** The master as the source from which satellites are seeded. Stateless. */
public interface SeedSource {
    /**
     * Returns the identifier of the master's history: a satellite that followed another history must be seeded again.
     * Each crash of the master that cost it rows of unlogged tables begins another history.
     */
    UUID historyId(Connection master) throws SQLException;

    /** Returns the relations as the connection's snapshot sees them. */
    List<Relation> relations(Connection master) throws SQLException;

    /** Takes a snapshot that lasts until the transaction ends; nothing else of it is read yet. */
    void beginSnapshot(Connection master) throws SQLException;
}
