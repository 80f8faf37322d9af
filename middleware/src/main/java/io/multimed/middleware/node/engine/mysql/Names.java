package io.multimed.middleware.node.engine.mysql;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.middleware.writeset.Relation;
import java.util.HexFormat;

/** Names and texts as they must stand in SQL. */
final class Names {
    private Names() {}

    static String identifier(String name) {
        return '`' + name.replace("`", "``") + '`';
    }

    static String table(String schema, String table) {
        return identifier(schema) + '.' + identifier(table);
    }

    static String table(Relation relation) {
        return table(relation.schema(), relation.table());
    }

    /** A text whatever {@code sql_mode} and the connection's character set are. */
    static String literal(String text) {
        return "_utf8mb4 x'" + HexFormat.of().formatHex(text.getBytes(UTF_8)) + '\'';
    }
}
