// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.command;

import java.util.List;
import java.util.Optional;

/** Describes the tables that no satellite holds, for operators. */
final class UnheldTables {
    /** Maximum number of tables that are named. */
    private static final int NAMED = 10;

    private UnheldTables() {}

    /**
     * Returns one line; empty if satellites hold all tables.
     *
     * @param unheld the tables that no satellite holds
     * @param all number of the master's tables
     */
    static Optional<String> describe(List<String> unheld, int all) {
        if (unheld.isEmpty()) {
            return Optional.empty();
        }
        String named = String.join(", ", unheld.subList(0, Math.min(NAMED, unheld.size())));
        String others = unheld.size() > NAMED
                ? ", and %d more (multimed status --tables)".formatted(unheld.size() - NAMED)
                : "";
        return Optional.of("no satellite holds %d of %d tables, and all reads of them run on the master: %s%s"
                .formatted(unheld.size(), all, named, others));
    }
}
