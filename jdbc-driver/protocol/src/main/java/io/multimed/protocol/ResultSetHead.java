package io.multimed.protocol;

import io.multimed.protocol.value.Column;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;
import java.util.List;

/**
 * What is known of a result set before its rows.
 *
 * @param cursor names it in {@link Fetch} and {@link CloseCursor}; 0 if all rows came with the first batch
 * @param columns empty if they are those that the session got for the same statement slot before
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
