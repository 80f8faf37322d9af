// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.sql;

import java.util.List;

/**
 * The change of the schema that the text of a statement describes: for engines that do not report changes themselves,
 * and that commit before and after DDL.
 *
 * @param sql the statement
 * @param object the kind of object, such as {@code TABLE}, {@code INDEX}, {@code VIEW}, {@code DATABASE}, {@code
 *     TRIGGER}, {@code PROCEDURE}; singular, in upper case
 * @param names the tables (or views, databases, routines) that the statement names, in order: for an index or trigger
 *     its table; each old name before its new one
 * @param rows whether the statement inserts the rows of a query into the object that it creates
 */
public record SchemaChange(String sql, Action action, String object, List<ObjectName> names, boolean rows) {
    /** Kinds of changes. */
    public enum Action {
        CREATE,
        ALTER,
        DROP,
        RENAME,
        TRUNCATE
    }

    /**
     * A name as the engine stores it, without quotes.
     *
     * @param schema empty if the statement does not contain it
     */
    public record ObjectName(String schema, String name) {}

    public SchemaChange of(List<ObjectName> others) {
        return new SchemaChange(sql, action, object, List.copyOf(others), rows);
    }

    public boolean concernsTables() {
        return object.equals("TABLE") || object.equals("INDEX");
    }
}
