// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.extraction;

import io.multimed.engine.writeset.Scn;
import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Detects, for an engine that lets a transaction overwrite changes outside its snapshot, whether a transaction has done
 * so. Used for one transaction, by one thread: first {@link #wroteOver} for each row, then {@link #suspects}.
 */
public interface Certification {
    /**
     * Records a row that the transaction has changed or deleted.
     *
     * @param before the row's previous version; null if the row is new
     */
    void wroteOver(long relation, @Nullable String before);

    /**
     * Returns the commits that created the overwritten versions, unless they are known to be in the transaction's
     * snapshot. The transaction may commit if its snapshot includes all of them. Waits until all commits that preceded
     * these changes are known.
     *
     * @throws SQLException 40001 if they are no longer known: the transaction is too old
     */
    Set<Scn> suspects() throws SQLException;
}
