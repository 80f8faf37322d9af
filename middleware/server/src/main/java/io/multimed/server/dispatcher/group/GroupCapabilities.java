// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.group;

import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.extraction.PiggybackCommit;
import io.multimed.engine.extraction.SharedCommit;
import java.util.Optional;

/**
 * The ways in which the master's engine can run, seal and commit a single statement inside a commit group.
 *
 * @param single runs each statement in a transaction of its own
 * @param shared runs several statements in one transaction; preferred to {@code single}
 * @param roles whether statements of users with a role can run there, too
 * @param isolation the isolation level of the connections that run them
 * @param defaultIsolation the level of a statement that requests none
 */
public record GroupCapabilities(
        Optional<PiggybackCommit> single,
        Optional<SharedCommit> shared,
        boolean roles,
        SqlDialect dialect,
        int isolation,
        int defaultIsolation) {
    /** Returns whether every statement shares a transaction, because the engine undoes only those that fail. */
    boolean sharesAll() {
        return shared.isPresent() && shared.get().survivesErrors();
    }

    boolean none() {
        return single.isEmpty() && shared.isEmpty();
    }
}
