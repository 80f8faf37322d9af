package io.multimed.engine.writeset;

import java.util.Locale;
import java.util.Set;

/**
 * The tables that a satellite holds.
 *
 * @param all whether it holds all tables
 * @param names otherwise the tables, as table or schema.table, in lower case
 */
public record ReplicatedTables(boolean all, Set<String> names) {
    public static final ReplicatedTables ALL = new ReplicatedTables(true, Set.of());

    /** Returns whether a table is held, by its real schema and name. */
    public boolean includes(String schema, String table) {
        String lower = table.toLowerCase(Locale.ROOT);
        return all || names.contains(lower) || names.contains(schema.toLowerCase(Locale.ROOT) + "." + lower);
    }

    /**
     * Returns whether all tables that a statement names are held. A name without a schema matches a table of any
     * schema, and a table of the model without a schema matches any qualified name.
     */
    public boolean includesAll(Set<String> named) {
        return all || named.stream().allMatch(this::includesNamed);
    }

    private boolean includesNamed(String name) {
        return names.contains(name)
                || names.contains(name.substring(name.lastIndexOf('.') + 1))
                || names.stream().anyMatch(held -> held.endsWith("." + name));
    }
}
