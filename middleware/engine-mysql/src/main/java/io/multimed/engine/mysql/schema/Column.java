// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
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
     * Returns the expression that triggers, and everything that copies the table, select for this column.
     *
     * @param row NEW, OLD or the alias of a table
     */
    public String captured(String row) {
        return RowText.captured(kind.captured(row + '.' + Names.identifier(name)));
    }

    /**
     * Returns a captured value as an SQL literal.
     *
     * @param captured null for NULL
     */
    public String literal(@Nullable String captured) {
        return captured == null ? "NULL" : kind.literal(captured, characterSet);
    }
}
