package io.multimed.engine.postgresql;

import io.multimed.engine.writeset.Relation;

/** Names and texts as they must stand in SQL. */
final class Quoting {
    private Quoting() {}

    static String identifier(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    static String literal(String text) {
        return text.indexOf('\\') < 0
                ? '\'' + text.replace("'", "''") + '\''
                : "E'" + text.replace("\\", "\\\\").replace("'", "''") + '\'';
    }

    static String table(Relation relation) {
        return identifier(relation.schema()) + '.' + identifier(relation.table());
    }
}
