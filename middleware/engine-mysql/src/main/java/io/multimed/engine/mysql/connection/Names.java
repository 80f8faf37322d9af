package io.multimed.engine.mysql.connection;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.engine.writeset.Relation;
import java.util.Collection;
import java.util.HexFormat;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Names and texts as they must stand in SQL. */
public final class Names {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_$]*");

    private Names() {}

    public static String identifier(String name) {
        return '`' + name.replace("`", "``") + '`';
    }

    public static String table(String schema, String table) {
        return identifier(schema) + '.' + identifier(table);
    }

    public static String table(Relation relation) {
        return table(relation.schema(), relation.table());
    }

    /** A name as a value in a query. */
    public static String value(String name) {
        return PLAIN.matcher(name).matches() ? '\'' + name + '\'' : literal(name);
    }

    /** Names as values, in the parentheses of {@code IN}; at least one. */
    public static String values(Collection<String> names) {
        return names.stream().map(Names::value).collect(Collectors.joining(",", "(", ")"));
    }

    public static String bytes(byte[] bytes) {
        return "x'" + HexFormat.of().formatHex(bytes) + '\'';
    }

    /** A text whatever {@code sql_mode} and the connection's character set are. */
    public static String literal(String text) {
        return "_utf8mb4 x'" + HexFormat.of().formatHex(text.getBytes(UTF_8)) + '\'';
    }
}
