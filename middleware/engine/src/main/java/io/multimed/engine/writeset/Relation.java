// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.writeset;

import java.util.List;

/**
 * A table in the form that it had on the master when a change was captured.
 *
 * @param id the master's number of the table, which renaming does not change
 * @param columns the columns that are not dropped, in the order of a row's text
 * @param keyPositions positions of the primary key's columns in {@code columns}, from 0; empty if there is no key
 */
public record Relation(long id, String schema, String table, List<String> columns, List<Integer> keyPositions) {
    public boolean hasKey() {
        return !keyPositions.isEmpty();
    }

    /** Returns schema and table as a System Model contains them, not quoted for SQL. */
    public String name() {
        return schema + "." + table;
    }
}
