// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.sql;

import java.util.Collections;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Determines which reads of an engine role satellites may run. The connections of satellites may read every table; the
 * privileges of the role are those that the master has granted. A read that might need a privilege that the role lacks
 * runs on the master, which decides.
 *
 * @param masterOnly whether the master runs all reads of the role
 * @param denied names of which some relation may not be read by the role, and of functions that run with privileges
 *     other than those of the engine's own functions; in the form of {@link TableNames#in}
 */
public record ReadRights(boolean masterOnly, Set<String> denied) {
    /** The master runs all reads. */
    public static final ReadRights NONE = new ReadRights(true, Set.of());

    public ReadRights {
        denied = Set.copyOf(denied);
    }

    /**
     * Returns whether satellites may run a read.
     *
     * @param names all names in the text; null if unknown
     */
    public boolean permit(@Nullable Set<String> names) {
        return !masterOnly && names != null && Collections.disjoint(names, denied);
    }
}
