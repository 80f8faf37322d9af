// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.sql;

import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.Classification.Kind;
import io.multimed.engine.sql.Classification.Trait;

/** Classifies the statements that commit the open transaction before they run. */
final class ImplicitCommits {
    private ImplicitCommits() {}

    /**
     * Returns the classification of a statement that runs outside of transactions, after the open transaction was
     * committed, and that concerns only the master.
     */
    static Classification committing() {
        return Classification.of(Kind.NON_TRANSACTIONAL).with(Trait.COMMITS_BEFORE);
    }
}
