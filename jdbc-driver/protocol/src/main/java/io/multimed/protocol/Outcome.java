package io.multimed.protocol;

import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/** One result of a statement: rows or an update count. */
public sealed interface Outcome {
    /** Rows were changed, as Statement.getUpdateCount has it; -1 if the engine's driver gives neither rows nor a count. */
    record Count(long rows) implements Outcome {}

    /** A result set with its first batch. */
    record Rowset(ResultSetHead head, Rows first) implements Outcome {}

    /** Writes the tag and the value. */
    default void write(WireWriter out) {
        if (this instanceof Rowset rowset) {
            out.writeByte(1);
            rowset.head.write(out);
            rowset.first.write(out);
        } else if (this instanceof Count count) {
            out.writeByte(0);
            out.writeLong(count.rows);
        }
    }

    static Outcome read(WireReader in) {
        return in.readBoolean() ? new Rowset(ResultSetHead.read(in), Rows.read(in)) : new Count(in.readLong());
    }
}
