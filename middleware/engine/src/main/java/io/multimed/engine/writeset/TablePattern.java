// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.writeset;

/**
 * A pattern for the names of tables: {@code *} stands for any characters, also none, and {@code ?} for one character.
 * With a dot, the part before the first dot is for the name of the schema; otherwise tables of all schemas match.
 *
 * @param text in lower case
 */
public record TablePattern(String text) {
    /** Returns whether a text is a pattern, and not just a name. */
    public static boolean isPattern(String text) {
        return text.indexOf('*') >= 0 || text.indexOf('?') >= 0;
    }

    /** Returns whether a table matches, by its real schema and name, both in lower case. */
    boolean matches(String schema, String table) {
        int dot = text.indexOf('.');
        return (dot < 0 || matchesGlob(text.substring(0, dot), schema)) && matchesGlob(text.substring(dot + 1), table);
    }

    /**
     * Returns whether a name in a statement matches. If the pattern has a schema, the name must be qualified by exactly
     * a schema; in doubt it does not match.
     */
    boolean matchesName(String name) {
        int dot = name.lastIndexOf('.');
        if (text.indexOf('.') < 0) {
            return matchesGlob(text, name.substring(dot + 1));
        }
        return dot >= 0 && name.indexOf('.') == dot && matches(name.substring(0, dot), name.substring(dot + 1));
    }

    /** Compares from the left. After a difference, the last {@code *} takes one more character. */
    private static boolean matchesGlob(String glob, String name) {
        int star = -1;
        int afterStar = 0;
        int at = 0;
        for (int i = 0; i < name.length(); ) {
            char wanted = at < glob.length() ? glob.charAt(at) : 0;
            if (at < glob.length() && wanted == '*') {
                star = at++;
                afterStar = i;
            } else if (at < glob.length() && (wanted == '?' || wanted == name.charAt(i))) {
                at++;
                i++;
            } else if (star >= 0) {
                at = star + 1;
                i = ++afterStar;
            } else {
                return false;
            }
        }
        return glob.chars().skip(at).allMatch(c -> c == '*');
    }
}
