// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.writeset;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/**
 * The tables that a satellite holds: a rule, which also applies to tables that are created or renamed later.
 *
 * @param all whether it holds all tables
 * @param names otherwise the tables, as table or schema.table, in lower case
 * @param patterns further tables
 */
public record ReplicatedTables(boolean all, Set<String> names, List<TablePattern> patterns) {
    public static final ReplicatedTables ALL = new ReplicatedTables(true, Set.of());

    public ReplicatedTables {
        names = Set.copyOf(names);
        patterns = List.copyOf(patterns);
    }

    /** @param entries names, and texts of patterns, in lower case */
    public ReplicatedTables(boolean all, Set<String> entries) {
        this(
                all,
                new HashSet<>(entries.stream()
                        .filter(entry -> !TablePattern.isPattern(entry))
                        .toList()),
                entries.stream()
                        .filter(TablePattern::isPattern)
                        .sorted()
                        .map(TablePattern::new)
                        .toList());
    }

    /** Returns these tables and those with the given names, in which no character has a special meaning. */
    public ReplicatedTables with(Set<String> others) {
        Set<String> more = new HashSet<>(names);
        more.addAll(others);
        return new ReplicatedTables(all, more, patterns);
    }

    /** Returns whether a table is held, by its real schema and name. */
    public boolean includes(String schema, String table) {
        if (all) {
            return true;
        }
        String home = schema.toLowerCase(Locale.ROOT);
        String lower = table.toLowerCase(Locale.ROOT);
        return names.contains(lower)
                || names.contains(home + "." + lower)
                || patterns.stream().anyMatch(pattern -> pattern.matches(home, lower));
    }

    /**
     * Returns whether all tables that a statement names are held, as far as names alone show it. A name without a
     * schema matches a listed table of any schema, but no pattern with a schema: the statement may mean a table of
     * another schema. An entry without a schema matches any qualified name.
     */
    public boolean includesAll(Set<String> named) {
        return all || named.stream().allMatch(this::includesNamed);
    }

    private boolean includesNamed(String name) {
        return names.contains(name)
                || names.contains(name.substring(name.lastIndexOf('.') + 1))
                || names.stream().anyMatch(held -> held.endsWith("." + name))
                || patterns.stream().anyMatch(pattern -> pattern.matchesName(name));
    }

    /**
     * Returns the identifier of copies of these tables within a history. A satellite that holds a copy with another
     * identifier, because its list of tables was another one, lacks rows and must be seeded.
     */
    public UUID copyId(UUID historyId) {
        if (all) {
            return historyId;
        }
        Set<String> entries = new TreeSet<>(names);
        patterns.forEach(pattern -> entries.add(pattern.text()));
        return UUID.nameUUIDFromBytes((historyId + "\n" + String.join("\n", entries)).getBytes(StandardCharsets.UTF_8));
    }
}
