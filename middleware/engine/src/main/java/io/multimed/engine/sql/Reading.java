// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.sql;

import java.util.List;

/**
 * A text as it will be executed: after replacement by the engine's driver, split into statements where the driver or
 * the engine splits it.
 *
 * @param statements in order, without empty ones; a text without statements has one that is empty
 * @param settled whether the tokens are the same under all settings of the session for quotes in strings and names
 * @param refusal the reason why the text cannot be sent to an engine; empty if it can
 */
public record Reading(List<SqlText> statements, boolean settled, String refusal) {
    /**
     * Engines' drivers replace nested JDBC escapes, and some of them copy the content: without a limit, a short text
     * becomes a very long one.
     */
    private static final int NESTED_ESCAPES = 8;

    /** Returns a reading that is the same under every setting. */
    public static Reading settled(List<SqlText> statements) {
        return new Reading(statements, true, "");
    }

    public static Reading refused(String why) {
        return new Reading(List.of(), true, why);
    }

    /** Returns whether the text contains an unpaired surrogate, which is not a character and which drivers replace. */
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

    /** Returns whether JDBC escapes are nested more deeply than the limit. */
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
