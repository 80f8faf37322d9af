package io.multimed.engine.sql;

import java.util.List;

/**
 * What a statement says that it does to the schema: for engines that do not tell by themselves what they did, and that commit before and after it.
 *
 * @param sql the statement
 * @param object what it concerns, such as {@code TABLE}, {@code INDEX}, {@code VIEW}, {@code DATABASE}, {@code TRIGGER}, {@code PROCEDURE}; the singular, in upper case
 * @param names the tables (or views, databases, routines) that it names, in order: an index's or trigger's table; each old name before its new one
 * @param rows whether it puts the rows of a query into what it creates
 */
public record SchemaChange(String sql, Action action, String object, List<ObjectName> names, boolean rows) {
    /** What is done. */
    public enum Action {
        CREATE,
        ALTER,
        DROP,
        RENAME,
        TRUNCATE
    }

    /**
     * A name as the engine keeps it, without quotes.
     *
     * @param schema empty where the statement leaves it to the session
     */
    public record ObjectName(String schema, String name) {}

    public boolean concernsTables() {
        return object.equals("TABLE") || object.equals("INDEX");
    }
}
