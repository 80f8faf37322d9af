// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.connection;

import io.multimed.engine.writeset.Relation;

/** Quotes names and texts for SQL statements that Multimed composes. */
public final class Quoting {
    private Quoting() {}

    /** Returns a name in double quotes, in which quotes are doubled. */
    public static String identifier(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    /**
     * Returns a string constant that is correct under both values of standard_conforming_strings: with a backslash in
     * the text, an escape string (E'...').
     */
    public static String literal(String text) {
        return text.indexOf('\\') < 0
                ? '\'' + text.replace("'", "''") + '\''
                : "E'" + text.replace("\\", "\\\\").replace("'", "''") + '\'';
    }

    /** Returns the quoted, qualified name of a table. */
    public static String table(Relation relation) {
        return identifier(relation.schema()) + '.' + identifier(relation.table());
    }
}
