// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.replication;

import io.multimed.engine.writeset.ReplicatedTables;
import io.multimed.engine.writeset.Scn;
import io.multimed.server.node.ComputationalNode;

/** A satellite as the selection of a node for a read sees it. Thread-safe. */
public interface ReadCandidate {
    /** Returns the node with its state and its load. */
    ComputationalNode node();

    /** Returns the tables that the satellite holds. */
    ReplicatedTables tables();

    /** Returns whether the satellite runs the reads of a routing class. */
    boolean serves(String className);

    /** Returns whether the sessions for reads begin with the present settings of the master's sessions. */
    default boolean hasPresentDefaults() {
        return true;
    }

    /** Returns the SCN up to which the satellite shows all commits; never decreases while the node is ONLINE. */
    Scn applied();
}
