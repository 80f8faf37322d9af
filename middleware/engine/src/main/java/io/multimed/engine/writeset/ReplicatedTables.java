package io.multimed.engine.writeset;

import java.util.Locale;
import java.util.Set;

/**
 * Which tables a satellite holds.
 *
 * @param all a full copy
 * @param names otherwise: table or schema.table, in lower case
 */
public record ReplicatedTables(boolean all, Set<String> names) {
    public static final ReplicatedTables ALL = new ReplicatedTables(true, Set.of());

    /** Whether a table is held, by its real schema and name. */
    public boolean includes(String schema, String table) {
        String lower = table.toLowerCase(Locale.ROOT);
        return all || names.contains(lower) || names.contains(schema.toLowerCase(Locale.ROOT) + "." + lower);
    }

    /** Whether all tables that a statement names are held; a name without a schema is taken to be the one in the model. */
    public boolean includesAll(Set<String> named) {
        return all || named.stream().allMatch(this::includesNamed);
    }

    private boolean includesNamed(String name) {
        return names.contains(name)
                || names.contains(name.substring(name.lastIndexOf('.') + 1))
                || names.stream().anyMatch(held -> held.endsWith("." + name));
    }
}
