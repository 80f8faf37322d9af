// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.response;

import io.multimed.protocol.value.Column;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;
import java.util.List;

/**
 * Description of a result set.
 *
 * @param cursor identifies the result set in {@link io.multimed.protocol.request.Fetch} and {@link
 * io.multimed.protocol.request.CloseCursor}; 0 if the first batch holds all rows
 * @param sameColumns whether the columns are those that the session received before for the same statement slot; they
 * are then not sent again
 * @param columns empty if {@code sameColumns}
 */
public record ResultSetHead(int cursor, boolean sameColumns, List<Column> columns) {
    void write(WireWriter out) {
        out.writeInt(cursor);
        out.writeBoolean(sameColumns);
        if (!sameColumns) {
            out.writeList(columns, Column::write);
        }
    }

    static ResultSetHead read(WireReader in) {
        int cursor = in.readInt();
        return in.readBoolean()
                ? new ResultSetHead(cursor, true, List.of())
                : new ResultSetHead(cursor, false, in.readList(Column::read));
    }
}
