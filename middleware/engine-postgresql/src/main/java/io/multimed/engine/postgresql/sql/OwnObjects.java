package io.multimed.engine.postgresql.sql;

import io.multimed.engine.sql.SqlText;
import io.multimed.engine.sql.Token;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Detects statements that name Multimed's schema or settings on the master, which clients must not use. Statements that
 * assemble the name at run time (EXECUTE) are stopped by the engine: by privileges, and by the seal, which detects a
 * modified WriteSet.
 */
final class OwnObjects {
    private static final String SCHEMA = "multimed";

    /** Names in strings: of sequences and relations as arguments of functions, of settings for set_config. */
    private static final Pattern NAMED = Pattern.compile(
            "'\\s*\"?multimed\"?\\s*\\.\\s*\"?(scn|base|sealed|unsealed|spill|told|since_crash|bypass|applied|writeset|pieces|guards|witness|watching|trusted|later|rewritten|seal|permit|append|admit|token|begin|take).*",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private OwnObjects() {}

    /** Whether the statement names an object or setting of Multimed. */
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

    private static boolean isSchema(Token token) {
        return switch (token.kind()) {
            case WORD -> token.text().equals(SCHEMA.toUpperCase(Locale.ROOT));
            case QUOTED_NAME -> token.text().equals('"' + SCHEMA + '"');
            case STRING, SIGN -> false;
        };
    }
}
