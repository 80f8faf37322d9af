package io.multimed.engine.mysql.schema;

import io.multimed.engine.mysql.connection.Names;
import org.jspecify.annotations.Nullable;

/**
 * A column of a table under capture.
 *
 * @param characterSet of its texts; empty if it has none
 */
public record Column(String name, ColumnKind kind, String characterSet) {
    /**
     * What the triggers, and whoever copies the table, select of it.
     *
     * @param row NEW, OLD or a table's alias
     */
    public String captured(String row) {
        return RowText.captured(kind.captured(row + '.' + Names.identifier(name)));
    }

    /** A captured value in SQL. */
    public String literal(@Nullable String captured) {
        return captured == null ? "NULL" : kind.literal(captured, characterSet);
    }
}
