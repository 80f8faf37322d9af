package io.multimed.engine.postgresql.connection;

import io.multimed.engine.writeset.Relation;

/** Names and texts as they must stand in SQL. */
public final class Quoting {
    private Quoting() {}

    public static String identifier(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    public static String literal(String text) {
        return text.indexOf('\\') < 0
                ? '\'' + text.replace("'", "''") + '\''
                : "E'" + text.replace("\\", "\\\\").replace("'", "''") + '\'';
    }

    public static String table(Relation relation) {
        return identifier(relation.schema()) + '.' + identifier(relation.table());
    }
}
