// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.sql;

import io.multimed.engine.sql.SqlText;
import io.multimed.engine.sql.Token;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Detects statements that name Multimed's schema or settings on the master, which clients must not use (architecture
 * 4.7). Statements that assemble the name at run time (EXECUTE) are stopped by the engine: by privileges, and by the
 * seal, which detects a modified WriteSet (MM003).
 */
final class OwnObjects {
    private static final String SCHEMA = "multimed";

    /**
     * Matches names inside strings: names of sequences and relations as arguments of functions, and names of settings
     * for set_config.
     */
    private static final Pattern NAMED = Pattern.compile(
            "'\\s*\"?multimed\"?\\s*\\.\\s*\"?(scn|base|sealed|unsealed|spill|told|since_crash|bypass|applied|writeset|pieces|guards|witness|watching|trusted|later|rewritten|seal|permit|append|admit|token|begin|take|receipt|ddl_mark|write_receipt|session|checked).*",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private OwnObjects() {}

    /**
     * Returns whether the statement names an object or setting of Multimed: before a dot, in a SET (which includes
     * search_path), or in a string.
     */
    static boolean isNamed(SqlText statement) {
        List<Token> tokens = statement.tokens();
        boolean path = statement.isAt(0, "SET");
        for (int i = 0; i < tokens.size(); i++) {
            Token token = tokens.get(i);
            boolean qualifies = i + 1 < tokens.size() && tokens.get(i + 1).isSign(".");
            if (isSchema(token) && (qualifies || path)) {
                return true;
            }
            if (token.kind() == Token.Kind.STRING
                    && NAMED.matcher(statement.text(token)).matches()) {
                return true;
            }
        }
        return false;
    }

    /** Compares a word in upper case, as the scanner returns it, and a quoted name exactly, as the engine does. */
    private static boolean isSchema(Token token) {
        return switch (token.kind()) {
            case WORD -> token.text().equals(SCHEMA.toUpperCase(Locale.ROOT));
            case QUOTED_NAME -> token.text().equals('"' + SCHEMA + '"');
            case STRING, SIGN -> false;
        };
    }
}
