// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.value;

import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/**
 * Where the values of a result's column come from, as the engine has sent it with the result.
 *
 * @param schema as ResultSetMetaData.getSchemaName
 * @param table as ResultSetMetaData.getTableName; empty if the column belongs to no table
 * @param baseSchema schema of that table, which some engines' drivers do not return by getSchemaName
 * @param baseColumn name of the column in that table
 */
public record ColumnOrigin(String schema, String table, String baseSchema, String baseColumn) {
    void write(WireWriter out) {
        out.writeString(schema);
        out.writeString(table);
        out.writeString(baseSchema);
        out.writeString(baseColumn);
    }

    static ColumnOrigin read(WireReader in) {
        return new ColumnOrigin(in.readString(), in.readString(), in.readString(), in.readString());
    }
}
