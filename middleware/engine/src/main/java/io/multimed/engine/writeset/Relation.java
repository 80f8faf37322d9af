package io.multimed.engine.writeset;

import java.util.List;

/**
 * A table as the master had it when a change was captured.
 *
 * @param id the master's number for it, which renaming does not change
 * @param columns its live columns, in the order of a row's text
 * @param keyPositions places of the primary key's columns in {@code columns}; empty where there is no key
 */
public record Relation(long id, String schema, String table, List<String> columns, List<Integer> keyPositions) {
    public boolean hasKey() {
        return !keyPositions.isEmpty();
    }

    /** Schema and table as people write them in a System Model; not quoted for SQL. */
    public String name() {
        return schema + "." + table;
    }
}
