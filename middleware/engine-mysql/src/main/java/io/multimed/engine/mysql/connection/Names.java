// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.connection;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.engine.writeset.Relation;
import java.util.Collection;
import java.util.HexFormat;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Writes names and texts into SQL so that no content of theirs can end the identifier or literal. */
public final class Names {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_$]*");

    private Names() {}

    /** Returns a name in backquotes, which delimit identifiers in every {@code sql_mode}. */
    public static String identifier(String name) {
        return '`' + name.replace("`", "``") + '`';
    }

    public static String table(String schema, String table) {
        return identifier(schema) + '.' + identifier(table);
    }

    public static String table(Relation relation) {
        return table(relation.schema(), relation.table());
    }

    /** Returns a name as a string literal. */
    public static String value(String name) {
        return PLAIN.matcher(name).matches() ? '\'' + name + '\'' : literal(name);
    }

    /**
     * Returns names as string literals in the parentheses of {@code IN}.
     *
     * @param names at least one
     */
    public static String values(Collection<String> names) {
        return names.stream().map(Names::value).collect(Collectors.joining(",", "(", ")"));
    }

    /** Returns bytes as a hexadecimal literal. */
    public static String bytes(byte[] bytes) {
        return "x'" + HexFormat.of().formatHex(bytes) + '\'';
    }

    /**
     * Returns a text as a literal that has the same value under every {@code sql_mode} and connection character set.
     */
    public static String literal(String text) {
        return "_utf8mb4 x'" + HexFormat.of().formatHex(text.getBytes(UTF_8)) + '\'';
    }
}
