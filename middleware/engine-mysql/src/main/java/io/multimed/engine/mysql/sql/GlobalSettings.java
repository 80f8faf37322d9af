// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.sql;

import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.SqlText;
import java.util.Optional;
import java.util.Set;

/** Recognizes statements that change the settings with which the server's sessions begin. */
final class GlobalSettings {
    /** Words by which SET addresses the server instead of the session. */
    private static final Set<String> SCOPES = Set.of("GLOBAL", "PERSIST", "PERSIST_ONLY");

    /** Settings that the middleware requires of the master as long as it runs: it has checked them at its start. */
    private static final Set<String> REQUIRED = Set.of(
            "INNODB_FLUSH_LOG_AT_TRX_COMMIT",
            "SYNC_BINLOG",
            "BINLOG_FORMAT",
            "COMPLETION_TYPE",
            "DEFAULT_TMP_STORAGE_ENGINE");

    private GlobalSettings() {}

    /** Returns whether the statement may change settings with which sessions begin. */
    static boolean areSet(SqlText statement) {
        return statement.isAt(0, "SET") && statement.hasAny(SCOPES);
    }

    /** Returns the refusal of a statement that would change a setting on which replication or durability depends. */
    static Optional<Classification> refusal(SqlText statement) {
        return areSet(statement) && statement.hasAny(REQUIRED)
                ? Optional.of(
                        Classification.refused(
                                "this setting of the server cannot be changed through Multimed, which requires its present value: stop Multimed, and change the setting on the engine"))
                : Optional.empty();
    }
}
