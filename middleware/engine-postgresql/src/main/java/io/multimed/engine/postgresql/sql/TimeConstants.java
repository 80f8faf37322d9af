// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.sql;

import java.util.regex.Pattern;

/**
 * Finds statements with a constant for the present time, such as {@code 'now'}. The engine reads a constant when it
 * parses the statement: a statement that remained prepared would return the time of an earlier client.
 */
public final class TimeConstants {
    private static final Pattern NAME =
            Pattern.compile("(?i)(?<![a-z_0-9])(now|today|tomorrow|yesterday)(?![a-z_0-9]|\\s*\\()");

    private TimeConstants() {}

    /**
     * Returns whether the statement may have such a constant. Only a string is a constant, and most statements have
     * none; their texts are not searched further.
     */
    public static boolean mayBeIn(String sql) {
        return (sql.indexOf('\'') >= 0 || sql.indexOf('$') >= 0)
                && NAME.matcher(sql).find();
    }
}
