package io.multimed.middleware.node.engine.sql;

import java.util.List;

/**
 * A text as it is executed: what the engine's driver makes of it, cut into statements where the driver or the engine cuts it.
 *
 * @param statements in order, without empty ones; a text without any has one that is empty
 * @param settled whether the words are the same whatever the session has set of how strings and names are quoted
 * @param refusal why the text cannot be sent to an engine; empty if it can
 */
public record Reading(List<SqlText> statements, boolean settled, String refusal) {
    /** Engines' drivers replace a JDBC escape within another one, and some of them copy what is in it: without a bound a short text becomes a very long one. */
    private static final int NESTED_ESCAPES = 8;

    /** Its driver and its engine take it so under every setting. */
    public static Reading settled(List<SqlText> statements) {
        return new Reading(statements, true, "");
    }

    public static Reading refused(String why) {
        return new Reading(List.of(), true, why);
    }

    /** Whether half of a surrogate pair is in the text: no character, of which drivers make another one on the way. */
    public static boolean hasBrokenPair(String sql) {
        for (int i = 0; i < sql.length(); i++) {
            if (Character.isSurrogate(sql.charAt(i))) {
                if (!isPair(sql, i)) {
                    return true;
                }
                i++;
            }
        }
        return false;
    }

    private static boolean isPair(String sql, int at) {
        return at + 1 < sql.length() && Character.isSurrogatePair(sql.charAt(at), sql.charAt(at + 1));
    }

    /** Whether JDBC escapes are in each other more deeply than is replaced here. */
    public static boolean nestsEscapes(SqlText text) {
        int depth = 0;
        for (Token token : text.tokens()) {
            if (token.isSign("{") && ++depth > NESTED_ESCAPES) {
                return true;
            } else if (token.isSign("}")) {
                depth = Math.max(0, depth - 1);
            }
        }
        return false;
    }
}
