// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.log;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The engine's statistics of changes in the tables of its catalog that {@link
 * io.multimed.engine.postgresql.result.StandbyCatalog} reads: they show DDL where no event triggers exist. The engine
 * counts if {@code track_counts} is on, as it is by default.
 */
final class CatalogStatistics {
    /**
     * Object identifiers, which no version of the engine changes: pg_type, pg_attribute, pg_proc, pg_class, pg_cast,
     * pg_constraint, pg_inherits, pg_opclass, pg_operator, pg_rewrite, pg_trigger, pg_extension, pg_policy.
     */
    private static final List<Integer> TABLES =
            List.of(1247, 1249, 1255, 1259, 2605, 2606, 2611, 2616, 2617, 2618, 2620, 3079, 3256);

    /** A number that changes after each transaction with DDL; sessions report their changes after up to 10 s. */
    static final String OF_ALL = sum("");

    /**
     * The number of changes by the session's transaction; also those of its transactions of the last second, which the
     * session has not reported yet.
     */
    static final String OF_TRANSACTION = sum("xact_");

    private CatalogStatistics() {}

    private static String sum(String which) {
        return TABLES.stream()
                .flatMap(table -> List.of("inserted", "updated", "deleted").stream()
                        .map(change -> "pg_catalog.pg_stat_get_%stuples_%s(%d)".formatted(which, change, table)))
                .collect(Collectors.joining(" OPERATOR(pg_catalog.+) "));
    }
}
