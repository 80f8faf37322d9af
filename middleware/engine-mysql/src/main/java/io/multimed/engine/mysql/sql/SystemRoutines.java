// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.sql;

import io.multimed.engine.sql.SqlText;
import io.multimed.engine.sql.Token;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Knows the engine's own procedures that execute a text as a statement, which could commit or change the schema. */
final class SystemRoutines {
    /** Schemas all of whose procedures are refused. */
    private static final Set<String> SCHEMAS = Set.of("sys", "mysql");

    /** Procedures that are refused by name alone, because the session may use their schema. */
    private static final Set<String> NAMES = Set.of(
            "execute_prepared_stmt",
            "create_synonym_db",
            "statement_performance_analyzer",
            "ps_trace_statement_digest",
            "addgeometrycolumn",
            "dropgeometrycolumn");

    private SystemRoutines() {}

    /** Returns whether the statement, or the body of a routine in it, calls such a procedure. */
    static boolean isCalled(SqlText statement) {
        List<Token> tokens = statement.tokens();
        for (int i = 0; i + 1 < tokens.size(); i++) {
            if (tokens.get(i).is("CALL")) {
                String first = name(tokens.get(i + 1));
                boolean qualified = statement.isSignAt(i + 2, ".");
                if (NAMES.contains(first) || (qualified && SCHEMAS.contains(first))) {
                    return true;
                }
            }
        }
        return false;
    }

    private static String name(Token token) {
        return token.text().replace("`", "").replace("\"", "").toLowerCase(Locale.ROOT);
    }
}
