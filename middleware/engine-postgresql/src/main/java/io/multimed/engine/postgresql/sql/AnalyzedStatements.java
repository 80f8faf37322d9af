// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.sql;

import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.Classification.Kind;
import io.multimed.engine.sql.Classification.Trait;
import io.multimed.engine.sql.SqlText;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Recognizes the statements that EXPLAIN ANALYZE runs. */
final class AnalyzedStatements {
    private static final Set<String> ANALYZE = Set.of("ANALYZE", "ANALYSE");

    /** What the engine's session, and the commit, have of the statement that runs. */
    private static final Set<Trait> KEPT =
            Set.of(Trait.MAY_CHANGE_SCHEMA, Trait.NAMES_TYPES, Trait.MAY_RUN_USER_FUNCTIONS, Trait.MAY_CHANGE_SESSION);

    private AnalyzedStatements() {}

    /** Returns the statement that an EXPLAIN runs; null if the statement is none, or runs nothing. */
    static @Nullable SqlText of(SqlText statement) {
        if (!statement.isAt(0, "EXPLAIN")) {
            return null;
        }
        int at = 1;
        boolean analyzes = ANALYZE.contains(statement.word(1));
        if (analyzes) {
            at = statement.isAt(2, "VERBOSE") ? 3 : 2;
        } else if (statement.isSignAt(1, "(")) {
            while (at < statement.tokens().size() && !statement.isSignAt(at, ")")) {
                analyzes |= ANALYZE.contains(statement.word(at));
                at++;
            }
            at++;
        }
        return analyzes && at < statement.tokens().size()
                ? new SqlText(
                        statement.whole(),
                        statement.tokens().subList(at, statement.tokens().size()))
                : null;
    }

    /** Returns the classification of the EXPLAIN, which leaves in the session what its statement leaves there. */
    static Classification explained(Classification run) {
        if (run.kind() == Kind.REFUSED || run.kind() == Kind.SESSION_STATE || run.kind() == Kind.SAME_SESSION) {
            return run;
        }
        Classification explained = Classification.of(Kind.MASTER, run.review())
                .withSettings(run.settings())
                .with(Trait.MAY_DEFER);
        for (Trait trait : KEPT) {
            explained = run.has(trait) ? explained.with(trait) : explained;
        }
        return explained;
    }
}
