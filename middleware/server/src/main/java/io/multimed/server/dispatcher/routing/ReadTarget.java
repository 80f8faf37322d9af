// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.routing;

import io.multimed.engine.sql.Classification;
import io.multimed.server.dispatcher.request.StatementTask;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The conditions that a satellite must meet to run a read, apart from freshness.
 *
 * @param tables the tables that the transaction will read, as it names them; null if it may read any table
 * @param node the name of the only node that may run the transaction, besides the master; null for any
 * @param className the name of the routing class, which the satellite must serve
 */
public record ReadTarget(
        @Nullable Set<String> tables, @Nullable String node, String className) {
    /**
     * Returns the target of the statement with which a transaction begins on a satellite. A transaction of several
     * statements may read any table.
     */
    public static ReadTarget of(StatementTask task) {
        Classification classification = task.classification();
        return new ReadTarget(
                task.standsAlone() ? classification.tables() : null,
                classification.hints().node(),
                task.className());
    }
}
